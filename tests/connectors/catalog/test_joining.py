"""Several documents of one product as one connector."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accesscontrol.models import Organization
from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.catalog.document import Catalog, CatalogError, CatalogTool
from connectors.catalog.hosts import own_base_url
from connectors.catalog.joining import joined
from connectors.models import Connector
from tests.connectors.catalog.desk import DESK, GET, LIST, bring_in, desk, request
from tests.connectors.catalog.documents import document

CHAT = "https://chat.desk.example/v1"


def _chat(*tools: CatalogTool, base_url: str = CHAT) -> Catalog:
    return replace(DESK, title="Desk Chat", base_url=base_url, tools=tools)


def _places(catalog: Catalog) -> dict[str, str]:
    return {tool.name: own_base_url(tool) for tool in catalog.tools}


ROOMS = replace(LIST, name="list_rooms", operation="listRooms", binding=request(LIST, path="/rooms"))


def test_the_first_names_the_address_and_tools_of_the_others_keep_their_own() -> None:
    catalog = joined([desk(LIST), _chat(ROOMS)])
    assert catalog.base_url == DESK.base_url
    assert _places(catalog) == {"list_tickets": "", "list_rooms": CHAT}


def test_documents_of_one_address_share_it() -> None:
    assert _places(joined([desk(LIST), _chat(ROOMS, base_url=DESK.base_url)])) == {
        "list_tickets": "",
        "list_rooms": "",
    }


def test_a_tool_with_an_address_of_its_own_keeps_it() -> None:
    files = replace(ROOMS, binding=request(ROOMS, base_url="https://files.example"))
    assert _places(joined([desk(LIST), _chat(files)]))["list_rooms"] == "https://files.example"


def test_a_document_without_an_address_goes_where_the_first_that_has_one_does() -> None:
    catalog = joined([replace(desk(LIST), base_url=""), _chat(ROOMS)])
    assert catalog.base_url == CHAT
    assert set(_places(catalog).values()) == {""}


def test_one_name_in_two_documents_is_told_apart_by_the_later_one_s_title() -> None:
    catalog = joined([desk(LIST, GET), _chat(LIST, ROOMS)])
    assert list(_places(catalog)) == ["list_tickets", "get_ticket", "list_tickets_desk_chat", "list_rooms"]


def test_documents_of_one_title_are_told_apart_by_numbers() -> None:
    third = "https://third.desk.example"
    catalog = joined([desk(LIST), replace(_chat(LIST), title=""), replace(_chat(LIST, base_url=third), title="")])
    assert _places(catalog) == {"list_tickets": "", "list_tickets_2": CHAT, "list_tickets_3": third}


def test_a_document_that_is_added_at_the_end_renames_nothing(acme: Organization) -> None:
    bring_in(acme, joined([desk(LIST), _chat(LIST)]))
    third = replace(_chat(LIST, base_url="https://third.desk.example"), title="Third")
    report = bring_in(acme, joined([desk(LIST), _chat(LIST), third]))
    assert (report.added, report.renamed, report.changed) == (("list_tickets_third",), (), ())


def test_an_operation_that_two_documents_have_comes_once(acme: Organization) -> None:
    catalog = joined([desk(LIST, GET), _chat(replace(LIST, operation="again"), ROOMS, base_url=DESK.base_url)])
    assert list(_places(catalog)) == ["list_tickets", "get_ticket", "list_rooms"]
    assert [(it.operation, it.reason) for it in catalog.skipped] == [("again", "an earlier document has it")]


def test_what_all_of_them_say_is_kept_once() -> None:
    key = AuthScheme(kind=AuthKind.API_KEY_QUERY, name="key", parameter="key")
    first = replace(desk(LIST), notes=("one",))
    second = replace(_chat(ROOMS), notes=("one", "two"), auth_schemes=(key, *DESK.auth_schemes))
    catalog = joined([first, second])
    assert catalog.notes == ("one", "two")
    assert catalog.auth_schemes == (*DESK.auth_schemes, key)


def test_the_other_documents_hosts_are_declared_by_the_first_import(acme: Organization) -> None:
    bring_in(acme, joined([desk(LIST), _chat(ROOMS)]))
    assert Connector.objects.get().hosts == ["chat.desk.example"]


def test_with_one_in_our_own_format_its_hosts_count_and_those_of_the_others_do_too() -> None:
    own = replace(desk(LIST), hosts=("files.example",))
    assert joined([own, _chat(ROOMS)]).hosts == ("chat.desk.example", "files.example")


def test_a_remote_server_is_joined_with_nothing() -> None:
    with pytest.raises(CatalogError, match="Only documents of HTTP APIs can be joined"):
        joined([DESK, replace(DESK, kind="mcp")])


def test_the_command_takes_several_files(acme: Organization, tmp_path: Path) -> None:
    files = []
    for number, (name, tool) in enumerate({"desk.example": "listTickets", "chat.desk.example": "listRooms"}.items()):
        path = tmp_path / f"{number}.json"
        paths = {f"/{tool}": {"get": {"operationId": tool}}}
        path.write_text(json.dumps(document(paths, servers=[{"url": f"https://{name}"}])))
        files.append(str(path))
    out = StringIO()
    call_command("import_catalog", *files, "--slug=desk", "--label=Desk", "--json", stdout=out, stderr=StringIO())
    assert json.loads(out.getvalue())["added"] == ["list_rooms", "list_tickets"]
    connector = Connector.objects.get()
    assert (connector.base_url, connector.catalog_url) == ("https://desk.example", "")
    assert connector.tools.get(name="list_rooms").binding["base_url"] == "https://chat.desk.example"


def test_a_document_of_a_vendor_has_to_be_given_a_slug_and_a_label(acme: Organization, tmp_path: Path) -> None:
    path = tmp_path / "desk.json"
    path.write_text(json.dumps(document({"/x": {"get": {}}}, servers=[{"url": "https://desk.example"}])))
    with pytest.raises(CommandError, match=r"^Say what to call the connector: --slug and --label\.$"):
        call_command("import_catalog", str(path))
    with pytest.raises(CommandError, match=r"^Say what to call the connector: --label\.$"):
        call_command("import_catalog", str(path), "--slug=desk")
    assert not Connector.objects.exists()
