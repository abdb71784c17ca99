"""Sharing an account: its tools are run by whom it is shared with, at once, and through nobody else's account."""

from typing import Any

import httpx2
import pytest
from django.db import IntegrityError, transaction
from pytest_django import DjangoAssertNumQueries

from accesscontrol.audit import CallEntry
from accesscontrol.caller import Caller, caller_of
from accesscontrol.exceptions import Conflict, MemberNotActive, NotFound
from accesscontrol.models import AuditEvent, Member, Organization, Surface
from accesscontrol.pagination import PageInput
from accesscontrol.permissions import Scope
from accesscontrol.services import grants, memberships, teams
from connectors.execution import service
from connectors.execution.errors import NeedsReauth
from connectors.models import Connection, Connector, Level, Share
from connectors.operations import list_connections
from connectors.reach import connected_products, connections_within_reach, usable_connections, with_levels
from connectors.services import connections, sharing
from connectors.services.authority import EditRequired
from search.pool import pool_of
from tests import cast
from tests.search.mcp.rpc import Rpc

LIST = "deskline_list_tickets"


@pytest.fixture
def bea(acme: Organization) -> Member:
    return cast.member(acme, "bea")


@pytest.fixture
def account(deskline: Connector) -> Connection:
    """Bob's."""
    return Connection.objects.get(connector=deskline)


def share(account: Connection, grantee: sharing.Grantee, level: Level = Level.USE) -> Share:
    return sharing.share(connection=account, grantee=grantee, level=level, surface=Surface.SYSTEM, actor=account.owner)


def unshare(account: Connection, grantee: sharing.Grantee) -> None:
    sharing.unshare(connection=account, grantee=grantee, surface=Surface.SYSTEM, actor=account.owner)


def fresh(member: Member) -> Caller:
    rows = Member.objects.select_related("organization", "role", "user")
    return caller_of(rows.get(pk=member.pk), surface=Surface.SYSTEM)


