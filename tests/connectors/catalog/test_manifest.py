"""Our own catalog format: written by `export_catalog`, read by `import_catalog`, trusted by neither."""

import json
from collections.abc import Callable
from dataclasses import fields, replace
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from django.core.management import CommandError, call_command
from django.test import Client

from accesscontrol.models import Member, Organization
from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.binding import Binding, Body, Encoding, Parameter
from connectors.catalog.document import CatalogError
from connectors.catalog.manifest import write_manifest
from connectors.catalog.manifest.published import schema
from connectors.catalog.reading import read_catalog
from connectors.mcp_binding import McpBinding
from connectors.models import Connector, OAuthApp, Tool
from tests import cast
from tests.connectors.catalog.desk import DESK, LIST, bring_in, desk, others, request
from tests.connectors.catalog.documents import document

KEY = AuthScheme(kind=AuthKind.API_KEY_HEADER, name="key", parameter="X-Key")
RICH = replace(
    desk(
        replace(LIST, deprecated=True, binding=request(LIST, base_url="https://files.desk.example/v1")),
        *others(LIST),
    ),
    auth_schemes=(*DESK.auth_schemes, KEY),
    aliases=("Help desk",),
)

type Node = dict[str, Any]


def _rich(home: Organization) -> Connector:
    bring_in(home, RICH)
    connector = Connector.objects.get(organization=home)
    connector.auth = KEY.to_json()
    connector.save()
    return connector


def _export(*arguments: str) -> str:
    out = StringIO()
    call_command("export_catalog", "desk", *arguments, stdout=out)
    return out.getvalue()


def _import(file: Path, text: str, *arguments: str) -> Node:
    file.write_text(text)
    out = StringIO()
    call_command("import_catalog", str(file), "--json", *arguments, stdout=out, stderr=StringIO())
    report: Node = json.loads(out.getvalue())
    return report


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "catalog.json"


@pytest.fixture
def umbrella(db: None) -> Organization:
    return cast.organization("umbrella")


class TestTheRoundTrip:
    def test_an_export_imported_elsewhere_is_exported_there_as_the_same_bytes(
        self, acme: Organization, umbrella: Organization, file: Path
    ) -> None:
        _rich(acme)
        text = _export("--organization=acme")
        _import(file, text, "--organization=umbrella")
        assert _export("--organization=umbrella") == text

    def test_it_carries_the_connector_and_its_tools_whole(
        self, acme: Organization, umbrella: Organization, file: Path
    ) -> None:
        origin = _rich(acme)
        _import(file, _export("--organization=acme"), "--organization=umbrella")
        copy = Connector.objects.get(organization=umbrella)
        for field in ("slug", "label", "aliases", "kind", "base_url", "hosts"):
            assert getattr(copy, field) == getattr(origin, field), field
        assert copy.auth_scheme == KEY
        assert {it["name"] for it in copy.auth_schemes} == {"key", "token"}
        facts = ("name", "operation", "description", "input_schema", "annotations", "binding", "deprecated")
        assert list(copy.tools.values(*facts)) == list(origin.tools.values(*facts))

    def test_imported_over_its_origin_it_changes_no_tool(self, acme: Organization, file: Path) -> None:
        _rich(acme)
        report = _import(file, _export())
        assert (report["added"], report["changed"], report["removed"], report["renamed"]) == ([], [], [], [])
        assert len(report["unchanged"]) == 4

    def test_a_host_that_was_not_admitted_is_not_admitted_elsewhere(
        self, acme: Organization, umbrella: Organization, file: Path
    ) -> None:
        bring_in(acme)
        bring_in(acme, RICH)
        _import(file, _export("--organization=acme"), "--organization=umbrella")
        assert Connector.objects.get(organization=umbrella).hosts == []

    def test_tools_of_remote_servers_keep_how_they_are_called(
        self, acme: Organization, umbrella: Organization, file: Path
    ) -> None:
        tool = replace(LIST, binding=McpBinding(tool="List-Tickets", protocol_version="2025-11-25"))
        bring_in(acme, replace(desk(tool), kind="mcp"))
        text = _export("--organization=acme")
        _import(file, text, "--organization=umbrella")
        assert Connector.objects.get(organization=umbrella).kind == "mcp"
        assert McpBinding.from_json(Tool.objects.of(umbrella).get().binding) == tool.binding
        assert _export("--organization=umbrella") == text

    def test_it_may_be_given_another_name_on_import(self, acme: Organization, file: Path) -> None:
        bring_in(acme)
        report = _import(file, _export(), "--slug=helpdesk", "--label=Helpdesk")
        assert report["connector"] == "helpdesk"
        assert Connector.objects.get(slug="helpdesk").label == "Helpdesk"

    def test_it_may_be_yaml(self, acme: Organization, umbrella: Organization, file: Path) -> None:
        bring_in(acme)
        text = _export("--organization=acme")
        _import(file, yaml.safe_dump(json.loads(text), sort_keys=False), "--organization=umbrella")
        assert _export("--organization=umbrella") == text


