"""The admin: an administrator manages their own organization, and meets nobody else's."""

from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from accesscontrol.models import AuditEvent, Grant, Member, Restriction, Surface, User
from accesscontrol.services import access_requests, invitations, restrictions
from connectors.models import Connection, Connector, OAuthApp, Tool
from tests import cast
from tests.connectors.toolboxes import toolbox

TENANT_MODELS = [model for model in admin.site._registry if model._meta.app_label in ("accesscontrol", "connectors")]
TENANT_MODELS.remove(User)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page(model: Any, name: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}", args=args)


@pytest.fixture
def everything(alice: Member, charlie: Member) -> None:
    """One row of every model in each organization."""
    for owner in (alice, charlie):
        connector = cast.connector(owner.organization)
        cast.tool(connector, "create_page", "Create a page")
        cast.connection(owner, connector)
        OAuthApp.objects.create(connector=connector, client_id=f"{owner.organization.slug}-client")
        cast.token(owner)
        cast.team(owner.organization)
        invitations.invite(
            organization=owner.organization,
            email=f"new@{owner.organization.slug}.example",
            role=owner.role,
            surface=Surface.SYSTEM,
        )
        restrictions.create(subject=owner.role, mode=Restriction.Mode.BLOCK, tools=["xero.pay"], surface=Surface.SYSTEM)
        asked = access_requests.ask(member=owner, connector="xero", tool="pay", surface=Surface.SYSTEM)
        access_requests.approve(request=asked, surface=Surface.SYSTEM)
        toolbox(owner, f"Box of {owner.organization.slug}")


@pytest.mark.requirement("S27")
@pytest.mark.parametrize("model", TENANT_MODELS, ids=lambda model: model.__name__)
def test_an_owner_sees_every_list_with_only_their_own_rows(everything: None, alice: Member, model: Any) -> None:
    response = signed_in(alice.user).get(page(model, "changelist"))
    assert response.status_code == 200
    mine = set(model._default_manager.filter(**{getattr(model, "tenant_path", "organization"): alice.organization_id}))
    assert set(response.context["cl"].result_list) == mine
    assert "umbrella" not in response.content.decode().lower()


@pytest.mark.parametrize("model", TENANT_MODELS, ids=lambda model: model.__name__)
def test_a_plain_member_on_the_staff_manages_nothing(everything: None, alice: Member, model: Any) -> None:
    bob = cast.member(alice.organization, "bob", staff=True)
    own = model._default_manager.filter(
        **{getattr(model, "tenant_path", "organization"): alice.organization_id}
    ).first()
    client = signed_in(bob.user)
    assert client.post(page(model, "change", own.pk), {}).status_code in (302, 403, 404)
    assert client.post(page(model, "delete", own.pk), {"post": "yes"}).status_code in (403, 404)
    assert model._default_manager.filter(pk=own.pk).exists()


def test_a_suspended_owner_finds_an_empty_admin(everything: None, alice: Member) -> None:
    cast.member(alice.organization, "bea", "org-owner")
    client = signed_in(alice.user)
    client.post(page(Member, "changelist"), {"action": "suspend", "_selected_action": [str(alice.pk)]})
    assert client.get(page(Connector, "changelist")).status_code == 403


def test_suspending_from_the_list_ends_every_grant(alice: Member, bob: Member) -> None:
    cast.token(bob)
    response = signed_in(alice.user).post(
        page(Member, "changelist"), {"action": "suspend", "_selected_action": [str(bob.pk)]}, follow=True
    )
    assert f"{bob.user.email} was suspended" in response.content.decode()
    assert not Grant.objects.filter(member=bob, revoked_at__isnull=True).exists()
    assert AuditEvent.objects.get(action="member.suspend").actor == alice


