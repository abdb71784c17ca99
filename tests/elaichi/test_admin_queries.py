"""How many queries a page of the admin takes: what it takes grows neither with rows nor with the sidebar."""

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accesscontrol.admin.tenant import TenantAdmin
from accesscontrol.models import Member
from connectors.models import Connector, Tool
from tests import cast

LISTS = sorted(
    f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
    for model, page in admin.site._registry.items()
    if isinstance(page, TenantAdmin)
)


@pytest.fixture
def client(alice: Member) -> Client:
    client = Client()
    client.force_login(alice.user)
    return client


@pytest.fixture
def notion(alice: Member) -> Connector:
    """With three accounts and three hundred tools."""
    notion = cast.connector(alice.organization)
    first = cast.tool(notion, "tool_0")
    Tool.objects.bulk_create(
        Tool(connector=notion, name=f"tool_{n}", operation=f"tool_{n}", binding=first.binding) for n in range(1, 300)
    )
    for label in ("A", "B", "C"):
        cast.connection(alice, notion, label)
    return notion


def queries(client: Client, page: str) -> list[str]:
    with CaptureQueriesContext(connection) as asked:
        assert client.get(page).status_code == 200
    return [query["sql"] for query in asked.captured_queries]


def test_a_connector_s_page(client: Client, notion: Connector) -> None:
    asked = queries(client, reverse("admin:connectors_connector_change", args=[notion.pk]))
    assert len(asked) <= 30, "\n".join(asked)


@pytest.mark.parametrize("name", LISTS)
def test_a_list(client: Client, notion: Connector, name: str) -> None:
    asked = queries(client, reverse(name))
    assert len(asked) <= 25, "\n".join(asked)
