"""Many calls find one account's token ended at the same moment, or the account ends while its token is renewed."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from django.db import connection as database

from accesscontrol.audit import CallEntry
from accesscontrol.exceptions import Refusal
from accesscontrol.models import Member, Notice, Surface
from accesscontrol.services import grants, memberships
from connectors.execution import service
from connectors.models import Connection
from connectors.services import connections
from search.pool import pool_of
from tests import cast
from tests.connectors.oauth.conftest import Account
from tests.connectors.oauth.provider import Provider

pytestmark = pytest.mark.django_db(transaction=True)
CALLS = 20
PAGE = {"page": "Holidays"}


def begin(member: Member, count: int = 1) -> Callable[[], list[Any]]:
    """Starts calls, each in a thread and on a connection of its own; gives what tells how each of them ended."""
    caller = grants.authenticate(cast.token(member))
    tool = pool_of(caller).advertised("pagebox_get_page")
    assert tool is not None
    ended: list[Any] = [None] * count
    barrier = threading.Barrier(count)

    def call(number: int) -> None:
        with closing(database):
            barrier.wait(20)
            try:
                ended[number] = service.execute(caller, tool, {}, CallEntry()).value
            except Refusal as refusal:
                ended[number] = refusal

    threads = [threading.Thread(target=call, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()

    def end() -> list[Any]:
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()
        return ended

    return end


def calls_at_once(member: Member, count: int = CALLS) -> list[Any]:
    return begin(member, count)()


@pytest.mark.parametrize("seconds", [0.0, 0.5], ids=["at once", "slowly"])
def test_the_product_is_asked_once_and_every_call_succeeds(
    account: Account, bob: Member, provider: Provider, seconds: float
) -> None:
    account(left=-1)
    provider.seconds = seconds
    assert calls_at_once(bob) == [PAGE] * CALLS
    assert provider.asked == {"refresh_token": 1}
    assert Connection.objects.get().status == "active"


def test_so_it_is_where_the_product_no_longer_takes_a_token_that_had_not_ended(
    account: Account, bob: Member, provider: Provider
) -> None:
    account(left=3600)
    provider.end_access_tokens()
    assert calls_at_once(bob) == [PAGE] * CALLS
    assert provider.asked == {"refresh_token": 1}


def test_a_token_that_has_not_ended_yet_is_used_while_another_call_renews_it(
    account: Account, bob: Member, provider: Provider
) -> None:
    account(left=30)
    with provider.silent():
        renewing = begin(bob)
        assert provider.arrived.wait(10)
        assert calls_at_once(bob, 3) == [PAGE] * 3
    assert renewing() == [PAGE]
    assert provider.asked == {"refresh_token": 1}


def test_a_call_waits_no_longer_for_another_one_than_a_call_may_take(
    account: Account, bob: Member, provider: Provider, settings: Any
) -> None:
    account(left=-1)
    with provider.silent():
        renewing = begin(bob)
        assert provider.arrived.wait(10)
        settings.OUTBOUND_SECONDS = 0.3
        assert [refusal.code for refusal in calls_at_once(bob, 2)] == ["upstream_unreachable"] * 2
    assert renewing() == [PAGE]
    assert calls_at_once(bob, 2) == [PAGE] * 2
    assert provider.asked == {"refresh_token": 1}


def test_where_the_sign_in_is_over_every_call_is_told_and_its_owner_once(
    account: Account, bob: Member, provider: Provider
) -> None:
    account(left=-1)
    provider.end_sign_ins()
    assert {refusal.code for refusal in calls_at_once(bob)} == {"needs_reauth"}
    assert provider.asked["refresh_token"] == 1
    assert Connection.objects.get().status == "needs_reauth"
    assert Notice.objects.count() == 1


def disconnect(account: Connection) -> None:
    connections.disconnect(connection=account, surface=Surface.SYSTEM, actor=account.owner)


def remove_the_owner(account: Connection) -> None:
    memberships.remove(member=account.owner, surface=Surface.SYSTEM)


def delete(account: Connection) -> None:
    connections.delete_as_manager(connection=account, surface=Surface.SYSTEM)


@pytest.mark.parametrize("end", [disconnect, remove_the_owner, delete])
@pytest.mark.parametrize("over", [False, True], ids=["renewed", "refused"])
def test_an_account_that_ends_while_the_product_is_asked_waits_for_nothing_and_stays_ended(
    account: Account, bob: Member, provider: Provider, end: Callable[[Connection], None], over: bool
) -> None:
    ending = account(left=-1)
    if over:
        provider.end_sign_ins()
    with provider.silent():
        call = begin(bob)
        assert provider.arrived.wait(10)
        with promptly():
            end(ending)
    assert call()[0].code in ("needs_reauth", "grant_ended")
    assert provider.asked["refresh_token"] == 1
    for left in Connection.objects.all():
        assert (left.status, left.credential.reveal()) == ("disconnected", {})
    assert not Notice.objects.filter(kind=Notice.Kind.NEEDS_REAUTH).exists()


def test_nobody_s_suspension_waits_for_a_slow_product(account: Account, bob: Member, provider: Provider) -> None:
    """Not even behind somebody who disconnects the account, who would hold the organization meanwhile."""
    ending = account(left=-1)
    other = cast.member(bob.organization, "bea")
    with provider.silent():
        call = begin(bob)
        assert provider.arrived.wait(10)
        with promptly():
            disconnect(ending)
            memberships.suspend(member=other, surface=Surface.SYSTEM)
            memberships.suspend(member=bob, surface=Surface.SYSTEM)
    assert call()[0].code in ("needs_reauth", "grant_ended")


def test_who_is_suspended_meanwhile_finds_a_good_token_when_reinstated(
    account: Account, bob: Member, provider: Provider
) -> None:
    account(left=-1)
    with provider.silent():
        call = begin(bob)
        assert provider.arrived.wait(10)
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
    assert call()[0].code == "grant_ended"
    assert "/get_page" not in [one.target for one in provider.server.received]
    memberships.reinstate(member=bob, surface=Surface.SYSTEM)
    bob.refresh_from_db()
    assert calls_at_once(bob, 1) == [PAGE]
    assert provider.asked == {"refresh_token": 1}


@pytest.mark.parametrize("over", [False, True], ids=["renewed", "refused"])
def test_an_account_that_is_connected_anew_meanwhile_keeps_its_new_credential(
    account: Account, bob: Member, provider: Provider, over: bool
) -> None:
    held = account(left=-1)
    if over:
        provider.end_sign_ins()
    answer = provider.sign_in()
    anew = {**answer, "token_url": held.credential["token_url"]}
    with provider.silent():
        call = begin(bob)
        assert provider.arrived.wait(10)
        Connection.objects.update(credential=anew)
    call()
    assert Connection.objects.get().credential.reveal() == anew
    assert Connection.objects.get().status == "active"


@contextmanager
def promptly() -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < 2