def test_an_export_holds_no_secret_and_nothing_of_who_uses_it(acme: Organization, bob: Member) -> None:
    bring_in(acme, catalog_url="https://desk.example/openapi.json?token=secret-of-the-url")
    connector = Connector.objects.get()
    cast.connection(bob, connector, "Bobs-account", credential={"token": "secret-of-bob"})
    OAuthApp.objects.create(connector=connector, client_id="client-of-acme", client_secret={"secret": "secret-of-app"})
    Tool.objects.filter(name="list_tickets").update(enabled=False)
    text = _export()
    assert "secret" not in text
    for word in ("Bobs-account", "client-of-acme", "openapi.json", "enabled"):
        assert word not in text


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ({"base_url": "https://user:hunter2@desk.example"}, "/connector/base_url"),
        ({"base_url": "https://desk.example/?key=hunter2"}, "/connector/base_url"),
        ({"hosts": ["user:hunter2@files.example"]}, "/connector/hosts/0"),
    ],
)
def test_what_could_hold_a_password_is_not_exported(acme: Organization, values: Node, place: str) -> None:
    bring_in(acme)
    Connector.objects.update(**values)
    with pytest.raises(CommandError, match=rf"^The catalog is not valid at {place}: ") as raised:
        _export()
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(
    "auth", [{"kind": "bearer", "token": "hunter2"}, {"kind": "hunter2"}, {"parameter": "hunter2"}]
)
def test_a_scheme_that_cannot_be_read_is_not_exported(acme: Organization, auth: Node) -> None:
    bring_in(acme)
    Connector.objects.update(auth=auth)
    with pytest.raises(CommandError, match=r"^How Desk authenticates cannot be read; correct it in the admin\.$"):
        _export()


def test_a_connector_that_is_not_there_is_one_clear_line(acme: Organization) -> None:
    with pytest.raises(CommandError, match=r"^There is no connector 'desk'; there are: none\.$"):
        _export()
    cast.connector(acme)
    with pytest.raises(CommandError, match=r"^There is no connector 'desk'; there are: notion\.$"):
        _export()


class TestThePublishedSchema:
    def test_is_served_to_everybody(self, client: Client) -> None:
        response = client.get("/schemas/catalog-1.json")
        assert response.status_code == 200
        assert response["Content-Type"] == "application/schema+json"
        assert response.json() == schema()
        assert client.post("/schemas/catalog-1.json").status_code == 405

    def test_is_one_and_admits_what_is_exported(self, acme: Organization) -> None:
        assert jsonschema_rs.meta.is_valid(schema())
        assert jsonschema_rs.Draft202012Validator(schema()).is_valid(json.loads(write_manifest(_rich(acme))))

    @pytest.mark.parametrize(
        ("definition", "model"),
        [
            ("auth_scheme", AuthScheme),
            ("http", Binding),
            ("parameter", Parameter),
            ("body", Body),
            ("encoding", Encoding),
            ("mcp", McpBinding),
        ],
    )
    def test_knows_all_that_is_stored(self, definition: str, model: Any) -> None:
        assert set(schema()["$defs"][definition]["properties"]) == {field.name for field in fields(model)}

    def test_knows_every_way_to_authenticate(self) -> None:
        assert set(schema()["$defs"]["auth_scheme"]["properties"]["kind"]["enum"]) == set(AuthKind)


