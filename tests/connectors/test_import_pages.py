"""Importing from the connector pages: what it would do is shown first, and exactly that is done."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accesscontrol.exceptions import PermissionRequired
from accesscontrol.models import AuditEvent, Member, Organization, Restriction, Surface
from accesscontrol.services import memberships, restrictions
from connectors.catalog.importer import import_catalog
from connectors.catalog.manifest import write_manifest
from connectors.catalog.openapi import read_openapi
from connectors.models import Connector, PendingImport
from connectors.services import imports
from elaichi.sandbox.document import Document
from tests import cast

IMPORT = "/admin/connectors/connector/import/"


@pytest.fixture
def client(alice: Member) -> Client:
    return signed_in(alice)


def signed_in(member: Member) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def document(*paths: str) -> dict[str, Any]:
    operations = {path: {"get": {"operationId": f"list{path[1:].title()}", "responses": {}}} for path in paths}
    return {"openapi": "3.1.0", "servers": [{"url": "https://api.desk.example"}], "paths": operations}


def uploaded(content: Any, name: str = "desk.json") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content if isinstance(content, bytes) else json.dumps(content).encode())


def form(organization: Organization, *documents: Any, **given: Any) -> dict[str, Any]:
    files = [uploaded(one, f"{number}.json") for number, one in enumerate(documents)]
    return {"organization": str(organization.pk), "slug": "desk", "label": "Desk", "documents": files, **given}


def imported(home: Organization, *paths: str) -> Connector:
    catalog = read_openapi(json.dumps(document(*paths)).encode(), source="desk.json")
    import_catalog(organization=home, catalog=catalog, slug="desk", label="Desk", surface=Surface.SYSTEM)
    return Connector.objects.get(organization=home, slug="desk")


def names(home: Organization) -> list[str]:
    return [tool.name for tool in Connector.objects.get(organization=home, slug="desk").tools.all()]


def apply(client: Client, shown: Any, **given: str) -> Any:
    url = reverse("admin:connectors_connector_import_preview", args=[shown.context["pending"].pk])
    return client.post(url, {"seen": shown.context["seen"], **given}, follow=True)


def test_a_new_connector_is_shown_first_and_then_imported(client: Client, alice: Member) -> None:
    home = alice.organization
    shown = client.post(IMPORT, form(home, document("/tickets", "/people")))
    said = shown.content.decode()
    assert "new connector desk" in said
    assert "list_people" in said
    assert "2 added" in said
    assert not Connector.objects.exists()
    done = apply(client, shown)
    assert "Desk was imported: 2 added" in done.content.decode()
    assert names(home) == ["list_people", "list_tickets"]
    event = AuditEvent.objects.get(action="connector.import")
    assert (event.actor, event.surface) == (alice, "admin")
    assert not PendingImport.objects.exists()


def test_a_renewed_catalog_shows_what_changes_and_who_would_miss_what_goes(client: Client, alice: Member) -> None:
    home = alice.organization
    connector = imported(home, "/tickets", "/people", "/teams")
    rule = restrictions.create(
        subject=alice.role, mode=Restriction.Mode.BLOCK, tools=["desk.list_people"], surface=Surface.SYSTEM
    )
    renewed = document("/tickets", "/teams", "/rooms")
    renewed["paths"]["/tickets"]["get"]["deprecated"] = True
    renewed["paths"]["/bad"] = {"get": "no operation"}
    page = reverse("admin:connectors_connector_reimport", args=[connector.pk])
    said = client.post(page, form(home, renewed)).content.decode()
    for part in (f"rule {rule.pk}", "now deprecated", "list_rooms", "the operation is no mapping", "renews the"):
        assert part in said


def test_what_would_empty_a_connector_takes_a_tick(client: Client, alice: Member) -> None:
    home = alice.organization
    imported(home, "/tickets", "/people", "/teams")
    shown = client.post(IMPORT, form(home, document("/tickets")))
    assert "more than half" in shown.content.decode()
    assert "would remove 2" in apply(client, shown).content.decode()
    assert len(names(home)) == 3
    apply(client, shown, force="on")
    assert names(home) == ["list_tickets"]


def test_what_has_changed_since_it_was_shown_is_not_done(client: Client, alice: Member) -> None:
    home = alice.organization
    shown = client.post(IMPORT, form(home, document("/tickets", "/people")))
    imported(home, "/tickets")
    again = apply(client, shown)
    assert "has changed since you looked" in again.content.decode()
    assert names(home) == ["list_tickets"]
    apply(client, again)
    assert names(home) == ["list_people", "list_tickets"]


def test_several_files_of_one_product_become_one_connector(client: Client, alice: Member) -> None:
    home = alice.organization
    second = document("/rooms") | {"servers": [{"url": "https://rooms.desk.example"}]}
    apply(client, client.post(IMPORT, form(home, document("/tickets"), second)))
    assert names(home) == ["list_rooms", "list_tickets"]
    connector = Connector.objects.get()
    assert (connector.base_url, connector.hosts) == ("https://api.desk.example", ["rooms.desk.example"])


def test_an_exported_catalog_says_itself_what_it_is_called(client: Client, alice: Member, charlie: Member) -> None:
    exported = write_manifest(imported(charlie.organization, "/tickets", "/people"))
    given = form(alice.organization, slug="", label="") | {"documents": [uploaded(exported.encode())]}
    apply(client, client.post(IMPORT, given))
    assert names(alice.organization) == ["list_people", "list_tickets"]


def test_a_url_is_fetched_once_and_kept_for_the_next_time(client: Client, alice: Member, sandbox: str) -> None:
    url = f"{sandbox}/deskline/openapi.json"
    shown = client.post(IMPORT, form(alice.organization, url=url))
    apply(client, shown)
    connector = Connector.objects.get()
    assert connector.catalog_url == url
    again = client.get(reverse("admin:connectors_connector_reimport", args=[connector.pk])).content.decode()
    assert url in again


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "Choose a file, or give a URL."),
        ({"documents": [uploaded(document("/x"))], "slug": ""}, "give a slug and a label"),
        ({"documents": [uploaded(b"{}")]}, "no `openapi` version"),
        ({"documents": [uploaded(b"\x00\xff")]}, "The document"),
        ({"documents": [uploaded(document("/x"))], "slug": "Not a slug"}, "slug is not valid"),
        ({"documents": [uploaded(document("/x"))], "base_url": "nonsense"}, "Enter a valid URL"),
        ({"url": "http://127.0.0.1:9/openapi.json"}, "cannot be fetched"),
        ({"url": "file:///etc/passwd"}, "Enter a valid URL"),
        ({"url": "ftp://example.com/x"}, "https://"),
    ],
)
def test_what_cannot_be_imported_is_told_in_the_form(
    client: Client, alice: Member, given: dict[str, Any], said: str
) -> None:
    response = client.post(IMPORT, {**form(alice.organization), "documents": [], **given})
    assert response.status_code == 200
    assert said in response.content.decode()
    assert not PendingImport.objects.exists()


def test_only_who_manages_connectors_imports_and_only_into_their_own_organization(
    client: Client, alice: Member, charlie: Member
) -> None:
    guest = signed_in(cast.member(alice.organization, "gus", "auditor", staff=True))
    assert guest.get(IMPORT).status_code == 403
    refused = client.post(IMPORT, form(charlie.organization, document("/tickets")))
    assert "Select a valid choice" in refused.content.decode()
    foreign = imported(charlie.organization, "/tickets")
    assert client.get(reverse("admin:connectors_connector_reimport", args=[foreign.pk])).status_code == 404


def test_what_one_was_shown_nobody_else_imports_and_not_for_longer_than_it_is_kept(
    client: Client, alice: Member
) -> None:
    shown = client.post(IMPORT, form(alice.organization, document("/tickets")))
    pending = PendingImport.objects.get()
    page = reverse("admin:connectors_connector_import_preview", args=[pending.pk])
    assert client.get(page).status_code == 200
    other = signed_in(cast.member(alice.organization, "otto", "org-admin", staff=True))
    assert other.get(page).status_code == 404
    assert other.post(page, {"seen": shown.context["seen"]}).status_code == 404
    PendingImport.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.post(page, {"seen": shown.context["seen"]}).status_code == 404
    client.post(IMPORT, form(alice.organization, document("/tickets")))
    assert not PendingImport.objects.filter(pk=pending.pk).exists()


def test_somebody_demoted_since_the_preview_imports_nothing(client: Client, alice: Member) -> None:
    cast.member(alice.organization, "bea", "org-owner")
    shown = client.post(IMPORT, form(alice.organization, document("/tickets")))
    auditor = alice.organization.roles.get(slug="auditor")
    memberships.change_role(member=alice, role=auditor, surface=Surface.SYSTEM)
    assert apply(client, shown).status_code == 404
    assert not Connector.objects.exists()


def test_the_service_asks_for_the_permission_again(client: Client, alice: Member, bob: Member) -> None:
    shown = client.post(IMPORT, form(alice.organization, document("/tickets")))
    pending = PendingImport.objects.get()
    with pytest.raises(PermissionRequired, match="connector:manage"):
        imports.apply(pending=pending, seen=shown.context["seen"], surface=Surface.ADMIN, actor=bob)
    assert not Connector.objects.exists()


def test_the_pages_need_no_script_of_their_own(client: Client, alice: Member) -> None:
    shown = client.post(IMPORT, form(alice.organization, Document("deskline", "http://127.0.0.1:9").content))
    body = shown.content.decode().split('id="content"')[1]
    assert "<script" not in body
