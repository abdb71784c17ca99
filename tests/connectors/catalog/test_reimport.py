"""What is said of a catalog imported again: what is different, who would miss what goes, and what is refused."""

from dataclasses import replace
from typing import Any

import pytest

from accesscontrol.models import AuditEvent, Member, Organization, Restriction, Surface
from accesscontrol.services import restrictions
from connectors.catalog.document import CatalogError
from connectors.catalog.report import Uses
from connectors.models import Connector, FrozenTool, Tool, Toolbox
from tests import cast
from tests.connectors.catalog.desk import CREATE, DELETE, DESK, GET, LIST, bring_in, desk, others, request

NUMBER = {"type": "number"}
NEWCOMER = replace(LIST, name="search", operation="search", binding=request(LIST, path="/search"))


def _with_arguments(**properties: Any) -> dict[str, Any]:
    return {**LIST.input_schema, "properties": properties}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"description": "Lists them."}, ("description",)),
        ({"operation": "ticketList"}, ("operation: listTickets → ticketList",)),
        ({"deprecated": True}, ("now deprecated",)),
        ({"input_schema": _with_arguments()}, ("argument limit removed",)),
        (
            {"input_schema": _with_arguments(limit=LIST.input_schema["properties"]["limit"], page=NUMBER)},
            ("argument page added",),
        ),
        (
            {"input_schema": {**_with_arguments(limit=NUMBER, page=NUMBER), "required": ["limit", "page"]}},
            ("argument page added, required", "argument limit is now required", "argument limit changed"),
        ),
        ({"input_schema": {**LIST.input_schema, "minProperties": 1}}, ("what its arguments may hold",)),
        ({"annotations": {**LIST.annotations, "readOnlyHint": False}}, ("effect: reads → writes",)),
        ({"annotations": {**LIST.annotations, "destructiveHint": True}}, ("effect: reads → deletes",)),
        ({"annotations": {**LIST.annotations, "title": "All"}}, ("title",)),
        ({"annotations": {**LIST.annotations, "openWorldHint": False}}, ("hints on its effect",)),
        (
            {"binding": request(LIST, method="POST", path="/search")},
            ("request: GET /tickets → POST /search",),
        ),
        (
            {"binding": request(LIST, base_url="https://eu.desk.example")},
            ("request: GET /tickets → GET https://eu.desk.example/tickets",),
        ),
        ({"binding": request(LIST, headers=(("X", "1"),))}, ("how its arguments are sent",)),
    ],
)
def test_a_changed_tool_is_reported_with_what_changed(
    acme: Organization, changes: dict[str, Any], said: tuple[str, ...]
) -> None:
    bring_in(acme)
    report = bring_in(acme, desk(replace(LIST, **changes), *others(LIST)))
    assert report.changed == ("list_tickets",)
    assert report.changes == {"list_tickets": said}
    assert bring_in(acme, desk(replace(LIST, **changes), *others(LIST))).changes == {}


def test_an_argument_that_is_no_longer_required_is_reported(acme: Organization) -> None:
    bring_in(acme, desk(replace(LIST, input_schema={**LIST.input_schema, "required": ["limit"]}), *others(LIST)))
    assert bring_in(acme).changes == {"list_tickets": ("argument limit is no longer required",)}


def test_deprecated_tools_are_reported_as_long_as_they_are(acme: Organization) -> None:
    old = desk(replace(LIST, deprecated=True), *others(LIST))
    assert bring_in(acme, old).deprecated == ("list_tickets",)
    assert bring_in(acme, old).deprecated == ("list_tickets",)
    report = bring_in(acme)
    assert (report.deprecated, report.changes) == ((), {"list_tickets": ("no longer deprecated",)})


