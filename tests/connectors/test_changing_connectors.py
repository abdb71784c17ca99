"""Changing a connector: who may, what is recorded, and what becomes of the accounts that it has."""

import json
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from accesscontrol.exceptions import PermissionRequired
from accesscontrol.models import AuditEvent, Member, Notice, Role, Surface
from connectors.models import Connection, Connector
from connectors.services import connectors
from tests import cast


@pytest.fixture
def notion(alice: Member) -> Connector:
    return cast.connector(alice.organization, base_url="https://api.notion.example")


def change(connector: Connector, actor: Member | None = None, **changes: Any) -> Connector:
    return connectors.change(connector=connector, changes=changes, surface=Surface.ADMIN, actor=actor)


def statuses() -> dict[str, str]:
    return dict(Connection.objects.values_list("label", "status"))


def test_a_change_is_one_commit_with_its_version_and_its_audit_row(alice: Member, notion: Connector) -> None:
    organization = alice.organization
    organization.refresh_from_db()
    before = organization.version
    given = {"label": "Notion", "auth": {"kind": "bearer", "name": "hidden"}, "calls_per_minute": 60, "enabled": False}
    change(notion, alice, **given)
    organization.refresh_from_db()
    notion.refresh_from_db()
    event = AuditEvent.objects.get(action="connector.change")
    assert organization.version == before + 1
    assert (notion.calls_per_minute, notion.enabled) == (60, False)
    assert (event.actor, event.target) == (alice, "connector:notion")
    assert event.detail == {"changed": ["auth", "calls_per_minute", "enabled"]}
    assert "hidden" not in str(event.detail)


def test_what_was_not_changed_is_left_as_somebody_else_made_it(alice: Member, notion: Connector) -> None:
    seen = Connector.objects.get(pk=notion.pk)
    change(notion, alice, label="Notion at Acme")
    change(seen, alice, calls_per_minute=7)
    notion.refresh_from_db()
    assert (notion.label, notion.calls_per_minute) == ("Notion at Acme", 7)


def test_who_lost_the_permission_meanwhile_changes_nothing(alice: Member, notion: Connector) -> None:
    Member.objects.filter(pk=alice.pk).update(role=Role.objects.get(organization=alice.organization, slug="member"))
    for act in (
        lambda: change(notion, alice, enabled=False),
        lambda: connectors.delete(connector=notion, surface=Surface.ADMIN, actor=alice),
        lambda: connectors.create(connector=Connector(slug="x", organization=notion.organization),
                                  surface=Surface.ADMIN, actor=alice),
    ):  # fmt: skip
        with pytest.raises(PermissionRequired):
            act()
    assert Connector.objects.get().enabled
    assert not AuditEvent.objects.filter(action__startswith="connector.").exists()


def test_an_administrator_of_another_organization_changes_nothing(charlie: Member, notion: Connector) -> None:
    with pytest.raises(PermissionRequired):
        change(notion, charlie, enabled=False)


def test_accounts_that_cannot_sign_in_the_new_way_need_doing_it_again(alice: Member, bob: Member) -> None:
    notion = cast.connector(alice.organization)
    cast.connection(bob, notion, "Token")
    cast.connection(alice, notion, "Both", credential={"token": "t", "key": "k"})
    key = {"kind": "api_key_header", "parameter": "X-Key"}
    change(notion, alice, auth=key)
    assert statuses() == {"Token": "needs_reauth", "Both": "active"}
    told = Connection.objects.get(label="Token").status_reason
    assert told == ("The connector's way of signing in has changed; connect the account again if the new one is right.")
    assert Notice.objects.get().member == bob
    change(notion, alice, auth={**key, "parameter": "X-Other"})
    assert statuses()["Both"] == "active"


def test_a_credential_goes_to_a_further_host_once_its_owner_agrees(alice: Member, notion: Connector) -> None:
    cast.connection(alice, notion)
    change(notion, alice, hosts=["files.notion.example"])
    assert statuses() == {"Main": "needs_reauth"}
    Connection.objects.update(status=Connection.Status.ACTIVE)
    change(notion, alice, hosts=[])
    assert statuses() == {"Main": "active"}


@pytest.mark.parametrize("auth", [{"kind": "magic"}, {"sort": "bearer"}, ["bearer"], {"kind": "bearer", "x": 1}])
def test_a_scheme_that_is_none_is_refused(alice: Member, notion: Connector, auth: Any) -> None:
    with pytest.raises(ValidationError, match="Say how it authenticates"):
        change(notion, alice, auth=auth)


class TestPages:
    @pytest.fixture
    def client(self, alice: Member) -> Client:
        client = Client()
        client.force_login(alice.user)
        return client

    def form(self, of: Connector, **changed: Any) -> dict[str, Any]:
        kept = {"label": of.label, "aliases": "[]", "base_url": of.base_url, "hosts": "[]", "auth": json.dumps(of.auth)}
        return {**kept, "max_concurrent_calls": "10", "enabled": "on", **changed}

    def test_saving_without_a_change_records_nothing(self, client: Client, notion: Connector) -> None:
        page = reverse("admin:connectors_connector_change", args=[notion.pk])
        assert client.post(page, self.form(notion)).status_code == 302
        assert not AuditEvent.objects.filter(action="connector.change").exists()
        client.post(page, self.form(notion, enabled=""))
        assert AuditEvent.objects.get(action="connector.change").detail == {"changed": ["enabled"]}

    def test_a_refusal_is_told_on_the_page(self, client: Client, notion: Connector) -> None:
        page = reverse("admin:connectors_connector_change", args=[notion.pk])
        said = client.post(page, self.form(notion, auth='{"kind": "magic"}'), follow=True).content.decode()
        assert "Say how it authenticates" in said

    def test_one_is_made_and_deleted(self, client: Client, alice: Member) -> None:
        made = Connector(label="Desk", slug="desk", base_url="https://desk.example", auth={"kind": "bearer"})
        given = self.form(made, organization=alice.organization_id, slug="desk", kind="openapi")
        assert client.post(reverse("admin:connectors_connector_add"), given).status_code == 302
        desk = Connector.objects.get(slug="desk")
        assert (
            client.post(reverse("admin:connectors_connector_delete", args=[desk.pk]), {"post": "yes"}).status_code
            == 302
        )
        actions = AuditEvent.objects.filter(target="connector:desk").order_by("at").values_list("action", flat=True)
        assert list(actions) == ["connector.create", "connector.delete"]