def _manifest() -> Node:
    """The least that can be said, once of each."""
    return {
        "elaichi_catalog": 1,
        "connector": {"slug": "desk", "label": "Desk", "kind": "openapi", "base_url": "https://desk.example"},
        "tools": [
            {
                "name": "update_ticket",
                "operation": "updateTicket",
                "description": "",
                "annotations": dict(LIST.annotations),
                "input_schema": {"type": "object", "properties": {"id": {}, "title": {}, "verbose": {}}},
                "binding": {
                    "method": "PUT",
                    "path": "/tickets/{id}",
                    "parameters": [_parameter("id", "path"), _parameter("verbose", "header")],
                    "body": {
                        "media_type": "multipart/form-data",
                        "required": True,
                        "properties": [["title", "title"]],
                        "encodings": [{"name": "title"}],
                    },
                },
            }
        ],
    }


def _parameter(name: str, location: str) -> Node:
    return {"argument": name, "name": name, "location": location, "style": "simple", "explode": False}


def _read(manifest: Node) -> Any:
    return read_catalog(json.dumps(manifest).encode(), source="catalog.json")


def test_what_may_be_left_out_has_its_defaults() -> None:
    (tool,) = _read(_manifest()).tools
    assert tool.deprecated is False
    assert tool.binding.base_url == ""
    assert tool.binding.body == Body(
        media_type="multipart/form-data",
        required=True,
        properties=(("title", "title"),),
        encodings=(Encoding(name="title"),),
    )


def _at(*path: str | int, value: Any) -> Callable[[Node], None]:
    def change(manifest: Node) -> None:
        node: Any = manifest
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = value

    change.__name__ = "/".join(map(str, path))
    return change


