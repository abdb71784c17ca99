"""Remote MCP servers through the import page: read once, shown, and imported as they were shown."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accesscontrol.models import AuditEvent, Member, Surface
from connectors.catalog.mcp import refreshing
from connectors.models import Connector, PendingImport
from connectors.services import forks
from tests.connectors.mcp.server import Scripted

IMPORT = "/admin/connectors/connector/import/"


@pytest.fixture
def client(alice: Member) -> Client:
    client = Client()
    client.force_login(alice.user)
    return client


def propose(client: Client, alice: Member, **given: Any) -> Any:
    return client.post(
        IMPORT, {"organization": str(alice.organization_id), "slug": "hand", "label": "Hand", "documents": [], **given}
    )


def test_a_server_is_imported_as_it_was_shown(scripted: Scripted, client: Client, alice: Member) -> None:
    shown = propose(client, alice, server=scripted.endpoint)
    assert "1 added" in shown.content.decode()
    scripted.routes.clear()
    page = reverse("admin:connectors_connector_import_preview", args=[shown.context["pending"].pk])
    done = client.post(page, {"seen": shown.context["seen"]}, follow=True)
    assert "Hand was imported: 1 added" in done.content.decode()
    made = Connector.objects.get()
    assert (made.kind, made.base_url, made.catalog_url) == ("mcp", scripted.endpoint, scripted.endpoint)
    assert [tool.binding["kind"] for tool in made.tools.all()] == ["mcp"]
    again = client.get(reverse("admin:connectors_connector_reimport", args=[made.pk])).content.decode()
    assert scripted.endpoint in again


def test_what_cannot_be_read_or_is_two_things_is_told_in_the_form(
    scripted: Scripted, client: Client, alice: Member
) -> None:
    both = propose(client, alice, server=scripted.endpoint, url="https://desk.example/openapi.json")
    assert "a connector of its own" in both.content.decode()
    scripted.routes.clear()
    assert "cannot be read" in propose(client, alice, server=scripted.endpoint).content.decode()
    assert not PendingImport.objects.exists()


def test_a_fork_of_a_server_is_not_read_again_by_itself(scripted: Scripted, client: Client, alice: Member) -> None:
    shown = propose(client, alice, server=scripted.endpoint)
    page = reverse("admin:connectors_connector_import_preview", args=[shown.context["pending"].pk])
    client.post(page, {"seen": shown.context["seen"]})
    made = forks.fork(connector=Connector.objects.get(), slug="foot", label="Foot", surface=Surface.SYSTEM)
    refreshing.refresh(made.pk)
    assert not AuditEvent.objects.filter(action="connector.refresh").exists()
