"""`import_catalog`, as somebody at a terminal or a script meets it."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accesscontrol.models import Organization
from connectors.models import Connector, Tool
from tests import cast
from tests.connectors.catalog.documents import document, query


@pytest.fixture
def file(tmp_path: Path) -> Path:
    paths: dict[str, Any] = {
        "/tickets": {
            "get": {"operationId": "listTickets", "parameters": [query("it", {"$ref": "#/nowhere"})]},
            "post": {"operationId": "createTicket", "requestBody": {"$ref": "#/nowhere"}},
        }
    }
    path = tmp_path / "desk.json"
    path.write_text(json.dumps(document(paths, servers=[{"url": "https://desk.example"}])))
    return path


def _run(*arguments: object) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("import_catalog", *map(str, arguments), "--slug=desk", "--label=Desk", stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.mark.requirement("S29")
def test_it_imports_a_connector_and_prints_the_report_alone_as_json(acme: Organization, file: Path) -> None:
    out, err = _run(file, "--json")
    assert json.loads(out) == {
        "connector": "desk",
        "added": ["list_tickets"],
        "changed": [],
        "removed": [],
        "unchanged": [],
        "skipped": [
            {"operation": "createTicket", "reason": "the reference '#/nowhere' leads to nothing in this document"}
        ],
        "renamed": [],
        "deprecated": [],
        "changes": {},
        "used_by": {},
        "refusal": "",
    }
    assert "The reference '#/nowhere' leads to nothing; anything is admitted there." in err
    assert Tool.objects.of(acme).get().name == "list_tickets"


def test_it_says_in_a_few_lines_what_it_did(acme: Organization, file: Path) -> None:
    out, _ = _run(file)
    assert out.splitlines() == [
        "added     list_tickets",
        "skipped   createTicket: the reference '#/nowhere' leads to nothing in this document",
        "Desk: 1 added, 0 changed, 0 removed, 0 unchanged, 1 skipped",
    ]
    out, _ = _run(file)
    assert out.splitlines()[-1] == "Desk: 0 added, 0 changed, 0 removed, 1 unchanged, 1 skipped"


def test_a_dry_run_says_so_and_writes_nothing(acme: Organization, file: Path) -> None:
    out, _ = _run(file, "--dry-run")
    assert out.splitlines()[-1].endswith("1 skipped (nothing was written)")
    assert not Connector.objects.exists()


def test_the_base_url_can_be_given(acme: Organization, file: Path) -> None:
    _run(file, "--base-url", "https://eu.desk.example")
    assert Connector.objects.get().base_url == "https://eu.desk.example"


def test_the_organization_is_named_where_there_are_several(acme: Organization, file: Path) -> None:
    cast.organization("umbrella")
    with pytest.raises(CommandError, match=r"^There are several organizations: say which with --organization SLUG\.$"):
        _run(file)
    _run(file, "--organization", "umbrella")
    assert Connector.objects.get().organization.slug == "umbrella"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "There is no organization yet: start with ./run up, or create one in the admin."),
        (("--organization=x",), "There is no organization with the slug x."),
    ],
)
def test_an_organization_that_is_not_there_is_one_clear_line(
    db: None, file: Path, arguments: tuple[str, ...], message: str
) -> None:
    with pytest.raises(CommandError) as raised:
        _run(file, *arguments)
    assert str(raised.value) == message


def test_a_broken_document_is_one_clear_line_and_changes_nothing(acme: Organization, file: Path) -> None:
    _run(file)
    file.write_text('{"openapi": "3.0.0", "paths": ')
    with pytest.raises(CommandError, match=r"^The document is not valid JSON: [^\n]*$"):
        _run(file)
    assert Tool.objects.count() == 1


def test_a_file_that_is_not_there_is_one_clear_line(acme: Organization, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"^The file '.*gone\.json' cannot be read: No such file or directory\.$"):
        _run(tmp_path / "gone.json")


def _write(file: Path, *operations: str, prefix: str = "") -> None:
    paths = {f"/{name}": {"get": {"operationId": f"{prefix}{name.title()}"}} for name in operations}
    file.write_text(json.dumps(document(paths, servers=[{"url": "https://desk.example"}])))


def test_it_says_of_each_tool_what_changed_what_it_was_called_and_what_is_going_to_end(
    acme: Organization, file: Path
) -> None:
    _write(file, "tickets", "rooms", prefix="list")
    _run(file)
    paths = {
        "/tickets": {"get": {"operationId": "listTickets", "deprecated": True}},
        "/rooms": {"get": {"operationId": "findRooms", "description": "Finds rooms."}},
    }
    file.write_text(json.dumps(document(paths)))
    out, _ = _run(file)
    assert out.splitlines() == [
        "changed   find_rooms: renamed from list_rooms; operation: listRooms → findRooms; description; title",
        "changed   list_tickets: now deprecated",
        "deprecated list_tickets",
        "Desk: 0 added, 2 changed, 0 removed, 0 unchanged, 0 skipped, 1 renamed, 1 deprecated",
    ]


def test_most_of_the_tools_go_only_if_it_is_forced(acme: Organization, file: Path) -> None:
    _write(file, "tickets", "rooms", "people")
    _run(file)
    _write(file, "tickets")
    with pytest.raises(CommandError, match=r"^This catalog would remove 2 of Desk's 3 tools\. [^\n]*$"):
        _run(file)
    out, err = _run(file, "--dry-run", "--json")
    assert json.loads(out)["refusal"] == err.strip()
    assert json.loads(out)["removed"] == ["people", "rooms"]
    assert Tool.objects.count() == 3
    _run(file, "--force")
    assert Tool.objects.get().name == "tickets"


def test_the_url_that_it_was_read_from_is_kept_until_a_file_takes_its_place(
    acme: Organization, file: Path, sandbox: str
) -> None:
    _run(f"{sandbox}/deskline/openapi.json")
    assert Connector.objects.get().catalog_url == f"{sandbox}/deskline/openapi.json"
    _write(file, "tickets")
    _run(file, "--force")
    assert Connector.objects.get().catalog_url == ""


def test_a_remote_server_is_one_url(acme: Organization) -> None:
    with pytest.raises(CommandError, match=r"^A remote MCP server is a connector of its own: give one URL\.$"):
        _run("https://one.example/mcp", "https://two.example/mcp", "--mcp")
