"""Sharing an account: its tools are run by whom it is shared with, at once, and through nobody else's account."""

from typing import Any

import httpx2
import pytest

from accesscontrol.audit import CallEntry
from accesscontrol.models import AuditEvent, Member, Organization, Surface
from accesscontrol.services import grants, memberships, teams
from connectors.execution import service
from connectors.execution.errors import NeedsReauth
from connectors.models import Connection, Level, Share
from search.pool import pool_of
from tests import cast
from tests.connectors.sharing import LIST, is_served, journal, listed, refusal, share, unshare
from tests.search.mcp.rpc import Rpc


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
        assert not rpc.call("elaichi__connection__share", connection=key, grantee="everyone", level="use")["isError"]
        assert is_served(Rpc(cast.token(cast.member(acme, "dan"))))
        assert not rpc.call("elaichi__connection__disconnect", connection=key)["isError"]
        account.refresh_from_db()
        assert (account.label, account.status, bool(account.credential)) == ("Support desk", "disconnected", False)
        assert not is_served(rpc)

    @pytest.mark.parametrize("level", [Level.VIEW, Level.USE])
    def test_below_edit_nothing_of_it_is_changed(self, account: Connection, bea: Member, level: Level) -> None:
        share(account, bea, level)
        rpc, key = Rpc(cast.token(bea)), str(account.pk)
        attempts: list[tuple[str, dict[str, Any]]] = [
            ("share", {"grantee": "everyone", "level": "view"}),
            ("share", {"grantee": "bea@acme.example", "level": "none"}),
            ("rename", {"label": "Mine"}),
            ("disconnect", {}),
        ]
        for name, arguments in attempts:
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
        outbound = service._Outbound(caller, tool, tool.accounts[0], account.connector)
        outbound(url)
        unshare(account, bea)
        with pytest.raises(NeedsReauth):
            outbound(url)
