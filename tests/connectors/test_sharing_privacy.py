"""What sharing does not do: reach a private account, cross an organization, show a secret, mix accounts up."""

from typing import Any

import pytest

from accesscontrol.exceptions import Conflict
from accesscontrol.models import AuditEvent, Member, Organization
from connectors.models import Connection, Connector, Level, Share
from connectors.reach import connections_within_reach, reaches
from tests import cast
from tests.connectors.sharing import LIST, is_served, journal, listed, refusal, share
from tests.search.mcp.rpc import Rpc


class TestPrivate:
    @pytest.mark.parametrize("role", ["org-owner", "org-admin"])
    def test_a_private_account_is_reached_by_nobody_whatever_their_role(
        self, account: Connection, acme: Organization, role: str
    ) -> None:
        boss = cast.member(acme, "boss", role)
        rpc, key = Rpc(cast.token(boss)), str(account.pk)
        assert not is_served(rpc)
        assert listed(rpc) == []
        attempts: list[tuple[str, dict[str, Any]]] = [
            ("share", {"grantee": "boss@acme.example", "level": "use"}),
            ("share", {"grantee": "everyone", "level": "none"}),
            ("rename", {"label": "Mine"}),
            ("disconnect", {}),
        ]
        for name, arguments in attempts:
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
        for named in ({"grantee": charlie.user.email}, {"grantee": "Support"}):
            error = refusal(rpc, "elaichi__connection__share", connection=str(account.pk), level="use", **named)
            assert error["code"] == "not_found"
        # A row that no service wrote is without effect, too.
        Share.objects.create(organization=abroad, connection=account, member=charlie, level=Level.EDIT)
        assert not connections_within_reach(charlie, at_least=Level.VIEW).exists()
        assert not reaches(charlie, account, at_least=Level.VIEW)

    def test_no_secret_is_shown_to_whom_it_is_shared_with(self, account: Connection, bea: Member) -> None:
        share(account, bea, Level.EDIT)
        rpc = Rpc(cast.token(bea))
        seen = [
            rpc.call("elaichi__connection__list"),
            rpc.found("tickets"),
            rpc.call(LIST),
            rpc.call("elaichi__connection__rename", connection=str(account.pk), label="Desk"),
            rpc.call("elaichi__connection__share", connection=str(account.pk), grantee="everyone", level="use"),
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