TOOL = ("tools", 0)
BINDING = (*TOOL, "binding")
SCHEMA = (*TOOL, "input_schema")
BAD: list[tuple[Callable[[Node], None], str]] = [
    (_at("elaichi_catalog", value=2), r"Catalogs of version 2 cannot be read here; version 1 can\."),
    (_at("elaichi_catalog", value=True), r"Catalogs of version True cannot be read here; version 1 can\."),
    (_at("credentials", value={}), r"/credentials: the format knows no such member"),
    (_at("tools", value={}), r"/tools: must be array"),
    (_at("connector", "slug", value="Not A Slug"), r"/connector/slug: must match the pattern"),
    (_at("connector", "kind", value="soap"), r'/connector/kind: must be one of "openapi", "mcp"'),
    (_at("connector", "base_url", value="file:///etc/passwd"), r"/connector/base_url: must match the pattern"),
    (_at("connector", "base_url", value="https://a@b.example"), r"/connector/base_url: must match the pattern"),
    (_at("connector", "hosts", value=["https://b.example"]), r"/connector/hosts/0: must match the pattern"),
    (_at("connector", "auth_schemes", value=[{"kind": "magic"}]), r"/connector/auth_schemes/0/kind: must be one of"),
    (
        _at("connector", "auth_schemes", value=[{"kind": "bearer", "token": "x"}]),
        r"/connector/auth_schemes/0/token: the format knows no such member",
    ),
    (_at(*TOOL, "name", value="Update ticket"), r"/tools/0/name: must match the pattern"),
    (_at(*TOOL, "annotations", value={}), r"/tools/0/annotations/title: is required"),
    (_at(*TOOL, "enabled", value=True), r"/tools/0/enabled: the format knows no such"),
    (_at(*SCHEMA, "type", value="array"), r'/tools/0/input_schema/type: must be "object"'),
    (
        _at(*SCHEMA, "properties", "id", value={"type": "nonsense"}),
        r"/tools/0/input_schema: its input schema is not valid",
    ),
    (
        _at(*SCHEMA, "properties", "id", value={"$ref": "https://evil.example/x.json"}),
        r"/tools/0/input_schema: it refers to https://evil\.example/x\.json, which is outside of it",
    ),
    (
        _at(*SCHEMA, "properties", "id", value={"$ref": "https://json-schema.org/draft/2020-12/schema"}),
        r"/tools/0/input_schema: it refers to https://json-schema\.org",
    ),
    (
        _at(*SCHEMA, "properties", "id", value={"anyOf": [{"$dynamicRef": "other.json#x"}]}),
        r"/tools/0/input_schema: it refers to other\.json#x",
    ),
    (_at(*SCHEMA, "properties", "id", value={"$ref": "#/nowhere"}), r"/tools/0/input_schema: its input schema"),
    (_at(*BINDING, "method", value="BREW"), r"/tools/0/binding/method: must be one of"),
    (_at(*BINDING, "path", value="tickets/{id}"), r"/tools/0/binding/path: must match the pattern"),
    (_at(*BINDING, "path", value="/tickets"), r"/tools/0/binding/path: its placeholders are not its parameters"),
    (_at(*BINDING, "base_url", value="//evil.example"), r"/tools/0/binding/base_url: "),
    (_at(*BINDING, "parameters", 0, "location", value="body"), r"/binding/parameters/0/location: must be one of"),
    (_at(*BINDING, "parameters", 0, "argument", value="nothing"), r"/tools/0/binding: the argument \w+ must be in"),
    (_at(*BINDING, "parameters", 0, "argument", value="title"), r"/tools/0/binding: the argument \w+ must be in"),
    (_at(*BINDING, "body", "files", value=["id"]), r"/tools/0/binding/body/files: id is no argument of the body"),
    (_at(*BINDING, "body", "properties", value=[["title"]]), r"/tools/0/binding/body/properties/0: "),
    (_at(*BINDING, "headers", value=[["Authorization", "x"]]), r"the header Authorization is not for a catalog"),
    (_at(*BINDING, "headers", value=[["X-Version", "1\r\nCookie: x"]]), r"/tools/0/binding/headers/0/1: must match"),
    (_at(*BINDING, "parameters", 1, "name", value="cookie"), r"the header cookie is not for a catalog to set"),
    (_at(*BINDING, value={"kind": "mcp", "tool": "x"}), r"/tools/0/binding: it is for a connector of another kind"),
    (_at(*BINDING, value={"kind": "soap"}), r"/tools/0/binding/(tool|kind): "),
]


@pytest.mark.parametrize(("spoil", "message"), BAD, ids=[f"{number}-{it[0].__name__}" for number, it in enumerate(BAD)])
def test_what_does_not_hold_is_refused_with_its_place(spoil: Callable[[Node], None], message: str) -> None:
    manifest = _manifest()
    spoil(manifest)
    with pytest.raises(CatalogError, match=message):
        _read(manifest)


def test_two_tools_of_one_name_are_refused() -> None:
    manifest = _manifest()
    manifest["tools"] *= 2
    with pytest.raises(CatalogError, match=r"at /tools/1/name: there is another tool update_ticket\."):
        _read(manifest)


def test_a_reference_among_values_is_none() -> None:
    manifest = _manifest()
    manifest["tools"][0]["input_schema"]["properties"]["id"] = {"examples": [{"$ref": "https://x.example"}]}
    assert _read(manifest).tools


def test_a_document_with_another_format_s_name_is_read_as_that() -> None:
    paths = {"/tickets": {"get": {"operationId": "listTickets"}}}
    catalog = _read(document(paths, servers=[{"url": "https://desk.example"}]))
    assert [tool.name for tool in catalog.tools] == ["list_tickets"]
