"""Whoever runs the server saves models in the admin as anybody else does: through the services, never bare."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accesscontrol.exceptions import InvalidToken
from accesscontrol.models import AuditEvent, Grant, Member, Restriction, Role, Surface, User
from accesscontrol.services import grants, restrictions, roles
from tests import cast


@pytest.fixture
def root(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root@server.example", cast.PASSWORD))
    return client


def save(client: Client, row: Any, **form: Any) -> None:
    page = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
    response = client.post(page, form)
    assert response.status_code == 302, response.context["errors"]


def forms(bob: Member) -> dict[str, tuple[Any, dict[str, Any]]]:
    """A row of each kind that decides what members reach, and a form that changes it."""
    home = bob.organization
    connector = cast.connector(home, base_url="https://notion.example")
    tool = cast.tool(connector, "create_page", "Create a page")
    rule = restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, connectors=["notion"], surface=Surface.SYSTEM)
    custom = roles.create(
        organization=home, slug="helper", label="Helper", permissions=["tool:execute"], surface=Surface.SYSTEM
    )
    return {
        "connector": (
            connector,
            {
                "label": "Notion",
                "aliases": "[]",
                "hosts": "[]",
                "base_url": connector.base_url,
                "max_concurrent_calls": "10",
                "auth": json.dumps(connector.auth),
            },
        ),
        "tool": (tool, {"description": "Makes a page"}),
        "restriction": (
            rule,
            {
                "organization": str(home.pk),
                "member": str(bob.pk),
                "mode": "block",
                "connectors": "xero",
                "tools": "",
                "note": "",
            },
        ),
        "role": (custom, {"organization": str(home.pk), "label": "Helpers", "slug": "helper", "permissions": []}),
        "member": (bob, {"role": str(Role.objects.get(organization=home, slug="guest").pk)}),
    }


@pytest.mark.parametrize("kind", ["connector", "tool", "restriction", "role", "member"])
def test_a_save_bumps_the_version(root: Client, bob: Member, kind: str) -> None:
    row, form = forms(bob)[kind]
    bob.organization.refresh_from_db()
    before = bob.organization.version
    save(root, row, **form)
    bob.organization.refresh_from_db()
    assert bob.organization.version > before


def test_removing_a_member_there_revokes_their_grants(root: Client, bob: Member) -> None:
    token = cast.token(bob)
    save(root, bob, role=str(bob.role_id), remove_member="on")
    with pytest.raises(InvalidToken):
        grants.authenticate(token)
    assert not Grant.objects.filter(member=bob, revoked_at__isnull=True).exists()


def test_closing_an_account_ends_its_grants_for_good(root: Client, bob: Member) -> None:
    token = cast.token(bob)
    page = {"email": bob.user.email, "name": "Bob"}
    save(root, bob.user, **page)
    assert not User.objects.get(pk=bob.user_id).is_active
    assert AuditEvent.objects.get(action="member.close_account").detail["grants_revoked"] == 1
    save(root, bob.user, **page, is_active="on")
    assert User.objects.get(pk=bob.user_id).is_active
    with pytest.raises(InvalidToken):
        grants.authenticate(token)
