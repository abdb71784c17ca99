"""Limits on an account's calls: at a time, in a minute, and the pause that its product asked for."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from accesscontrol.models import AuditEvent, Member
from connectors.execution import limits
from connectors.execution.errors import AccountBusy, RateLimited
from connectors.models import Connection, Connector, RunningCall
from tests import cast
from tests.conftest import reachable
from tests.connectors.execution.upstream import Server, respond, serving
from tests.connectors.sharing import refusal
from tests.search.mcp.rpc import Rpc

OK = respond(200, b"{}", Content_Type="application/json")


@pytest.fixture
def upstream(settings: Any) -> Iterator[Server]:
    with serving(Server()) as server, reachable(settings, server.authority):
        server.routes["/get_page"] = OK
        yield server


@pytest.fixture
def account(upstream: Server, bob: Member) -> Connection:
    connector = cast.connector(bob.organization, base_url=upstream.url, max_concurrent_calls=3)
    cast.tool(connector, "get_page", "Get a page")
    return cast.connection(bob, connector)


@pytest.fixture
def rpc(account: Connection, bob: Member) -> Rpc:
    return Rpc(cast.token(bob))


def ran(account: Connection, *, ago: float, ended: bool = True) -> RunningCall:
    """A call that began so many seconds ago and may take 45."""
    started = timezone.now() - timedelta(seconds=ago)
    return RunningCall.objects.create(
        connection=account,
        started_at=started,
        deadline=started + timedelta(seconds=45),
        ended_at=started + timedelta(seconds=1) if ended else None,
    )


def test_an_account_with_all_its_calls_running_is_not_called(rpc: Rpc, upstream: Server, account: Connection) -> None:
    for _ in range(3):
        ran(account, ago=5, ended=False)
    error = refusal(rpc, "notion_get_page")
    assert (error["code"], error["seconds"]) == ("rate_limited", 1)
    assert "The account Main has as many calls" in error["message"]
    assert upstream.received == []
    assert AuditEvent.objects.get(action="tool.call").outcome == "rate_limited"


def test_a_call_that_ended_frees_its_place_however_it_ended(rpc: Rpc, upstream: Server, account: Connection) -> None:
    ran(account, ago=5, ended=False)
    ran(account, ago=5, ended=False)
    upstream.routes["/get_page"] = respond(500)
    assert rpc.call("notion_get_page")["isError"]
    upstream.routes["/get_page"] = OK
    assert not rpc.call("notion_get_page")["isError"]
    assert RunningCall.objects.filter(ended_at=None).count() == 2


def test_a_call_whose_process_was_killed_counts_until_its_deadline(rpc: Rpc, account: Connection) -> None:
    for _ in range(3):
        ran(account, ago=46, ended=False)
    assert not rpc.call("notion_get_page")["isError"]


def test_another_account_has_calls_of_its_own(rpc: Rpc, account: Connection, bob: Member) -> None:
    for _ in range(3):
        ran(account, ago=5, ended=False)
    cast.connection(bob, account.connector, "Second")
    assert not Rpc(cast.token(bob)).call("notion_get_page", connection="Second")["isError"]
    assert refusal(rpc, "notion_get_page", connection="Main")["code"] == "rate_limited"


def test_a_minute_slides(rpc: Rpc, upstream: Server, account: Connection) -> None:
    Connector.objects.update(calls_per_minute=3)
    for ago in (61, 50, 20):
        ran(account, ago=ago)
    assert not rpc.call("notion_get_page")["isError"]
    error = refusal(rpc, "notion_get_page")
    assert error["code"] == "rate_limited"
    assert 8 <= error["seconds"] <= 10  # until the call of 50 seconds ago is a minute old
    assert len(upstream.received) == 1


def test_a_pause_that_the_product_asked_for_is_kept_without_asking_again(
    rpc: Rpc, upstream: Server, account: Connection, bob: Member
) -> None:
    upstream.routes["/get_page"] = respond(429, Retry_After="120")
    assert refusal(rpc, "notion_get_page")["seconds"] == 120
    upstream.routes["/get_page"] = OK
    error = refusal(rpc, "notion_get_page")
    assert (error["code"], len(upstream.received)) == ("rate_limited", 1)
    assert 118 <= error["seconds"] <= 120
    assert "asked for a pause" in error["message"]
    Connection.objects.update(paused_until=timezone.now())
    assert not rpc.call("notion_get_page")["isError"]


def test_a_pause_is_an_hour_at_most_and_never_gets_shorter(account: Connection) -> None:
    for seconds in (10**8, 5, None):
        with pytest.raises(RateLimited), limits.slot(account, account.connector):
            raise RateLimited("api.example.com", seconds)
    account.refresh_from_db()
    assert account.paused_until is not None
    assert timedelta(minutes=59) < account.paused_until - timezone.now() <= timedelta(hours=1)


def test_a_sweep_leaves_what_still_counts(account: Connection) -> None:
    ran(account, ago=61)
    ran(account, ago=110, ended=False)
    counting = {ran(account, ago=59).pk, ran(account, ago=20, ended=False).pk}
    assert limits.sweep(timezone.now()) == 2
    assert set(RunningCall.objects.values_list("pk", flat=True)) == counting


def test_it_takes_two_statements_a_call(account: Connection, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(2), limits.slot(account, account.connector):
        pass


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("limit", ["max_concurrent_calls", "calls_per_minute"])
def test_a_call_waits_for_one_that_is_just_being_let_in(account: Connection, limit: str) -> None:
    """Else both would find the last place free, since neither sees what the other has not committed."""
    setattr(account.connector, limit, 1)
    with ThreadPoolExecutor(1) as thread, ExitStack() as first:
        with transaction.atomic():
            first.enter_context(limits.slot(account, account.connector))
            second = thread.submit(is_let_in, account)
            while not second.done() and not somebody_waits():
                pass
        assert second.result(10) is False


def is_let_in(account: Connection) -> bool:
    try:
        with limits.slot(account, account.connector):
            return True
    except AccountBusy:
        return False
    finally:
        connection.close()


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        return bool(cursor.rowcount > 0)
