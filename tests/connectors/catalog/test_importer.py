"""A catalog brought into an organization: created, and then updated as a diff."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from accesscontrol.models import AuditEvent, Member, Organization, Surface
from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.catalog.document import Catalog, CatalogError, CatalogTool, SkippedOperation
from connectors.catalog.importer import ImportReport, import_catalog
from connectors.models import Connector, Tool
from tests import cast
from tests.connectors.catalog.documents import Node, http, json_body, query, read
from tests.search.mcp.rpc import Rpc

BEARER: Node = {"token": {"type": "http", "scheme": "bearer"}}
DESK = read(
    {
        "/tickets": {
            "get": {"operationId": "listTickets", "parameters": [query("limit", {"type": "number", "default": 1.5})]},
            "post": {"operationId": "createTicket", **json_body({"type": "object", "properties": {"title": {}}})},
        },
        "/tickets/{id}": {"delete": {"operationId": "deleteTicket"}},
    },
    servers=[{"url": "https://desk.example/v1"}],
    components={"securitySchemes": BEARER},
)


def _import(organization: Organization, catalog: Catalog = DESK, **arguments: Any) -> ImportReport:
    arguments = {"slug": "desk", "label": "Desk", "surface": Surface.SYSTEM} | arguments
    return import_catalog(organization=organization, catalog=catalog, **arguments)


def _with(catalog: Catalog, name: str, **changes: Any) -> Catalog:
    """The catalog with one tool changed."""
    tools = (replace(tool, **changes) if tool.name == name else tool for tool in catalog.tools)
    return replace(catalog, tools=tuple(tools))


def _without(catalog: Catalog, name: str) -> Catalog:
    return replace(catalog, tools=tuple(tool for tool in catalog.tools if tool.name != name))


def _state(organization: Organization) -> tuple[Any, ...]:
    """Everything that an import may touch."""
    organization.refresh_from_db()
    return (
        organization.version,
        list(Connector.objects.of(organization).order_by("slug").values()),
        list(Tool.objects.of(organization).order_by("name").values()),
        AuditEvent.objects.of(organization).count(),
    )


def _lists(report: ImportReport) -> tuple[tuple[str, ...], ...]:
    return report.added, report.changed, report.removed, report.unchanged


ALL = ("create_ticket", "delete_ticket", "list_tickets")


def test_a_catalog_becomes_a_connector_and_its_tools(acme: Organization) -> None:
    version = acme.version
    report = _import(acme)
    assert _lists(report) == (ALL, (), (), ())
    connector = Connector.objects.of(acme).get()
    assert (connector.slug, connector.label, connector.base_url) == ("desk", "Desk", "https://desk.example/v1")
    assert connector.auth_scheme == AuthScheme(kind=AuthKind.BEARER, name="token")
    assert connector.catalog_version == 1
    stored = {tool.name: tool for tool in connector.tools.all()}
    for tool in DESK.tools:
        row = stored[tool.name]
        assert row.input_schema == tool.input_schema
        assert row.annotations == tool.annotations
        assert type(tool.binding).from_json(row.binding) == tool.binding
    acme.refresh_from_db()
    assert acme.version == version + 1


def test_an_import_leaves_one_event_with_its_counts(acme: Organization, alice: Member) -> None:
    skipped = replace(DESK, skipped=(SkippedOperation(operation="odd", reason="odd"),))
    _import(acme, skipped, surface=Surface.ADMIN, actor=alice)
    event = AuditEvent.objects.of(acme).get(action="connector.import")
    assert (event.surface, event.actor, event.target, event.outcome) == ("admin", alice, "connector:desk", "ok")
    counts = {"added": 3, "changed": 0, "removed": 0, "renamed": 0, "skipped": 1}
    assert event.detail == counts | {"names_removed": []}


def test_importing_twice_changes_nothing(acme: Organization) -> None:
    _import(acme)
    before = _state(acme)
    assert _lists(_import(acme)) == ((), (), (), ALL)
    assert _state(acme) == before


@pytest.mark.requirement("S18")
def test_the_next_search_reflects_an_import(acme: Organization, bob: Member) -> None:
    _import(acme)
    cast.connection(bob, Connector.objects.get())
    client = Rpc(cast.token(bob))
    assert _found(client, "delete ticket")[0] == "desk_delete_ticket"
    archive = replace(DESK.tools[0], name="archive_ticket")
    _import(acme, replace(_without(DESK, "delete_ticket"), tools=(*_without(DESK, "delete_ticket").tools, archive)))
    assert "desk_delete_ticket" not in _found(client, "delete ticket")
    assert _found(client, "archive ticket")[0] == "desk_archive_ticket"


def _found(client: Rpc, query: str) -> list[str]:
    return [row["name"] for row in client.found(query)["result"]]


def test_an_import_that_changes_something_bumps_the_versions_that_searches_are_cached_by(acme: Organization) -> None:
    _import(acme)
    acme.refresh_from_db()
    version = acme.version
    _import(acme, _with(DESK, "list_tickets", description="Lists them."))
    acme.refresh_from_db()
    assert (acme.version, Connector.objects.get().catalog_version) == (version + 1, 2)


def test_a_changed_catalog_is_applied_as_a_diff(acme: Organization) -> None:
    _import(acme)
    rows = {tool.name: tool.pk for tool in Tool.objects.all()}
    newcomer = replace(DESK.tools[0], name="count_tickets")
    changed = _with(_without(DESK, "delete_ticket"), "list_tickets", deprecated=True, description="Old.")
    report = _import(acme, replace(changed, tools=(*changed.tools, newcomer)))
    assert _lists(report) == (("count_tickets",), ("list_tickets",), ("delete_ticket",), ("create_ticket",))
    after = {tool.name: tool for tool in Tool.objects.all()}
    assert set(after) == {"count_tickets", "create_ticket", "list_tickets"}
    assert after["list_tickets"].pk == rows["list_tickets"]
    assert (after["list_tickets"].description, after["list_tickets"].deprecated) == ("Old.", True)


def test_a_tool_that_an_administrator_disabled_stays_disabled(acme: Organization) -> None:
    _import(acme)
    Tool.objects.filter(name="list_tickets").update(enabled=False)
    _import(acme, _with(DESK, "list_tickets", description="New."))
    assert not Tool.objects.get(name="list_tickets").enabled


@pytest.mark.parametrize("field", ["title", "default"])
def test_a_difference_of_type_alone_is_a_change(acme: Organization, field: str) -> None:
    one, true = ({**DESK.tools[0].input_schema, field: value} for value in (1, True))
    _import(acme, _with(DESK, "list_tickets", input_schema=one))
    assert _import(acme, _with(DESK, "list_tickets", input_schema=true)).changed == ("list_tickets",)


def test_a_dry_run_reports_the_same_and_writes_nothing(acme: Organization) -> None:
    before = _state(acme)
    assert _lists(_import(acme, dry_run=True)) == (ALL, (), (), ())
    assert _state(acme) == before
    _import(acme)
    before = _state(acme)
    assert _lists(_import(acme, _without(DESK, "delete_ticket"), dry_run=True, label="Other"))[2] == ("delete_ticket",)
    assert _state(acme) == before


def test_a_new_label_or_base_url_is_a_change_of_the_connector_alone(acme: Organization) -> None:
    _import(acme)
    report = _import(acme, label="Help desk", base_url="https://eu.desk.example/")
    assert _lists(report) == ((), (), (), ALL)
    connector = Connector.objects.get()
    assert (connector.label, connector.base_url) == ("Help desk", "https://eu.desk.example")
    assert connector.catalog_version == 2


def test_a_document_does_not_move_a_connector_to_another_host(acme: Organization) -> None:
    _import(acme)
    _import(acme, replace(DESK, base_url="https://attacker.example"))
    assert Connector.objects.get().base_url == "https://desk.example/v1"


def test_operations_that_go_to_another_host_are_noted(acme: Organization) -> None:
    bindings = (replace(http(DESK.tools[0]), base_url=url) for url in ("https://files.example/v1", DESK.base_url))
    tools = (replace(tool, binding=binding) for tool, binding in zip(DESK.tools[:2], bindings, strict=True))
    assert _import(acme, replace(DESK, tools=tuple(tools))).notes == (
        "By the document, 1 of the tools call files.example, with the account's credential.",
    )


def test_the_chosen_way_to_authenticate_stays(acme: Organization) -> None:
    _import(acme)
    key = AuthScheme(kind=AuthKind.API_KEY_HEADER, name="key", parameter="X-Key")
    _import(acme, replace(DESK, auth_schemes=(key, *DESK.auth_schemes)))
    connector = Connector.objects.get()
    assert connector.auth_scheme.kind is AuthKind.BEARER
    assert [it["name"] for it in connector.auth_schemes] == ["key", "token"]


def test_two_organizations_have_the_same_product_apart(acme: Organization) -> None:
    other = cast.organization("umbrella")
    _import(acme)
    _import(other, _without(DESK, "delete_ticket"))
    assert Tool.objects.of(acme).count() == 3
    assert Tool.objects.of(other).count() == 2


def test_tools_that_would_be_advertised_alike_are_told_apart(acme: Organization) -> None:
    tool: CatalogTool = DESK.tools[0]
    pair = replace(DESK, tools=(replace(tool, name="desk_list"), replace(tool, name="list"), replace(tool, name="x")))
    assert _import(acme, pair).added == ("desk_list", "list_2", "x")
    assert _lists(_import(acme, pair)) == ((), (), (), ("desk_list", "list_2", "x"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"slug": "Not A Slug"}, "The connector's slug is not valid: Use lower-case letters"),
        ({"label": ""}, "The connector's label is not valid: This field cannot be blank."),
        ({"base_url": "ftp://x"}, "The connector's base url is not valid: Enter a valid URL."),
        ({"catalog": replace(DESK, base_url="")}, "The document names no server that can be used: give the base URL."),
    ],
)
def test_what_cannot_be_a_connector_is_one_clear_error_and_changes_nothing(
    acme: Organization, arguments: dict[str, Any], message: str
) -> None:
    before = _state(acme)
    with pytest.raises(CatalogError) as raised:
        _import(acme, **arguments)
    assert str(raised.value).startswith(message)
    assert _state(acme) == before


@pytest.mark.django_db(transaction=True)
def test_two_first_imports_at_once_take_turns() -> None:
    home = cast.organization("acme")
    both_ready = Barrier(2)

    def run(catalog: Catalog) -> ImportReport:
        try:
            both_ready.wait()
            return _import(home, catalog)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        reports = list(threads.map(run, [DESK, DESK]))
    assert sorted(len(report.added) for report in reports) == [0, 3]
    assert Tool.objects.count() == 3
    assert AuditEvent.objects.filter(action="connector.import").count() == 1
