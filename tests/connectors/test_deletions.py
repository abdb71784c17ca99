"""Deleting an account: what ends with it, who is told, and that nothing of its secret is left."""

import httpx2
import pytest
from django.test import Client

from accesscontrol.exceptions import NotFound, PermissionRequired
from accesscontrol.models import AuditEvent, Member, Notice, Organization, Surface
from connectors.connecting.sessions import open_session
from connectors.files import storing
from connectors.files.links import described, open_link
from connectors.models import Connection, Connector, ConnectSession, Level, Tool
from connectors.services import connections
from connectors.services.authority import OwnerRequired
from tests import cast
from tests.connectors.sharing import LIST, fresh, is_served, share
from tests.connectors.toolboxes import freeze, runs, toolbox
from tests.search.mcp.rpc import Rpc


def delete(account: Connection, actor: Member | None = None) -> None:
    connections.delete(connection=account, surface=Surface.SYSTEM, actor=actor or account.owner)


def told(kind: Notice.Kind) -> list[str]:
    return sorted(Notice.objects.filter(kind=kind).values_list("member__user__email", flat=True))


def test_nobody_runs_it_any_more_and_those_who_lose_it_are_told(
    account: Connection, deskline: Connector, acme: Organization, bob: Member, bea: Member
) -> None:
    share(account, bea)
    dan, eve = cast.member(acme, "dan"), cast.member(acme, "eve")
    share(account, cast.team(acme, "Support", dan, bob))
    share(account, eve, Level.VIEW)
    freeze(toolbox(bea), deskline, connections=[account])
    assert runs(bea)
    delete(account)
    assert not runs(bea)
    assert not is_served(Rpc(cast.token(bob)))
    assert told(Notice.Kind.ACCOUNT_ENDED) == ["bea@acme.example", "dan@acme.example"]
    assert told(Notice.Kind.TOOLS_STOPPED) == ["bea@acme.example"]
    event = AuditEvent.objects.get(action="connection.delete")
    assert (event.connection, event.detail) == ("Deskline: Acme", {"owner": "bob@acme.example"})


def test_a_preview_says_all_that_breaks_and_changes_nothing(
    account: Connection, deskline: Connector, bob: Member, bea: Member
) -> None:
    share(account, bea)
    cast.connection(bob, deskline, "Globex")
    freeze(toolbox(bob), deskline, connections=[account])
    open_session(fresh(bob), deskline, account)
    origin = storing.Origin(tool=Tool.objects.get(name="list_tickets"), connection=account)
    storing.store(member=bea, name="a.csv", media_type="text/csv", data=b"1", origin=origin)
    seen = connections.preview_delete(connection=account)
    assert seen.shared_with == ("bea@acme.example (use)",)
    assert [(it.toolbox, it.for_good) for it in seen.stopping] == [("Support", True)]
    assert (seen.other_accounts, seen.files, seen.open_connect_pages) == (("Globex",), 1, 1)
    assert seen.tools == Tool.objects.filter(connector=deskline, enabled=True).count()
    assert Connection.objects.filter(pk=account.pk).exists()


def test_a_merged_tool_loses_the_choice_and_runs_through_the_other(
    account: Connection, deskline: Connector, bob: Member
) -> None:
    cast.connection(bob, deskline, "Globex", credential={"token": "demo-deskline-globex"})
    rpc = Rpc(cast.token(bob))
    assert rpc.call(LIST)["isError"]
    delete(account)
    assert not rpc.call(LIST)["isError"]


def test_the_links_to_its_files_die(account: Connection, bea: Member) -> None:
    share(account, bea)
    origin = storing.Origin(tool=Tool.objects.get(name="list_tickets"), connection=account)
    file = storing.store(member=bea, name="a.csv", media_type="text/csv", data=b"1", origin=origin)
    path = httpx2.URL(described(fresh(bea), file)["url"]).path
    assert Client().get(path).getvalue() == b"1"
    delete(account)
    assert Client().get(path).status_code != 200
    with pytest.raises(Exception, match="not connected any more"):
        open_link(path.split("/")[2])


def test_open_connect_pages_for_it_end(account: Connection, deskline: Connector, bob: Member) -> None:
    open_session(fresh(bob), deskline, account)
    delete(account)
    assert not ConnectSession.objects.exists()


def test_only_its_owner_and_not_an_editor(account: Connection, alice: Member, bea: Member) -> None:
    share(account, bea, Level.EDIT)
    with pytest.raises(OwnerRequired):
        delete(account, bea)
    with pytest.raises(NotFound):
        delete(account, alice)
    with pytest.raises(PermissionRequired):
        connections.delete_as_manager(connection=account, surface=Surface.SYSTEM, actor=bea)
    connections.delete_as_manager(connection=account, surface=Surface.SYSTEM, actor=alice)
    assert told(Notice.Kind.ACCOUNT_ENDED) == ["bea@acme.example"]
