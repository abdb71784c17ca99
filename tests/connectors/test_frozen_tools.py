"""Frozen tools as they are saved: what must fit, and who may."""

from typing import Any

import pytest

from accesscontrol.exceptions import Conflict, InvalidArguments, NotFound, Restricted
from accesscontrol.models import AuditEvent, Member, Restriction, Surface
from accesscontrol.services import restrictions
from connectors.models import Connector, FrozenTool, Level, Toolbox
from connectors.services import frozen_tools
from connectors.services.authority import EditRequired
from tests import cast
from tests.connectors.toolboxes import change, freeze, share, toolbox


@pytest.fixture
def box(bob: Member) -> Toolbox:
    return toolbox(bob)


def problems(box: Toolbox, connector: Connector, **changes: Any) -> list[str]:
    with pytest.raises(InvalidArguments) as refused:
        freeze(box, connector, **changes)
    assert not FrozenTool.objects.exists()
    return [problem["path"] for problem in refused.value.help["problems"]]


@pytest.mark.requirement("S17")
@pytest.mark.parametrize(
    ("changes", "paths"),
    [
        ({"fixed": {"projct": "SHIP"}}, ["/fixed/projct"]),
        ({"fixed": {"status": "lost"}}, ["/fixed/status"]),
        ({"fixed": {}, "defaults": {"limit": "many"}}, ["/defaults/limit"]),
        ({"fixed": {"project": "SHIP"}, "defaults": {"project": "APP"}}, ["/defaults/project"]),
        ({"fixed": {"assignee": "demo-deskline-acme@example.com"}}, ["/fixed/assignee"]),
        ({"name": "search_tools"}, ["/name"]),
        ({"name": "elaichi__list"}, ["/name"]),
        ({"description": "x" * 2_001}, ["/description"]),
    ],
)
def test_what_does_not_fit_or_holds_a_secret_is_refused_by_its_path(
    box: Toolbox, deskline: Connector, changes: dict[str, Any], paths: list[str]
) -> None:
    assert problems(box, deskline, **changes) == paths


def test_a_credential_of_who_saves_or_who_owns_is_found(box: Toolbox, deskline: Connector, bea: Member) -> None:
    cast.connection(bea, deskline, credential={"token": "beas-very-own"})
    share(box, bea, Level.EDIT)
    for holder in ("beas-very-own", "demo-deskline-acme"):
        assert problems(box, deskline, tool="search_tickets", actor=bea, fixed={"text": holder}) == ["/fixed/text"]


def test_what_is_saved_is_told_by_its_names_and_never_by_its_values(box: Toolbox, deskline: Connector) -> None:
    freeze(box, deskline, fixed={"project": "SHIP"})
    told = AuditEvent.objects.get(action="toolbox.add_tool")
    assert told.detail == {
        "toolbox": "Support",
        "owner": "bob@acme.example",
        "tool": "deskline.list_tickets",
        "name": "",
        "fixed": ["project"],
        "pins": 0,
    }


def test_a_tool_that_is_not_there_or_switched_off_is_not_frozen(box: Toolbox, deskline: Connector) -> None:
    with pytest.raises(NotFound):
        freeze(box, deskline, "no_such_tool")
    deskline.tools.update(enabled=False)
    with pytest.raises(NotFound):
        freeze(box, deskline)


def test_a_connector_of_another_organization_is_not_found(box: Toolbox, charlie: Member) -> None:
    with pytest.raises(NotFound):
        freeze(box, cast.connector(charlie.organization))


def test_a_name_is_unique_in_its_toolbox(box: Toolbox, deskline: Connector, bob: Member) -> None:
    freeze(box, deskline, name="tickets")
    with pytest.raises(Conflict):
        freeze(box, deskline, name="tickets")
    freeze(toolbox(bob, "Another"), deskline, name="tickets")


def test_a_change_keeps_what_it_does_not_name(box: Toolbox, deskline: Connector) -> None:
    row = freeze(box, deskline, name="tickets", defaults={"limit": 5})
    change(row, description="Ours")
    row.refresh_from_db()
    assert (row.name, row.description, row.fixed, row.defaults) == (
        "tickets",
        "Ours",
        {"project": "SHIP"},
        {"limit": 5},
    )


def test_only_who_may_edit_the_toolbox_changes_its_tools(box: Toolbox, deskline: Connector, bea: Member) -> None:
    row = freeze(box, deskline)
    with pytest.raises(NotFound):
        change(row, bea, name="mine")
    share(box, bea)
    with pytest.raises(EditRequired):
        frozen_tools.remove(frozen_tool=row, surface=Surface.SYSTEM, actor=bea)
    share(box, bea, Level.EDIT)
    frozen_tools.remove(frozen_tool=row, surface=Surface.SYSTEM, actor=bea)
    assert not FrozenTool.objects.exists()


def test_a_rule_denies_changing_what_was_frozen_before_it(box: Toolbox, deskline: Connector, bob: Member) -> None:
    row = freeze(box, deskline)
    restrictions.create(
        subject=bob, mode=Restriction.Mode.BLOCK, tools=["deskline.list_tickets"], surface=Surface.SYSTEM
    )
    with pytest.raises(Restricted):
        change(row, fixed={"project": "APP"})


@pytest.mark.parametrize("blocked", ["list_tickets", "show_tickets", "tickets"])
def test_a_rule_under_any_name_of_the_tool_denies_the_change(
    box: Toolbox, deskline: Connector, bob: Member, blocked: str
) -> None:
    """The row holds a name that the tool had before."""
    row = freeze(box, deskline)
    tool = deskline.tools.filter(name="list_tickets").get()
    deskline.tools.filter(pk=tool.pk).update(name=blocked)
    restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, tools=[f"deskline.{blocked}"], surface=Surface.SYSTEM)
    deskline.tools.filter(pk=tool.pk).update(name="show_tickets", former_names=["list_tickets", "tickets"])
    with pytest.raises(Restricted):
        change(row, fixed={"project": "APP"})


def test_one_whose_tool_is_gone_is_switched_off_and_taken_out_and_nothing_else(
    box: Toolbox, deskline: Connector
) -> None:
    row = freeze(box, deskline)
    deskline.tools.filter(name="list_tickets").delete()
    refused: list[dict[str, Any]] = [{"fixed": {}}, {"enabled": True}, {"enabled": False, "name": "x"}]
    for changes in refused:
        with pytest.raises(NotFound):
            change(row, **changes)
    change(row, enabled=False)
    row.refresh_from_db()
    assert not row.enabled
    frozen_tools.remove(frozen_tool=row, surface=Surface.SYSTEM, actor=box.owner)
    assert not FrozenTool.objects.exists()


def test_a_refused_save_keeps_nothing_of_it_for_later(box: Toolbox, deskline: Connector, bob: Member) -> None:
    """The version that a refused save bumped is another change's afterwards."""
    assert problems(box, deskline, fixed={"nothing": 1})
    restrictions.create(
        subject=bob, mode=Restriction.Mode.BLOCK, tools=["deskline.list_tickets"], surface=Surface.SYSTEM
    )
    with pytest.raises(Restricted):
        freeze(box, deskline)


def test_a_toolbox_holds_so_many_tools(box: Toolbox, deskline: Connector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frozen_tools, "MAX_TOOLS", 1)
    freeze(box, deskline)
    with pytest.raises(Conflict):
        freeze(box, deskline)
