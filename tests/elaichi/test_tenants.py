"""Two organizations, and every way from one to the other's rows: 404, never 403, and never a name."""

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import models
from django.test import Client
from django.urls import reverse

from accesscontrol.models import AccessRequest, Grant, Member, OAuthClient, Organization, Restriction, Surface, User
from accesscontrol.operation import registry
from accesscontrol.services import access_requests, invitations, restrictions, teams
from connectors.models import Connection, Connector, OAuthApp
from search import reach_report
from search.models import LoggedQuery
from tests import cast
from tests.connectors.toolboxes import freeze, share, toolbox
from tests.search.mcp.rpc import Rpc

OURS = ("accesscontrol", "connectors", "search")
MODELS = [model for model in apps.get_models() if model._meta.app_label in OURS]
PAGES = [model for model in admin.site._registry if model in MODELS and model is not User]
NAMES = ("umbrella", "charlie", "cassandra")


@pytest.fixture
def umbrella(charlie: Member) -> Organization:
    """An organization with a row of nearly everything; each of its names holds one of NAMES."""
    home = charlie.organization
    vault = cast.connector(home, "umbrella_vault", "Umbrella Vault")
    cast.tool(vault, "open_umbrella", "Opens the umbrella")
    cast.connection(charlie, vault, "Umbrella main")
    OAuthApp.objects.create(connector=vault, client_id="umbrella-client")
    cast.token(charlie)
    cassandra = cast.member(home, "cassandra")
    invitations.invite(organization=home, email="new@umbrella.example", role=cassandra.role, surface=Surface.SYSTEM)
    teams.create(organization=home, name="Umbrella team", surface=Surface.SYSTEM)
    restrictions.create(
        subject=cassandra.role, mode=Restriction.Mode.BLOCK, connectors=["umbrella_vault"], surface=Surface.SYSTEM
    )
    asked = access_requests.ask(
        member=cassandra, connector="umbrella_vault", tool="open_umbrella", surface=Surface.SYSTEM
    )
    access_requests.approve(request=asked, surface=Surface.SYSTEM)
    access_requests.ask(member=cassandra, connector="umbrella_vault", surface=Surface.SYSTEM)
    box = toolbox(charlie, "Umbrella box", is_template=True)
    freeze(box, vault, "open_umbrella")
    share(box, charlie.organization)
    home.refresh_from_db()
    reach_report.apply(home.pk, home.version)
    LoggedQuery.objects.create(
        organization=home, member=cassandra, query="umbrella", matched=0, returned=["umbrella_vault_open_umbrella"]
    )
    return home


def rows_of(model: Any, home: Organization) -> Any:
    return model._default_manager.filter(**{getattr(model, "tenant_path", "organization"): home.pk})


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_model_is_reached_through_its_organization(model: type[models.Model]) -> None:
    if model in (User, Organization, OAuthClient):
        return  # an account of the server, the tenant itself, and an application that asks people of any
    of: Callable[..., Any] | None = getattr(model._default_manager, "of", None)
    assert of is not None, f"{model.__name__} needs a TenantManager"
    of(Organization(slug="x", name="X")).query  # noqa: B018  its tenant_path leads to an organization


@pytest.mark.parametrize("model", PAGES, ids=lambda model: model.__name__)
def test_no_admin_page_knows_another_organization_s_row(umbrella: Organization, alice: Member, model: Any) -> None:
    client = Client()
    client.force_login(alice.user)
    row = rows_of(model, umbrella).first()
    assert row is not None, f"let the fixture make a {model.__name__}"
    base = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    for page in ("change", "delete", "history"):
        response = client.get(reverse(f"{base}_{page}", args=[row.pk]))
        assert response.status_code == 404, page
        assert not _names_in(response.content.decode())
    listed = client.get(reverse(f"{base}_changelist"))
    if listed.status_code == 200:
        assert not _names_in(listed.content.decode())


def _names_in(text: str) -> list[str]:
    return [name for name in NAMES if name in text.lower()]


def arguments_with_foreign_ids(umbrella: Organization) -> dict[str, dict[str, Any]]:
    """For each operation, arguments that point at the other organization's rows; `{}` for one that takes none."""
    connection = str(Connection.objects.of(umbrella).get().pk)
    request = str(AccessRequest.objects.of(umbrella).filter(tool="").get().pk)
    team = str(umbrella.teams.get().pk)
    box = str(umbrella.toolboxes.get().pk)
    return {
        "access_request__create": {"connector": "umbrella_vault"},
        "access_request__list": {},
        "access_request__withdraw": {"id": request},
        "audit__list": {},
        "connection__delete": {"connection": connection},
        "connection__connect": {"connector": "umbrella_vault"},
        "connection__disconnect": {"connection": connection},
        "connection__list": {},
        "connection__rename": {"connection": connection, "label": "Mine now"},
        "connection__share": {"connection": connection, "grantee": team, "level": "use"},
        "connection__transfer": {"connection": connection, "new_owner": "alice@acme.example"},
        "connector__get": {"connector": "umbrella_vault"},
        "connector__list": {},
        "grant__list": {},
        "grant__revoke": {"grant": str(Grant.objects.of(umbrella).values_list("pk", flat=True)[0])},
        "member__list": {},
        "organization__get": {},
        "permission__list": {},
        "restriction__list": {},
        "role__list": {},
        "search__explain": {"query": "open the vault"},
        "team__list": {},
        "template__stamp": {"template": box, "name": "Mine now"},
        "toolbox__delete": {"toolbox": box},
        "toolbox__get": {"toolbox": box},
        "toolbox__list": {},
        "toolbox__save": {"toolbox": box, "name": "Mine now"},
        "toolbox__share": {"toolbox": box, "grantee": team, "level": "use"},
    }


@pytest.mark.parametrize("operation", list(registry), ids=lambda operation: operation.name)
def test_no_operation_knows_another_organization_s_row(umbrella: Organization, alice: Member, operation: Any) -> None:
    given = arguments_with_foreign_ids(umbrella)[f"{operation.domain}__{operation.verb}"]
    result = Rpc(cast.token(alice)).call(operation.name, **given)
    said = str(result["structuredContent"]).replace("umbrella_vault", "")
    assert not _names_in(said)
    if given and operation.name not in ("elaichi__access_request__create", "elaichi__search__explain"):
        assert result["structuredContent"]["error"]["code"] == "not_found"


def test_a_choice_of_connector_and_its_tools_are_one_organization_s(umbrella: Organization, alice: Member) -> None:
    own = cast.connector(alice.organization, "umbrella_vault", "Our own")
    cast.tool(own, "open_door", "Opens the door")
    cast.connection(alice, own)
    found = Rpc(cast.token(alice)).found("", limit=50)
    assert [row["name"] for row in found["result"]] == ["umbrella_vault_open_door"]
    assert Connector.objects.of(umbrella).get().pk != own.pk
