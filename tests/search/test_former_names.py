"""Calls by a name that a tool had before its product renamed it."""

import json
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accesscontrol.models import AuditEvent, Member, Restriction, Surface
from accesscontrol.permissions import Scope
from accesscontrol.services import grants, restrictions
from connectors.catalog.importer import import_catalog
from connectors.catalog.openapi import read_openapi
from connectors.models import Connection, Connector, Tool, ToolAlias
from connectors.tasks import forget_former_names
from elaichi.celery import app
from elaichi.sandbox.document import Document
from search.former_names import present_name
from search.pool import pool_of
from tests import cast
from tests.search.mcp.rpc import Rpc

OLD, NEW = "deskline_list_tickets", "deskline_browse_tickets"


@pytest.fixture
def moved(deskline: Connector) -> Connector:
    """Deskline after its `list_tickets` was renamed."""
    _rename(deskline, "list_tickets", "browse_tickets")
    return deskline


def _rename(connector: Connector, old: str, new: str) -> None:
    """Another import, in which one operation has another name."""
    document = Document("deskline", connector.base_url.removesuffix("/deskline"))
    catalog = read_openapi(json.dumps(document.content).encode(), source="deskline.json")
    tools = tuple(replace(tool, name=new) if tool.name == old else tool for tool in catalog.tools)
    import_catalog(
        organization=connector.organization,
        catalog=replace(catalog, tools=tools),
        slug=connector.slug,
        label=connector.label,
        surface=Surface.SYSTEM,
    )


def _expire() -> None:
    ToolAlias.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


@pytest.fixture
def rpc(moved: Connector, bob: Member) -> Rpc:
    return Rpc(cast.token(bob))


def test_a_call_by_the_former_name_runs_the_tool_directly_and_through_execute_tool(rpc: Rpc) -> None:
    expected = rpc.call(NEW)
    assert not expected["isError"]
    assert rpc.call(OLD)["structuredContent"] == expected["structuredContent"]
    through = rpc.call("execute_tool", name=OLD, arguments={})
    assert through["structuredContent"] == expected["structuredContent"]


def test_it_is_audited_as_the_tool_that_it_is_now_with_what_it_was_called(rpc: Rpc) -> None:
    rpc.call(OLD)
    event = AuditEvent.objects.filter(action="tool.call").latest("at")
    assert (event.target, event.outcome, event.detail["called_as"]) == (NEW, "ok", OLD)


def test_search_shows_the_present_name_alone(rpc: Rpc) -> None:
    names = [row["name"] for row in rpc.found("tickets", limit=50)["result"]]
    assert NEW in names
    assert OLD not in names


def test_it_is_unknown_once_the_alias_has_expired_before_anything_deletes_it(rpc: Rpc) -> None:
    assert not rpc.call(OLD)["isError"]
    _expire()
    assert rpc.error(rpc.send("tools/call", {"name": OLD, "arguments": {}}))["code"] == -32602


def test_each_hour_expired_aliases_are_deleted_and_no_others(rpc: Rpc, moved: Connector) -> None:
    _expire()
    ToolAlias.objects.create(
        connector=moved, name="kept", tool=Tool.objects.get(name="browse_tickets"), expires_at=_tomorrow()
    )
    forget_former_names()
    assert [alias.name for alias in ToolAlias.objects.all()] == ["kept"]
    (entry,) = [entry for entry in app.conf.beat_schedule.values() if entry["task"] == forget_former_names.name]
    assert entry["schedule"] <= 3600


def _tomorrow() -> datetime:
    return timezone.now() + timedelta(days=1)


@pytest.mark.parametrize("named", ["deskline.list_tickets", "deskline.browse_tickets"])
@pytest.mark.parametrize("name", [OLD, NEW])
def test_a_block_of_either_name_holds_for_a_call_by_either(rpc: Rpc, bob: Member, named: str, name: str) -> None:
    """Also a rule that is written after the product has renamed the tool."""
    restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, tools=[named], surface=Surface.SYSTEM)
    assert rpc.call(name)["structuredContent"]["error"]["code"] == "restricted"


@pytest.mark.parametrize("mode", Restriction.Mode)
def test_a_rule_from_before_the_renaming_decides_as_before(deskline: Connector, bob: Member, mode: str) -> None:
    restrictions.create(
        subject=bob, mode=Restriction.Mode(mode), tools=["deskline.list_tickets"], surface=Surface.SYSTEM
    )
    rpc = Rpc(cast.token(bob))
    before = rpc.call(OLD)["isError"]
    assert before is (mode == Restriction.Mode.BLOCK)
    _rename(deskline, "list_tickets", "browse_tickets")
    assert [rpc.call(name)["isError"] for name in (OLD, NEW)] == [before, before]


def test_a_tool_that_deletes_takes_its_scope_under_its_former_name_too(deskline: Connector, bob: Member) -> None:
    _rename(deskline, "delete_ticket", "erase_ticket")
    rpc = Rpc(cast.token(bob, scopes=[Scope.TOOLS]))
    error = rpc.call("deskline_delete_ticket", ticket_id=1)["structuredContent"]["error"]
    assert error["code"] == "scope_required"


def test_it_leads_nobody_to_a_product_that_they_have_not_connected(moved: Connector, bob: Member) -> None:
    Connection.objects.update(status=Connection.Status.DISCONNECTED)
    rpc = Rpc(cast.token(bob))
    assert rpc.error(rpc.send("tools/call", {"name": OLD, "arguments": {}}))["code"] == -32602


def test_it_leads_to_no_tool_that_was_switched_off(rpc: Rpc) -> None:
    tool = Tool.objects.get(name="browse_tickets")
    tool.enabled = False
    tool.save()
    Connector.objects.update(catalog_version=9)
    assert rpc.error(rpc.send("tools/call", {"name": OLD, "arguments": {}}))["code"] == -32602


def test_a_known_name_is_not_looked_up_among_the_former_ones(
    rpc: Rpc, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    pool = pool_of(grants.authenticate(rpc.token))
    with django_assert_num_queries(0):
        assert present_name(pool, NEW) == NEW
    with django_assert_num_queries(1):
        assert present_name(pool, OLD) == NEW
