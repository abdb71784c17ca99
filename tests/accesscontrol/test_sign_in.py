"""Signing in with a password: failing is limited and told to the organization, and the words give nothing away."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from accesscontrol.models import AuditEvent, Member
from accesscontrol.sign_in import FAILURES_PER_ADDRESS, FAILURES_PER_EMAIL
from tests import cast
from tests.accesscontrol.oauth.dance import Dance

PAGES = pytest.mark.parametrize("page", ["/login/", "/admin/login/"])


@pytest.fixture(autouse=True)
def _nobody_failed_before() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def tries(email: str, password: str = "wrong", page: str = "/login/", address: str = "192.0.2.1", **sent: Any) -> Any:
    return Client(REMOTE_ADDR=address).post(page, {"username": email, "password": password}, **sent)


def outcomes(member: Member) -> list[str]:
    events = AuditEvent.objects.of(member.organization).filter(action="sign_in.refused").order_by("at")
    assert {event.target for event in events} <= {f"member:{member.pk}"}
    assert {event.actor for event in events} <= {None}
    return [event.outcome for event in events]


@PAGES
def test_an_address_can_be_guessed_at_only_so_often_from_wherever_it_comes(alice: Member, page: str) -> None:
    for place in range(FAILURES_PER_EMAIL):
        assert tries("alice@acme.example", page=page, address=f"192.0.2.{place}").status_code == 200
    for spelling in ("alice@acme.example", " Alice@Acme.Example "):
        answer = tries(spelling, cast.PASSWORD, page=page, address="192.0.2.200")
        assert answer.status_code == 429
        assert answer["Retry-After"] == "900"
        assert "Wait 15 minutes" in answer.content.decode()
    assert outcomes(alice) == [*["wrong_password"] * FAILURES_PER_EMAIL, "rate_limited"]


def test_both_pages_count_together(alice: Member) -> None:
    for attempt in range(FAILURES_PER_EMAIL):
        tries("alice@acme.example", page=("/login/", "/admin/login/")[attempt % 2])
    assert tries("alice@acme.example").status_code == 429
    assert tries("alice@acme.example", page="/admin/login/").status_code == 429


def test_one_place_can_guess_at_only_so_many_addresses(alice: Member) -> None:
    for number in range(FAILURES_PER_ADDRESS):
        assert tries(f"{number}@acme.example").status_code == 200
    assert tries("alice@acme.example", cast.PASSWORD).status_code == 429
    assert tries("0@acme.example", headers={"X-Forwarded-For": "203.0.113.9"}).status_code == 429
    assert tries("alice@acme.example", cast.PASSWORD, address="192.0.2.2").status_code == 302


def test_who_signs_in_has_all_attempts_again_and_costs_the_place_none(alice: Member) -> None:
    for _ in range(FAILURES_PER_ADDRESS + FAILURES_PER_EMAIL):
        assert tries("alice@acme.example", cast.PASSWORD).status_code == 302
    for _ in range(2):
        for _ in range(FAILURES_PER_EMAIL - 1):
            assert tries("alice@acme.example").status_code == 200
        assert tries("alice@acme.example", cast.PASSWORD).status_code == 302


@PAGES
def test_what_is_said_does_not_tell_whether_somebody_is_known(alice: Member, bob: Member, page: str) -> None:
    bob.user.is_active = False
    bob.user.save()

    def said(email: str, password: str = "wrong") -> str:
        text = tries(email, password, page).content.decode()
        assert email in text
        return "".join(line for line in text.replace(email, "").splitlines() if "csrfmiddlewaretoken" not in line)

    unknown = said("nobody@acme.example")
    assert said("alice@acme.example") == said("bob@acme.example", cast.PASSWORD) == unknown
    for _ in range(FAILURES_PER_EMAIL):
        tries("alice@acme.example")
        tries("nobody@acme.example")
    known, unknown = tries("alice@acme.example"), tries("nobody@acme.example")
    assert known.status_code == unknown.status_code == 429
    assert known.content == unknown.content


def test_an_address_that_nobody_has_is_told_to_nobody(alice: Member) -> None:
    for email in ("nobody@acme.example", "", "\x00", "x" * 5000):
        assert tries(email).status_code == 200
    assert not AuditEvent.objects.filter(action="sign_in.refused").exists()


def test_no_password_is_kept(alice: Member) -> None:
    tries("alice@acme.example", "a secret that was nearly right")
    assert "nearly right" not in str(list(AuditEvent.objects.values()))


def form_action(page: Any) -> str:
    [found] = [part.strip() for part in page["Content-Security-Policy"].split(";") if "form-action" in part]
    return str(found)


@pytest.mark.parametrize(
    ("uri", "source"),
    [
        ("https://client.example/callback", "https://client.example"),
        ("http://127.0.0.1:5123/callback", "http://127.0.0.1:5123"),
        ("http://[::1]:5123/callback", "http:"),
        ("cursor://anysphere.cursor-mcp/oauth/callback", "cursor:"),
    ],
)
def test_the_page_s_form_may_lead_on_to_the_client_that_waits(bob: Member, uri: str, source: str) -> None:
    dance = Dance(redirect_uris=[uri])
    page = Client().get(dance.address(), follow=True)
    assert form_action(page) == f"form-action 'self' {source}"


def test_it_leads_nowhere_else(db: None) -> None:
    dance = Dance()
    addresses = [
        dance.address(redirect_uri="https://evil.example/callback"),
        dance.address(client_id="nobody"),
        dance.address(client_id="x\x00"),
        dance.address(redirect_uri=None),
        "/grants/?" + dance.address().partition("?")[2],
        "https://evil.example" + dance.address(),
        "",
    ]
    for address in addresses:
        page = Client().get("/login/", {"next": address})
        assert form_action(page) == "form-action 'self'"