def test_a_removed_tool_is_reported_with_the_rules_and_toolboxes_that_name_it(
    acme: Organization, alice: Member, bob: Member
) -> None:
    bring_in(acme)
    named, mode = "desk.delete_ticket", Restriction.Mode.BLOCK
    for_role = restrictions.create(subject=bob.role, mode=mode, tools=[named], surface=Surface.SYSTEM)
    for_bob = restrictions.create(subject=bob, mode=mode, tools=["desk.get_ticket", named], surface=Surface.SYSTEM)
    restrictions.create(subject=alice, mode=mode, tools=["desk.get_ticket"], surface=Surface.SYSTEM)
    elsewhere = cast.member(cast.organization("umbrella"), "eve")
    restrictions.create(subject=elsewhere, mode=mode, tools=[named], surface=Surface.SYSTEM)
    _freeze(bob, "delete_ticket", "Cleaning")
    _freeze(bob, "get_ticket", "Reading")
    report = bring_in(acme, desk(*others(DELETE)), dry_run=True)
    assert report.removed == ("delete_ticket",)
    assert report.used_by == {
        "delete_ticket": Uses(
            restrictions=((str(for_role.pk), "Member"), (str(for_bob.pk), str(bob))), toolboxes=("Cleaning",)
        )
    }
    assert report.as_json()["used_by"] == {
        "delete_ticket": {
            "restrictions": [
                {"id": str(for_role.pk), "subject": "Member"},
                {"id": str(for_bob.pk), "subject": str(bob)},
            ],
            "toolboxes": ["Cleaning"],
        }
    }
    assert f"removed   delete_ticket (used by rule {for_role.pk} for Member, " in "\n".join(
        report.as_text(dry_run=True)
    )


def _freeze(owner: Member, tool: str, toolbox: str) -> FrozenTool:
    box = Toolbox.objects.create(organization=owner.organization, owner=owner, name=toolbox)
    return FrozenTool.objects.create(toolbox=box, connector=Connector.objects.get(slug="desk"), tool=tool)


def test_the_event_of_an_import_names_what_was_removed(acme: Organization) -> None:
    bring_in(acme)
    bring_in(acme, desk(CREATE, GET))
    event = AuditEvent.objects.of(acme).filter(action="connector.import").latest("at")
    assert event.detail["names_removed"] == ["delete_ticket", "list_tickets"]
    assert event.detail["removed"] == 2


class TestTheGuard:
    def test_a_catalog_without_more_than_half_of_the_tools_is_refused_and_changes_nothing(
        self, acme: Organization
    ) -> None:
        bring_in(acme)
        with pytest.raises(CatalogError, match=r"^This catalog would remove 3 of Desk's 4 tools\. .*--force"):
            bring_in(acme, desk(replace(GET, description="New."), NEWCOMER))
        assert Tool.objects.count() == 4
        assert Connector.objects.get().catalog_version == 1
        assert AuditEvent.objects.filter(action="connector.import").count() == 1

    def test_exactly_half_may_go(self, acme: Organization) -> None:
        bring_in(acme)
        assert bring_in(acme, desk(GET, LIST)).removed == ("create_ticket", "delete_ticket")

    def test_it_may_be_forced(self, acme: Organization) -> None:
        bring_in(acme)
        report = bring_in(acme, desk(GET), force=True)
        assert (len(report.removed), report.refusal) == (3, "")
        assert Tool.objects.get().name == "get_ticket"

    def test_a_dry_run_says_that_it_would_be_refused(self, acme: Organization) -> None:
        bring_in(acme)
        report = bring_in(acme, desk(GET), dry_run=True)
        assert len(report.removed) == 3
        assert report.refusal.startswith("This catalog would remove 3 of Desk's 4 tools.")
        assert bring_in(acme, desk(GET), dry_run=True, force=True).refusal == ""

    def test_renamed_tools_are_not_dropped(self, acme: Organization) -> None:
        bring_in(acme)
        moved = desk(*(replace(tool, name=f"{tool.name}_v2") for tool in DESK.tools))
        report = bring_in(acme, moved)
        assert (len(report.renamed), report.removed) == (4, ())


def test_an_import_does_not_turn_a_connector_into_one_of_another_kind(acme: Organization) -> None:
    bring_in(acme)
    with pytest.raises(CatalogError, match=r"^Desk is a connector of another kind \(OpenAPI, not Remote MCP server\)"):
        bring_in(acme, replace(DESK, kind="mcp"))


def test_where_a_catalog_was_read_from_is_kept(acme: Organization) -> None:
    bring_in(acme, catalog_url="https://desk.example/openapi.json")
    assert Connector.objects.get().catalog_url == "https://desk.example/openapi.json"
    bring_in(acme)
    assert Connector.objects.get().catalog_url == "https://desk.example/openapi.json"
    bring_in(acme, catalog_url="")
    assert Connector.objects.get().catalog_url == ""
