"""Suspending and removing under fire: other sessions issue tokens and start calls, here and through two web processes.

Each round is decided by what the database and the processes do, not by the test: the calls go on in threads of their
own until the service has returned, and what counts is that no call which *begins* after that is served.
"""

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field

import httpx2
import pytest
from django.db import connection

from accesscontrol.exceptions import Conflict, InvalidToken, MemberNotActive
from accesscontrol.models import Grant, Member, Organization, Surface
from accesscontrol.services import grants, memberships
from tests import cast
from tests.e2e.conftest import Gateway

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def in_thread(action: Callable[[], None], failures: list[BaseException]) -> threading.Thread:
    """A thread with a database connection of its own, started."""

    def run() -> None:
        try:
            with closing(connection):
                action()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@dataclass
class Round:
    """One member whose access ends while it is being used and extended."""

    member: Member
    token: str
    ended: threading.Event = field(default_factory=threading.Event)
    begun: threading.Event = field(default_factory=threading.Event)
    served_after_the_end: list[str] = field(default_factory=list)
    failures: list[BaseException] = field(default_factory=list)

    def play(self, end: Callable[..., Member], call: Callable[[str], bool]) -> None:
        threads = [
            in_thread(lambda: self._calls(call), self.failures),
            in_thread(self._issues, self.failures),
        ]
        self.begun.wait(10)
        end(member=self.member, surface=Surface.SYSTEM)
        self.ended.set()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive(), "a deadlock"
        assert self.failures == []
        assert self.served_after_the_end == []
        assert not Grant.objects.filter(member=self.member, revoked_at__isnull=True).exists()

    def _calls(self, call: Callable[[str], bool]) -> None:
        while True:
            over = self.ended.is_set()
            served = call(self.token)
            self.begun.set()
            if over:
                if served:
                    self.served_after_the_end.append(self.token)
                return

    def _issues(self) -> None:
        self.begun.wait(10)
        while not self.ended.is_set():
            try:
                cast.token(self.member)
            except (MemberNotActive, Conflict):
                return


def rounds(home: Organization, count: int) -> Iterator[tuple[Round, Callable[..., Member]]]:
    chance = random.Random(20)
    for number in range(count):
        member = cast.member(home, f"member{number}")
        yield Round(member, cast.token(member)), chance.choice([memberships.suspend, memberships.remove])


def authenticates(token: str) -> bool:
    try:
        grants.authenticate(token)
    except InvalidToken:
        return False
    return True


@pytest.mark.django_db(transaction=True)
@pytest.mark.requirement("S25")
def test_no_call_that_begins_after_the_commit_is_served_in_200_rounds() -> None:
    for attempt, end in rounds(cast.organization("races"), 200):
        attempt.play(end, authenticates)


@pytest.mark.requirement("S25")
def test_nor_through_two_web_processes(gateway: Gateway, second_gateway: Gateway, transactional_db: None) -> None:
    chance = random.Random(21)
    with httpx2.Client(timeout=20) as http:

        def is_served(token: str) -> bool:
            url = chance.choice([gateway.mcp, second_gateway.mcp])
            answer = http.post(url, json=PING, headers={"Authorization": f"Bearer {token}"})
            assert answer.status_code in (200, 401), answer.text
            return answer.status_code == 200

        for attempt, end in rounds(cast.organization("races"), 200):
            attempt.play(end, is_served)