def test_a_restriction_written_in_the_admin_goes_through_its_service(alice: Member, bob: Member) -> None:
    before = alice.organization.version
    response = signed_in(alice.user).post(
        page(Restriction, "add"),
        {
            "organization": str(alice.organization_id),
            "member": str(bob.pk),
            "role": "",
            "mode": "block",
            "connectors": "notion, xero",
            "tools": "zendesk.delete_ticket",
            "note": "",
        },
    )
    assert response.status_code == 302, response.context["errors"]
    rule = Restriction.objects.get()
    assert (rule.connectors, rule.tools, rule.created_by) == (["notion", "xero"], ["zendesk.delete_ticket"], alice)
    alice.organization.refresh_from_db()
    assert alice.organization.version > before
    assert AuditEvent.objects.filter(action="restriction.create", surface="admin", actor=alice).exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"member": ""}, "Choose a role or a member"),
        ({"tools": "delete_ticket"}, "connector.tool_name"),
    ],
)
def test_a_malformed_restriction_is_told_in_the_form(
    alice: Member, bob: Member, change: dict[str, str], message: str
) -> None:
    form = {
        "organization": str(alice.organization_id),
        "member": str(bob.pk),
        "role": "",
        "mode": "block",
        "connectors": "",
        "tools": "",
        "note": "",
    }
    response = signed_in(alice.user).post(page(Restriction, "add"), {**form, **change})
    assert response.status_code == 200
    assert message in response.content.decode()


def test_a_choice_of_another_organization_is_not_offered_nor_taken(alice: Member, bob: Member, charlie: Member) -> None:
    response = signed_in(alice.user).post(
        page(Restriction, "add"),
        {
            "organization": str(charlie.organization_id),
            "member": str(charlie.pk),
            "role": "",
            "mode": "block",
            "connectors": "",
            "tools": "",
            "note": "",
        },
    )
    assert response.status_code == 200
    assert not Restriction.objects.exists()


def test_a_credential_is_write_only(alice: Member) -> None:
    connector = cast.connector(alice.organization)
    client = signed_in(alice.user)
    form = {
        "connector": str(connector.pk),
        "owner": str(alice.pk),
        "label": "Main",
        "remote_account": "",
        "status": "active",
        "secret_1": "canary-credential",
        "secret_2": "",
        "shares-TOTAL_FORMS": "0",
        "shares-INITIAL_FORMS": "0",
    }
    assert client.post(page(Connection, "add"), form).status_code == 302
    stored = Connection.objects.get()
    assert stored.credential.reveal() == {"token": "canary-credential"}
    assert b"canary" not in client.get(page(Connection, "change", stored.pk)).content
    kept = client.post(page(Connection, "change", stored.pk), {**form, "label": "Renamed", "secret_1": ""})
    assert kept.status_code == 302
    stored.refresh_from_db()
    assert stored.label == "Renamed"
    assert stored.credential.reveal() == {"token": "canary-credential"}


def test_an_account_without_its_credential_is_refused(alice: Member) -> None:
    connector = cast.connector(alice.organization)
    response = signed_in(alice.user).post(
        page(Connection, "add"),
        {"connector": str(connector.pk), "owner": str(alice.pk), "label": "Main", "status": "active"},
    )
    assert "Notion needs: Access token." in response.content.decode()


def test_switching_a_tool_off_is_seen_by_the_next_search(alice: Member) -> None:
    connector = cast.connector(alice.organization)
    tool = cast.tool(connector, "create_page", "Create a page")
    client = signed_in(alice.user)
    assert client.post(page(Tool, "change", tool.pk), {"description": "Create a page"}).status_code == 302
    connector.refresh_from_db()
    tool.refresh_from_db()
    assert not tool.enabled
    assert connector.catalog_version == 1


def test_the_audit_trail_cannot_be_changed_in_the_admin(everything: None, alice: Member) -> None:
    event = AuditEvent.objects.filter(organization=alice.organization).first()
    assert event is not None
    client = signed_in(alice.user)
    assert client.post(page(AuditEvent, "delete", event.pk), {"post": "yes"}).status_code == 403
    assert client.get(page(AuditEvent, "add")).status_code == 403


def test_admin_pages_may_run_unfold_s_scripts_and_other_pages_may_not(alice: Member) -> None:
    client = signed_in(alice.user)
    assert "unsafe-eval" in client.get("/admin/").headers["Content-Security-Policy"]
    assert "unsafe-eval" in Client().get("/admin/login/").headers["Content-Security-Policy"]
    assert "unsafe-eval" not in client.get("/healthz").headers["Content-Security-Policy"]
