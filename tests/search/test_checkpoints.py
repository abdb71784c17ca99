"""The walk over every checkpoint: at each, a denial of the connector and of the tool is refused, by its real path."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from accesscontrol.audit import CallEntry
from accesscontrol.exceptions import Restricted
from accesscontrol.models import Member, Restriction, Surface
from accesscontrol.resolver import Checkpoint
from accesscontrol.services import grants, restrictions
from connectors.execution import service
from connectors.models import Connector
from search.pool import pool_of
from tests import cast
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


WALK: dict[Checkpoint, Callable[[Member, Deny], bool]] = {
    Checkpoint.LIST: listed,
    Checkpoint.CONNECT: connects,
    Checkpoint.ADVERTISE: advertised,
    Checkpoint.EXECUTE: executes,
    Checkpoint.OUTBOUND: sends,
}
TO_COME = {Checkpoint.SAVE: "frozen tools", Checkpoint.OPEN_FILE: "stored files"}
"""Registered, and without a path yet; a path that is built moves its checkpoint into the walk."""
OF_A_CONNECTOR_AS_A_WHOLE = {Checkpoint.LIST, Checkpoint.CONNECT}
"""A denial of one tool leaves the connector there for its others."""


def test_every_checkpoint_is_walked_or_still_to_come() -> None:
    assert set(WALK) | set(TO_COME) == set(Checkpoint)
    assert not set(WALK) & set(TO_COME)


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
