"""The walk over every checkpoint: at each, a denial of the connector and of the tool is refused, by its real path."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client

from accesscontrol.audit import CallEntry
from accesscontrol.caller import Caller
from accesscontrol.exceptions import PermissionRequired, Refusal, Restricted, ScopeRequired
from accesscontrol.models import Grant, Member, Restriction, Role, Surface
from accesscontrol.permissions import Scope
from accesscontrol.resolver import Checkpoint
from accesscontrol.services import grants, restrictions
from connectors.execution import service
from connectors.execution.files import open_for_call
from connectors.files import links
from connectors.files.storing import Origin, store
from connectors.models import Connection, Connector, StoredFile, Tool, Toolbox
from search.pool import pool_of
from tests import cast
from tests.connectors.sharing import journal
from tests.connectors.toolboxes import freeze, toolbox
from tests.search.mcp.rpc import Rpc

CONNECTOR, TOOL = "deskline", "deskline.list_tickets"
NAME = "deskline_list_tickets"

type Deny = Callable[[], None]


def listed(bob: Member, deny: Deny) -> bool:
    deny()
    slugs = Rpc(cast.token(bob)).call("elaichi__connector__list")["structuredContent"]["connectors"]
    return CONNECTOR in [row["slug"] for row in slugs]


def connects(bob: Member, deny: Deny) -> bool:
    deny()
    return not Rpc(cast.token(bob)).call("elaichi__connection__connect", connector=CONNECTOR)["isError"]


def saves(bob: Member, deny: Deny) -> bool:
    """A tool frozen into a toolbox, for which no account of its connector is needed."""
    deny()
    connector = Connector.objects.get(slug=CONNECTOR)
    box = Toolbox.objects.filter(owner=bob).first() or toolbox(bob)
    try:
        freeze(box, connector, "list_tickets")
    except Restricted:
        return False
    return True


def advertised(bob: Member, deny: Deny) -> bool:
    deny()
    rows = Rpc(cast.token(bob)).found("list tickets in Deskline", limit=50)["result"]
    return NAME in [row["name"] for row in rows if "restricted" not in row]


def executes(bob: Member, deny: Deny) -> bool:
    deny()
    return not Rpc(cast.token(bob)).call(NAME)["isError"]


def sends(bob: Member, deny: Deny) -> bool:
    """The call has passed every gate before the last when the rule is written."""
    caller = grants.authenticate(cast.token(bob))
    tool = pool_of(caller).advertised(NAME)
    assert tool is not None
    deny()
    try:
        service.execute(caller, tool, {}, CallEntry())
    except Restricted:
        return False
    return True


def opens_a_file(bob: Member, deny: Deny) -> bool:
    """By its link, and in a call that sends it elsewhere: both or neither."""
    caller = grants.authenticate(cast.token(bob))
    origin = Origin(tool=Tool.objects.get(name="list_tickets"), connection=Connection.objects.get(owner=bob))
    file = store(member=bob, name="tickets.pdf", media_type="application/pdf", data=b"%PDF", origin=origin)
    link = urlsplit(links.described(caller, file)["url"]).path
    deny()
    opens = Client().head(link).status_code == 200
    assert may_send(caller, file) is opens
    return opens


def may_send(caller: Caller, file: StoredFile) -> bool:
    try:
        return open_for_call(caller, str(file.pk)).content == b"%PDF"
    except Restricted:
        return False


WALK: dict[Checkpoint, Callable[[Member, Deny], bool]] = {
    Checkpoint.LIST: listed,
    Checkpoint.CONNECT: connects,
    Checkpoint.SAVE: saves,
    Checkpoint.ADVERTISE: advertised,
    Checkpoint.EXECUTE: executes,
    Checkpoint.OUTBOUND: sends,
    Checkpoint.OPEN_FILE: opens_a_file,
}
OF_A_CONNECTOR_AS_A_WHOLE = {Checkpoint.LIST, Checkpoint.CONNECT}
"""A denial of one tool leaves the connector there for its others."""


@pytest.mark.requirement("S22")
def test_every_checkpoint_is_walked() -> None:
    assert set(WALK) == set(Checkpoint)


def test_each_is_asked_in_the_code_by_its_name() -> None:
    code = "\n".join(
        file.read_text()
        for package in ("connectors", "search")
        for file in (Path(settings.BASE_DIR) / package).rglob("*.py")
    )
    asked = {Checkpoint[name] for name in re.findall(r"\bCheckpoint\.([A-Z_]+)", code)}
    assert asked == set(WALK)


@pytest.mark.parametrize("layer", ["role", "user"])
@pytest.mark.parametrize("checkpoint", WALK)
def test_a_denied_connector_is_refused_there(
    deskline: Connector, bob: Member, checkpoint: Checkpoint, layer: str
) -> None:
    assert WALK[checkpoint](bob, lambda: None)
    assert not WALK[checkpoint](bob, lambda: deny(bob, layer, connectors=[CONNECTOR]))


@pytest.mark.parametrize("layer", ["role", "user"])
@pytest.mark.parametrize("checkpoint", WALK)
def test_a_denied_tool_is_refused_there(deskline: Connector, bob: Member, checkpoint: Checkpoint, layer: str) -> None:
    reached = WALK[checkpoint](bob, lambda: deny(bob, layer, tools=[TOOL]))
    assert reached is (checkpoint in OF_A_CONNECTOR_AS_A_WHOLE)


def deny(bob: Member, layer: str, **names: Any) -> None:
    subject = bob.role if layer == "role" else bob
    restrictions.create(subject=subject, mode=Restriction.Mode.BLOCK, surface=Surface.SYSTEM, **names)


def without_tools(bob: Member) -> None:
    Grant.objects.update(scopes=[Scope.READ, Scope.DESTRUCTIVE])


def without_destructive(bob: Member) -> None:
    Grant.objects.update(scopes=[Scope.TOOLS])


def as_a_guest(bob: Member) -> None:
    Member.objects.filter(pk=bob.pk).update(role=Role.objects.get(organization=bob.organization, slug="guest"))


@pytest.mark.parametrize(
    ("narrow", "refusal"),
    [(without_tools, ScopeRequired), (without_destructive, ScopeRequired), (as_a_guest, PermissionRequired)],
)
def test_what_is_taken_from_a_client_while_its_call_runs_keeps_the_next_request_from_leaving(
    deskline: Connector, bob: Member, sandbox: str, narrow: Callable[[Member], None], refusal: type[Refusal]
) -> None:
    """None of these changes the organization's version here: the grant and the role are read anew."""
    deskline.tools.filter(name="list_tickets").update(annotations={"destructiveHint": True})
    caller = grants.authenticate(cast.token(bob))
    tool = pool_of(caller).advertised(NAME)
    assert tool is not None
    narrow(bob)
    with pytest.raises(refusal):
        service.execute(caller, tool, {}, CallEntry())
    assert journal(sandbox) == []
