"""The services behind sharing: what they refuse, record and cost."""

import pytest
from django.db import IntegrityError, transaction
from pytest_django import DjangoAssertNumQueries

from accesscontrol.exceptions import Conflict, MemberNotActive, NotFound
from accesscontrol.models import AuditEvent, Member, Organization, Surface
from accesscontrol.pagination import SearchedPageInput
from accesscontrol.permissions import Scope
from accesscontrol.services import memberships
from connectors.models import Connection, Connector, Level, Share
from connectors.operations import list_connections
from connectors.reach import connected_products, reaches, usable_connections, with_levels
from connectors.services import connections
from connectors.services.authority import EditRequired
from tests import cast
from tests.connectors.sharing import fresh, refusal, share, unshare
from tests.search.mcp.rpc import Rpc


class TestService:
    def test_every_change_is_audited_and_bumps_the_version(
        self, account: Connection, bea: Member, acme: Organization
    ) -> None:
        versions = [fresh(bea).version]
        share(account, bea)
        versions.append(fresh(bea).version)
        unshare(account, bea)
        versions.append(fresh(bea).version)
        assert versions == sorted(set(versions))
        shared, taken = AuditEvent.objects.filter(action__startswith="connection.").order_by("at")
        assert (shared.action, shared.detail) == ("connection.share", {"member": "bea@acme.example", "level": "use"})
        assert (taken.action, taken.detail) == ("connection.unshare", {"member": "bea@acme.example"})
        assert {shared.actor, taken.actor} == {account.owner}

    def test_an_actor_who_was_suspended_a_moment_ago_shares_nothing(self, account: Connection, bea: Member) -> None:
        memberships.suspend(member=account.owner, surface=Surface.SYSTEM)
        with pytest.raises(MemberNotActive):
            share(account, bea)

    def test_a_grantee_must_be_an_active_member_and_not_the_owner(self, account: Connection, bea: Member) -> None:
        with pytest.raises(Conflict, match="needs no share"):
            share(account, account.owner)
        memberships.suspend(member=bea, surface=Surface.SYSTEM)
        with pytest.raises(MemberNotActive):
            share(account, bea)

    def test_what_was_not_shared_cannot_be_taken_back(self, account: Connection, bea: Member) -> None:
        with pytest.raises(Conflict, match=r"not shared with bea@acme\.example"):
            unshare(account, bea)

    def test_edit_is_asked_for_at_the_moment_of_the_change(self, account: Connection, bea: Member) -> None:
        with pytest.raises(NotFound):
            connections.rename(connection=account, label="Mine", surface=Surface.SYSTEM, actor=bea)
        share(account, bea, Level.USE)
        with pytest.raises(EditRequired):
            connections.rename(connection=account, label="Mine", surface=Surface.SYSTEM, actor=bea)

    def test_a_grantee_is_named(self, account: Connection) -> None:
        rpc = Rpc(cast.token(account.owner))
        for named, code in (
            ({}, "invalid_arguments"),
            ({"grantee": ""}, "invalid_arguments"),
            ({"grantee": "?"}, "not_found"),
        ):
            error = refusal(rpc, "elaichi__connection__share", connection=str(account.pk), level="use", **named)
            assert error["code"] == code

    def test_a_team_is_named_by_name_or_id_and_a_share_is_taken_back_by_none(
        self, account: Connection, acme: Organization
    ) -> None:
        team, rpc = cast.team(acme, "Support"), Rpc(cast.token(account.owner))
        for named in ("support", str(team.pk)):
            given = {"connection": str(account.pk), "grantee": named}
            shared = rpc.call("elaichi__connection__share", level="use", **given)["structuredContent"]
            assert shared["shared_with"] == [{"team": "Support", "level": "use"}]
            ended = rpc.call("elaichi__connection__share", level="none", **given)["structuredContent"]
            assert ended["shared_with"] == []
            assert refusal(rpc, "elaichi__connection__share", level="none", **given)["code"] == "conflict"

    def test_sharing_takes_the_scope_to_write(self, account: Connection) -> None:
        rpc = Rpc(cast.token(account.owner, scopes=[Scope.READ, Scope.TOOLS]))
        error = refusal(rpc, "elaichi__connection__share", connection=str(account.pk), grantee="everyone", level="use")
        assert (error["code"], error["scope"]) == ("scope_required", "mcp:write")

    def test_the_database_holds_one_share_for_each_grantee_and_one_grantee_for_each_share(
        self, account: Connection, bea: Member, acme: Organization
    ) -> None:
        team = cast.team(acme)
        for grantee in ({"member": bea}, {"team": team}, {"whole_organization": True}):
            Share.objects.create(organization=acme, connection=account, **grantee)
            with pytest.raises(IntegrityError), transaction.atomic():
                Share.objects.create(organization=acme, connection=account, **grantee)
        for malformed in ({}, {"member": bea, "team": team}, {"team": team, "whole_organization": True}):
            with pytest.raises(IntegrityError), transaction.atomic():
                Share.objects.create(organization=acme, connection=account, **malformed)


class TestQueries:
    def test_connections_are_one_query_however_they_are_reached(
        self, account: Connection, bea: Member, acme: Organization, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        team = cast.team(acme, "Support", bea)
        for grantee in (bea, team, acme):
            share(account, grantee)
        connected_products(fresh(bea))
        caller = fresh(bea)
        with django_assert_num_queries(1):
            [product] = connected_products(caller)
        assert len(product.accounts) == 1
        with django_assert_num_queries(1):
            assert reaches(bea, account, at_least=Level.USE)
        with django_assert_num_queries(0):
            assert reaches(account.owner, account, at_least=Level.EDIT)
        with django_assert_num_queries(1):
            [row] = with_levels(usable_connections(bea), bea)
        assert getattr(row, "level", None) == Level.USE

    def test_a_list_of_many_takes_as_few_queries_as_a_list_of_one(
        self, account: Connection, bea: Member, deskline: Connector, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in range(5):
            share(cast.connection(account.owner, deskline, f"Desk {number}"), bea, Level.EDIT)
        caller = fresh(bea)
        list_connections(caller, SearchedPageInput())
        with django_assert_num_queries(3):
            assert len(list_connections(caller, SearchedPageInput())["connections"]) == 5
