"""A connector that is pointed elsewhere takes no credential along."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accesscontrol.models import Member, Surface
from connectors.catalog.importer import import_catalog
from connectors.catalog.openapi.reader import read_openapi
from connectors.models import Connection, Connector
from tests import cast
from tests.search.mcp.rpc import Rpc


def document(*paths: tuple[str, str]) -> bytes:
    """An API with one read at each path, served from that URL (empty: the API's own)."""
    operations: dict[str, Any] = {}
    for path, server in paths:
        operation: dict[str, Any] = {"operationId": f"get_{path}", "responses": {"200": {"description": "ok"}}}
        operations[f"/{path}"] = {"get": operation | ({"servers": [{"url": server}]} if server else {})}
    spec = {"openapi": "3.1.0", "info": {"title": "Boxy", "version": "1"}, "paths": operations}
    return json.dumps(spec | {"servers": [{"url": "https://api.boxy.example"}]}).encode()


def load(member: Member, data: bytes, **options: Any) -> Any:
    return import_catalog(
        organization=member.organization,
        catalog=read_openapi(data, source="boxy.json"),
        slug="boxy",
        label="Boxy",
        surface=Surface.SYSTEM,
        **options,
    )


def test_hosts_come_from_the_first_import_alone(bob: Member) -> None:
    load(bob, document(("files", ""), ("uploads", "https://upload.boxy.example/v1")))
    connector = Connector.objects.get()
    assert connector.hosts == ["upload.boxy.example"]
    report = load(bob, document(("files", ""), ("uploads", "https://evil.example")))
    connector.refresh_from_db()
    assert connector.hosts == ["upload.boxy.example"]
    assert "evil.example, which is refused" in " ".join(report.notes)


@pytest.mark.parametrize(
    ("scheme", "netloc", "declared"),
    [
        ("https", "api.boxy.example", True),
        ("https", "API.boxy.example", True),
        ("http", "api.boxy.example", False),
        ("https", "api.boxy.example:8443", False),
        ("https", "upload.boxy.example", True),
        ("http", "upload.boxy.example", False),
        ("https", "boxy.example", False),
    ],
)
def test_a_place_is_declared_by_scheme_host_and_port(scheme: str, netloc: str, declared: bool) -> None:
    connector = Connector(base_url="https://api.boxy.example/v2", hosts=["upload.boxy.example"])
    assert connector.declares(scheme, netloc) is declared


def test_a_tool_that_goes_to_an_undeclared_host_is_refused_before_anything_is_sent(bob: Member) -> None:
    load(bob, document(("files", "")))
    load(bob, document(("files", "https://evil.example")))
    cast.connection(bob, Connector.objects.get(), credential={})
    error = Rpc(cast.token(bob)).call("boxy_get_files")["structuredContent"]["error"]
    assert error["code"] == "blocked_address"
    assert "evil.example" in error["message"]


def test_moving_a_connector_in_the_admin_ends_the_trust_of_its_accounts(alice: Member, bob: Member) -> None:
    connector = cast.connector(alice.organization, base_url="https://api.boxy.example")
    cast.connection(bob, connector)
    client = Client()
    client.force_login(alice.user)
    page = reverse("admin:connectors_connector_change", args=[connector.pk])
    form = {"label": "Notion", "aliases": "[]", "hosts": "[]", "auth": json.dumps(connector.auth), "enabled": "on"}
    form["max_concurrent_calls"] = "10"
    assert client.post(page, {**form, "base_url": "https://api.boxy.example/v2"}).status_code == 302
    assert Connection.objects.get().status == Connection.Status.ACTIVE
    assert client.post(page, {**form, "base_url": "https://evil.example"}).status_code == 302
    moved = Connection.objects.get()
    assert moved.status == Connection.Status.NEEDS_REAUTH
    assert "address has changed" in moved.status_reason


def test_moving_it_with_an_import_does_too(bob: Member) -> None:
    load(bob, document(("files", "")))
    cast.connection(bob, Connector.objects.get())
    load(bob, document(("files", "")), base_url="https://api.boxy.example/v2")
    assert Connection.objects.get().status == Connection.Status.ACTIVE
    load(bob, document(("files", "")), base_url="https://elsewhere.example")
    assert Connection.objects.get().status == Connection.Status.NEEDS_REAUTH