def journal(sandbox: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = httpx2.get(f"{sandbox}/_journal").json()["requests"]
    return found


def is_served(rpc: Rpc) -> bool:
    """Both a search and a call find the tool, or neither does."""
    found = {row["name"] for row in rpc.found("list tickets")["result"]}
    answer = rpc.send("tools/call", {"name": LIST, "arguments": {}}).json()
    served = "result" in answer and not answer["result"]["isError"]
    assert served == (LIST in found)
    return served


def refusal(rpc: Rpc, name: str, /, **arguments: Any) -> dict[str, Any]:
    answer = rpc.call(name, **arguments)
    assert answer["isError"], answer
    error: dict[str, Any] = answer["structuredContent"]["error"]
    return error


def listed(rpc: Rpc) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = rpc.call("elaichi__connection__list")["structuredContent"]["connections"]
    return rows


class TestLevels:
    def test_shared_for_use_it_is_searched_and_called_through_the_owner_s_account(
        self, account: Connection, bea: Member, sandbox: str
    ) -> None:
        rpc = Rpc(cast.token(bea))
        assert not is_served(rpc)
        share(account, bea)
        assert is_served(rpc)
        assert journal(sandbox)[-1]["account"] == "Acme"
        event = AuditEvent.objects.filter(action="tool.call", outcome="ok").latest("at")
        assert (event.actor, event.connection) == (bea, "Deskline: Acme")

    def test_shared_for_viewing_it_is_listed_and_contributes_no_tool(
        self, account: Connection, bea: Member, sandbox: str
    ) -> None:
        share(account, bea, Level.VIEW)
        rpc = Rpc(cast.token(bea))
        assert not is_served(rpc)
        assert journal(sandbox) == []
        [row] = listed(rpc)
        assert (row["label"], row["owner"], row["access"]) == ("Acme", "bob@acme.example", "view")
        assert "shared_with" not in row

    def test_shared_for_editing_it_is_used_renamed_shared_and_disconnected(
        self, account: Connection, bea: Member, acme: Organization
    ) -> None:
        share(account, bea, Level.EDIT)
        rpc, key = Rpc(cast.token(bea)), str(account.pk)
        assert is_served(rpc)
        assert not rpc.call("elaichi__connection__rename", connection=key, label="Support desk")["isError"]
        assert not rpc.call("elaichi__connection__share", connection=key, everyone=True, level="use")["isError"]
        assert is_served(Rpc(cast.token(cast.member(acme, "dan"))))
        assert not rpc.call("elaichi__connection__disconnect", connection=key)["isError"]
        account.refresh_from_db()
        assert (account.label, account.status, bool(account.credential)) == ("Support desk", "disconnected", False)
        assert not is_served(rpc)

    @pytest.mark.parametrize("level", [Level.VIEW, Level.USE])
    def test_below_edit_nothing_of_it_is_changed(self, account: Connection, bea: Member, level: Level) -> None:
        share(account, bea, level)
        rpc, key = Rpc(cast.token(bea)), str(account.pk)
        attempts: dict[str, dict[str, Any]] = {
            "share": {"everyone": True, "level": "view"},
            "unshare": {"member": "bea@acme.example"},
            "rename": {"label": "Mine"},
            "disconnect": {},
        }
        for name, arguments in attempts.items():
            error = refusal(rpc, f"elaichi__connection__{name}", connection=key, **arguments)
            assert (error["code"], error["owner"]) == ("permission_required", "bob@acme.example")
        account.refresh_from_db()
        assert (account.label, account.status, account.shares.count()) == ("Acme", "active", 1)

    @pytest.mark.parametrize("order", [(Level.VIEW, Level.USE), (Level.USE, Level.VIEW)])
    def test_the_highest_of_several_levels_wins(
        self, account: Connection, bea: Member, acme: Organization, order: tuple[Level, Level]
    ) -> None:
        team = cast.team(acme, "Support", bea)
        share(account, team, order[0])
        share(account, acme, order[1])
        share(account, bea, Level.VIEW)
        rpc = Rpc(cast.token(bea))
        assert is_served(rpc)
        assert [row["access"] for row in listed(rpc)] == ["use"]
        share(account, team, Level.EDIT)
        assert [row["access"] for row in listed(rpc)] == ["edit"]

    def test_sharing_again_replaces_the_level_and_keeps_one_share(self, account: Connection, bea: Member) -> None:
        for level in (Level.EDIT, Level.USE, Level.VIEW):
            assert share(account, bea, level).level == level
        assert Share.objects.get().level == Level.VIEW
        assert not is_served(Rpc(cast.token(bea)))


class TestItEnds:
    def test_what_is_no_longer_shared_is_refused_to_the_next_call(self, account: Connection, bea: Member) -> None:
        share(account, bea)
        rpc = Rpc(cast.token(bea))
        assert is_served(rpc)
        unshare(account, bea)
        assert not is_served(rpc)

    def test_who_leaves_the_team_is_refused_at_the_next_call(
        self, account: Connection, bea: Member, acme: Organization
    ) -> None:
        team = cast.team(acme, "Support", bea)
        share(account, team)
        rpc = Rpc(cast.token(bea))
        assert is_served(rpc)
        teams.remove_member(team=team, member=bea, surface=Surface.SYSTEM)
        assert not is_served(rpc)
        teams.add_member(team=team, member=bea, surface=Surface.SYSTEM)
        assert is_served(rpc)
        teams.delete(team=team, surface=Surface.SYSTEM)
        assert not is_served(rpc)

    def test_a_suspended_owner_s_account_contributes_nothing_until_they_are_back(
        self, account: Connection, bea: Member
    ) -> None:
        share(account, bea)
        rpc = Rpc(cast.token(bea))
        memberships.suspend(member=account.owner, surface=Surface.SYSTEM)
        assert not is_served(rpc)
        memberships.reinstate(member=account.owner, surface=Surface.SYSTEM)
        assert is_served(rpc)

    @pytest.mark.parametrize("ending", ["unshare", "leave", "suspend"])
    def test_a_call_under_way_is_stopped_before_it_leaves(
        self, account: Connection, bea: Member, acme: Organization, sandbox: str, ending: str
    ) -> None:
        team = cast.team(acme, "Support", bea)
        share(account, team)
        caller = grants.authenticate(cast.token(bea))
        tool = pool_of(caller).advertised(LIST)
        assert tool is not None
        match ending:
            case "unshare":
                unshare(account, team)
            case "leave":
                teams.remove_member(team=team, member=bea, surface=Surface.SYSTEM)
            case _:
                memberships.suspend(member=account.owner, surface=Surface.SYSTEM)
        with pytest.raises(NeedsReauth, match="not shared with you"):
            service.execute(caller, tool, {}, CallEntry())
        assert journal(sandbox) == []

    def test_a_share_withdrawn_between_the_look_up_and_the_request_is_seen_at_outbound(
        self, account: Connection, bea: Member
    ) -> None:
        share(account, bea)
        caller = grants.authenticate(cast.token(bea))
        tool = pool_of(caller).advertised(LIST)
        assert tool is not None
        url = httpx2.URL(account.connector.base_url)
        outbound = service._Outbound(caller, tool, tool.accounts[0], url)
        outbound(url)
        unshare(account, bea)
        with pytest.raises(NeedsReauth):
            outbound(url)


class TestPrivate:
    @pytest.mark.parametrize("role", ["org-owner", "org-admin"])
    def test_a_private_account_is_reached_by_nobody_whatever_their_role(
        self, account: Connection, acme: Organization, role: str
    ) -> None:
        boss = cast.member(acme, "boss", role)
        rpc, key = Rpc(cast.token(boss)), str(account.pk)
        assert not is_served(rpc)
        assert listed(rpc) == []
        attempts: dict[str, dict[str, Any]] = {
            "share": {"member": "boss@acme.example", "level": "use"},
            "unshare": {"everyone": True},
            "rename": {"label": "Mine"},
            "disconnect": {},
        }
        for name, arguments in attempts.items():
            error = refusal(rpc, f"elaichi__connection__{name}", connection=key, **arguments)
            assert error["code"] == "not_found"
            assert "Acme" not in error["message"]
        assert not Share.objects.exists()

    def test_what_is_not_there_and_what_is_not_yours_are_refused_in_the_same_words(
        self, account: Connection, bea: Member, charlie: Member
    ) -> None:
        connector = cast.connector(charlie.organization)
        foreign = cast.connection(charlie, connector)
        rpc = Rpc(cast.token(bea))
        keys = (str(account.pk), str(foreign.pk), "6a9b3a50-64d3-4a3b-8d1c-7a52a1c1a6b1", "no id")
        said = [refusal(rpc, "elaichi__connection__disconnect", connection=key)["message"] for key in keys]
        assert len(set(said)) == 1

    def test_a_share_with_a_team_is_for_those_in_it(self, account: Connection, bea: Member, acme: Organization) -> None:
        share(account, cast.team(acme, "Support"))
        assert not is_served(Rpc(cast.token(bea)))

    def test_nothing_is_shared_beyond_the_organization(
        self, account: Connection, charlie: Member, acme: Organization
    ) -> None:
        abroad = charlie.organization
        for grantee in (charlie, abroad, cast.team(abroad, "Support", charlie)):
            with pytest.raises(Conflict, match="own organization"):
                share(account, grantee)
        rpc = Rpc(cast.token(account.owner))
        for named in ({"member": charlie.user.email}, {"team": "Support"}):
            error = refusal(rpc, "elaichi__connection__share", connection=str(account.pk), level="use", **named)
            assert error["code"] == "not_found"
        # A row that no service wrote is without effect, too.
        Share.objects.create(organization=abroad, connection=account, member=charlie, level=Level.EDIT)
        assert not connections_within_reach(charlie, at_least=Level.VIEW).exists()

    def test_no_secret_is_shown_to_whom_it_is_shared_with(self, account: Connection, bea: Member) -> None:
        share(account, bea, Level.EDIT)
        rpc = Rpc(cast.token(bea))
        seen = [
            rpc.call("elaichi__connection__list"),
            rpc.found("tickets"),
            rpc.call(LIST),
            rpc.call("elaichi__connection__rename", connection=str(account.pk), label="Desk"),
            rpc.call("elaichi__connection__share", connection=str(account.pk), everyone=True, level="use"),
            list(AuditEvent.objects.values()),
        ]
        assert "demo-deskline-acme" not in str(seen)


class TestEqualLabels:
    @pytest.fixture
    def rpc(self, account: Connection, bea: Member, deskline: Connector) -> Rpc:
        """Bea has an account of her own, labelled as Bob's is."""
        cast.connection(bea, deskline, "Acme", credential={"token": "demo-deskline-globex"})
        share(account, bea)
        return Rpc(cast.token(bea))

    @pytest.mark.requirement("S16")
    def test_they_are_told_apart_and_a_bare_label_is_asked_about(self, rpc: Rpc, sandbox: str) -> None:
        for given in ({}, {"connection": "Acme"}):
            error = refusal(rpc, LIST, **given)
            assert error["code"] == "ambiguous_connection"
            assert error["accounts"] == ["Acme (bea@acme.example)", "Acme (bob@acme.example)"]
        assert journal(sandbox) == []
        for name, reached in {"Acme (bea@acme.example)": "Globex", "Acme (bob@acme.example)": "Acme"}.items():
            assert not rpc.call(LIST, connection=name)["isError"]
            assert journal(sandbox)[-1]["account"] == reached

    def test_the_list_names_them_as_a_call_does(self, rpc: Rpc) -> None:
        assert {row["label"] for row in listed(rpc)} == {"Acme (bea@acme.example)", "Acme (bob@acme.example)"}

    def test_a_label_that_is_another_account_s_id_reaches_neither(self, rpc: Rpc, account: Connection) -> None:
        Connection.objects.exclude(pk=account.pk).update(label=str(account.pk))
        error = refusal(rpc, LIST, connection=str(account.pk))
        assert error["code"] == "ambiguous_connection"


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

    def test_exactly_one_grantee_is_named(self, account: Connection) -> None:
        rpc = Rpc(cast.token(account.owner))
        for named in ({}, {"member": "bea@acme.example", "everyone": True}):
            error = refusal(rpc, "elaichi__connection__share", connection=str(account.pk), level="use", **named)
            assert error["code"] == "invalid_arguments"

    def test_sharing_takes_the_scope_to_write(self, account: Connection) -> None:
        rpc = Rpc(cast.token(account.owner, scopes=[Scope.READ, Scope.TOOLS]))
        error = refusal(rpc, "elaichi__connection__share", connection=str(account.pk), everyone=True, level="use")
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
            [row] = with_levels(usable_connections(bea), bea)
        assert getattr(row, "level", None) == Level.USE

    def test_a_list_of_many_takes_as_few_queries_as_a_list_of_one(
        self, account: Connection, bea: Member, deskline: Connector, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in range(5):
            share(cast.connection(account.owner, deskline, f"Desk {number}"), bea, Level.EDIT)
        caller = fresh(bea)
        list_connections(caller, PageInput())
        with django_assert_num_queries(3):
            assert len(list_connections(caller, PageInput())["connections"]) == 5
