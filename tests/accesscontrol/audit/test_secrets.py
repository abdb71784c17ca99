"""No argument, credential or token is in any audit row, whatever was done."""

import json

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accesscontrol.audit.exporting import lines
from accesscontrol.models import AuditEvent, Grant, Member, Restriction, Surface
from accesscontrol.permissions import Scope
from accesscontrol.services import grants, memberships, restrictions
from connectors.models import Connection, Connector
from tests import cast
from tests.accesscontrol.audit.trail import sql
from tests.search.mcp.rpc import LEGACY, MODERN, Rpc

CANARY = "canary-7f3a"


@pytest.fixture
def tokens(deskline: Connector, bob: Member) -> list[str]:
    return [cast.token(bob), cast.token(bob, scopes=[Scope.READ]), cast.token(cast.member(bob.organization, "bea"))]


def _calls_of_every_kind(token: str, version: str) -> None:
    rpc = Rpc(token, version=version)
    ticket = {"project": f"{CANARY}-project", "subject": f"{CANARY}-subject", "description": f"{CANARY}-text"}
    for name, arguments in (
        ("deskline_create_ticket", ticket),
        ("deskline_create_ticket", {**ticket, f"{CANARY}-argument": 1}),
        ("deskline_create_ticket", {**ticket, "connection": f"{CANARY}-account"}),
        ("deskline_get_ticket", {"ticket_id": f"{CANARY}-id"}),
        ("deskline_list_tickets", {"search": f"{CANARY}-search", "limit": CANARY}),
        ("deskline_delete_ticket", {"ticket_id": 101}),
        (f"deskline_{CANARY}", {}),
        (f"elaichi__{CANARY}", {}),
        ("search_tools", {"query": f"{CANARY} tickets"}),
        ("elaichi__member__list", {"cursor": f"{CANARY}-cursor"}),
        ("elaichi__audit__list", {"action": f"{CANARY}-action", "member": f"{CANARY}@acme.example"}),
        ("elaichi__audit__list", {"since": f"{CANARY}-since"}),
    ):
        rpc.send("tools/call", {"name": name, "arguments": arguments})
        rpc.send("tools/call", {"name": "execute_tool", "arguments": {"name": name, "arguments": arguments}})
    rpc.send("tools/list", {"cursor": CANARY})


def _the_admin(alice: Member, bob: Member, deskline: Connector) -> None:
    client = Client()
    client.force_login(alice.user)
    form = {
        "connector": str(deskline.pk),
        "owner": str(bob.pk),
        "label": "Second",
        "remote_account": "",
        "status": "active",
        "secret_1": f"{CANARY}-credential",
        "secret_2": "",
    }
    client.post(reverse("admin:connectors_connection_add"), form)
    client.post(reverse("admin:accesscontrol_member_changelist"), {"action": "suspend", "_selected_action": [bob.pk]})
    client.post(reverse("admin:login"), {"username": alice.user.email, "password": f"{CANARY}-password"})


@pytest.mark.parametrize("version", [LEGACY, MODERN])
def test_no_row_holds_an_argument_a_credential_or_a_token(
    alice: Member, bob: Member, deskline: Connector, tokens: list[str], version: str
) -> None:
    for token in tokens:
        _calls_of_every_kind(token, version)
    restrictions.create(
        subject=bob,
        mode=Restriction.Mode.BLOCK,
        tools=["deskline.create_ticket"],
        note=f"{CANARY}-note",
        surface=Surface.SYSTEM,
    )
    _calls_of_every_kind(tokens[0], version)
    Connection.objects.filter(owner=bob).update(credential={"token": f"{CANARY}-wrong"})
    _calls_of_every_kind(tokens[0], version)
    grants.revoke(grant=Grant.objects.filter(member=bob)[0], reason="a test", surface=Surface.SYSTEM, actor=alice)
    _the_admin(alice, bob, deskline)
    for token in (*tokens, f"elaichi_{CANARY}", CANARY):
        Rpc(token).client.post(
            "/mcp", data="{}", content_type="application/json", headers={"Authorization": f"Bearer {token}"}
        )
    memberships.remove(member=bob, surface=Surface.SYSTEM)
    sql("SET CONSTRAINTS ALL IMMEDIATE")
    call_command("prune_audit", "--before", "2020-01-01T00:00:00Z", "--organization", "acme")

    trail = [json.loads(line) for line in lines(AuditEvent.objects.all())]
    assert len(trail) > 50
    assert {row["outcome"] for row in trail} >= {
        "ok",
        "invalid_arguments",
        "unknown_tool",
        "scope_required",
        "restricted",
    }
    hashes = Grant.objects.values_list("token_hash", flat=True)
    for secret in (CANARY, "demo-deskline-acme", cast.PASSWORD, *tokens, *hashes):
        assert secret is not None
        found = [row for row in trail if secret in json.dumps(row, ensure_ascii=False)]
        assert found == [], secret
    assert all(row["at"] <= timezone.now().isoformat() for row in trail)
