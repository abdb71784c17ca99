"""Suspending and removing while a client exchanges its code, refreshes and rotates, here and through the gateway."""

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx2
import pytest
from django.db import transaction

from accesscontrol.exceptions import InvalidToken, MemberNotActive
from accesscontrol.models import AccessToken, AuthorizationCode, Grant, Member, OAuthClient, RefreshToken, Surface
from accesscontrol.permissions import Scope
from accesscontrol.services import client_grants, grants, memberships
from accesscontrol.services.client_grants import Consent, TokenPair
from tests import cast
from tests.accesscontrol.oauth.dance import VERIFIER, challenge
from tests.e2e.conftest import Gateway
from tests.e2e.test_revocation_races import in_thread

CALLBACK = "http://127.0.0.1/callback"


def a_client() -> OAuthClient:
    return OAuthClient.objects.create(
        name="A client",
        client_type=OAuthClient.CLIENT_PUBLIC,
        authorization_grant_type=OAuthClient.GRANT_AUTHORIZATION_CODE,
        redirect_uris=CALLBACK,
        client_secret="",
        hash_client_secret=False,
    )


def consent(member: Member, client: OAuthClient) -> str:
    given = Consent(
        member=member, client=client, scopes=[Scope.READ], redirect_uri=CALLBACK, code_challenge=challenge()
    )
    return client_grants.consent(given)[1]


@dataclass
class Here:
    """The services as the token endpoint uses them."""

    client: OAuthClient

    def exchange(self, code: str) -> TokenPair | None:
        with transaction.atomic():
            presented = client_grants.present_code(code=code, client=self.client)
            return self._issue(presented) if presented else None

    def refresh(self, token: str) -> TokenPair | None:
        with transaction.atomic():
            presented = client_grants.present_refresh(token=token, client=self.client)
            return self._issue(presented) if presented else None

    def call(self, token: str) -> bool:
        try:
            grants.authenticate(token)
        except InvalidToken:
            return False
        return True

    def _issue(self, presented: client_grants.Presented) -> TokenPair:
        pair = TokenPair(access=client_grants.new_access_token(), refresh=client_grants.new_refresh_token())
        client_grants.issue(presented, pair=pair, scopes=presented.grant.scopes)
        return pair


@dataclass
class Served:
    """The same through two web processes, now one and now the other."""

    client: OAuthClient
    gateways: list[Gateway]
    http: httpx2.Client
    chance: random.Random

    def exchange(self, code: str) -> TokenPair | None:
        sent = {"code": code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
        return self._post(grant_type="authorization_code", **sent)

    def refresh(self, token: str) -> TokenPair | None:
        return self._post(grant_type="refresh_token", refresh_token=token)

    def call(self, token: str) -> bool:
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        headers = {"Authorization": f"Bearer {token}"}
        answer = self.http.post(self.chance.choice(self.gateways).mcp, json=ping, headers=headers)
        assert answer.status_code in (200, 401), answer.text
        return answer.status_code == 200

    def _post(self, **sent: str) -> TokenPair | None:
        url = f"{self.chance.choice(self.gateways).url}/oauth/token"
        answer = self.http.post(url, data={"client_id": self.client.client_id, **sent})
        assert answer.status_code in (200, 400), answer.text
        said = answer.json()
        return TokenPair(access=said["access_token"], refresh=said["refresh_token"]) if "access_token" in said else None


@dataclass
class Round:
    member: Member
    side: Here | Served
    ended: threading.Event = field(default_factory=threading.Event)
    begun: threading.Event = field(default_factory=threading.Event)
    handed_out: list[TokenPair] = field(default_factory=list)
    failures: list[BaseException] = field(default_factory=list)

    def play(self, end: Callable[..., Member]) -> None:
        threads = [in_thread(self._signs_in_and_refreshes, self.failures) for _ in range(2)]
        assert self.begun.wait(20)
        end(member=self.member, surface=Surface.SYSTEM)
        self.ended.set()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive(), "a deadlock"
        assert self.failures == []
        self._assert_nothing_is_left()

    def _signs_in_and_refreshes(self) -> None:
        """Again and again until it is refused; each new pair is one that a thief might keep."""
        while not self.ended.is_set():
            try:
                pair = self.side.exchange(consent(self.member, self.side.client))
            except MemberNotActive:
                return
            while pair is not None:
                self.handed_out.append(pair)
                self.begun.set()
                pair = self.side.refresh(pair.refresh) if not self.ended.is_set() else None

    def _assert_nothing_is_left(self) -> None:
        assert not Grant.objects.filter(member=self.member, revoked_at__isnull=True).exists()
        for model in (AuthorizationCode, AccessToken, RefreshToken):
            assert not model.objects.filter(grant__member=self.member).exists()
        for pair in self.handed_out[-3:]:
            assert not self.side.call(pair.access)
            assert self.side.refresh(pair.refresh) is None


def play(side: Here | Served, rounds: int) -> None:
    home, chance = cast.organization("races"), random.Random(22)
    for number in range(rounds):
        member = cast.member(home, f"member{number}")
        Round(member, side).play(chance.choice([memberships.suspend, memberships.remove]))


@pytest.mark.django_db(transaction=True)
def test_no_token_is_born_after_the_end_of_a_membership() -> None:
    play(Here(a_client()), 40)


def test_nor_through_two_web_processes(gateway: Gateway, second_gateway: Gateway) -> None:
    with httpx2.Client(timeout=20) as http:
        play(Served(a_client(), [gateway, second_gateway], http, random.Random(23)), 20)


@pytest.mark.django_db(transaction=True)
def test_of_two_that_come_with_one_refresh_token_at_once_neither_keeps_anything() -> None:
    """The second is a reuse, whichever it is: it ends the grant, and with it what the first was given."""
    side, home = Here(a_client()), cast.organization("races")
    for number in range(20):
        member = cast.member(home, f"member{number}")
        first = side.exchange(consent(member, side.client))
        assert first is not None
        start, given, failures = threading.Barrier(2), list[TokenPair | None](), list[BaseException]()

        def refresh(
            pair: TokenPair = first, start: threading.Barrier = start, given: list[TokenPair | None] = given
        ) -> None:
            start.wait(10)
            given.append(side.refresh(pair.refresh))

        threads = [in_thread(refresh, failures) for _ in range(2)]
        for thread in threads:
            thread.join(20)
        assert failures == []
        assert sorted(pair is None for pair in given) == [False, True]
        assert not [pair for pair in given if pair is not None and side.call(pair.access)]
        assert not Grant.objects.filter(member=member, revoked_at__isnull=True).exists()
