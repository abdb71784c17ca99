"""What an operator registers by hand: programs that people sign in to, and services that ask about tokens."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accesscontrol.models import Member, OAuthClient
from tests import cast
from tests.accesscontrol.oauth.dance import CALLBACK, Dance


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("register_client", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def registered(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--json"))
    return found


def test_a_service_with_a_secret_may_ask_what_a_token_stands_for(bob: Member) -> None:
    service = registered("--name", "Our service", "--confidential")
    assert service["client_secret"] not in str(list(OAuthClient.objects.values()))
    known = {key: service[key] for key in ("client_id", "client_secret")}
    token = cast.token(bob)
    told = Client().post("/oauth/introspect", {"token": token, **known}).json()
    assert (told["active"], told["username"]) == (True, "bob@acme.example")
    wrong = {**known, "client_secret": "wrong"}
    assert Client().post("/oauth/introspect", {"token": token, **wrong}).status_code == 401
    answer = Client().post("/oauth/token", {"grant_type": "client_credentials", **known})
    assert answer.json()["error"] == "unsupported_grant_type"


def test_nobody_can_be_sent_to_a_service_that_has_no_address(bob: Member) -> None:
    dance = Dance(bob)
    dance.client = registered("--name", "Our service", "--confidential")
    for redirect_uri in (CALLBACK, None):
        assert dance.opens(redirect_uri=redirect_uri).status_code == 400


@pytest.mark.parametrize("confidential", [False, True])
def test_people_sign_in_to_a_program_that_the_operator_registered(bob: Member, confidential: bool) -> None:
    dance = Dance(bob)
    dance.client = registered("--name", "Our app", "--redirect", CALLBACK, *["--confidential"] * confidential)
    page = dance.opens().content.decode()
    assert "Our app" in page
    assert "The operator of this server registered it" in page
    assert ("client_secret" in dance.client) == confidential
    secret = {"client_secret": dance.client["client_secret"]} if confidential else {}
    code = dance.code()
    assert dance.exchanges(code, **secret).status_code == 200
    assert "registered by the operator of this server" in dance.browser.get("/grants/").content.decode()


def test_the_secret_is_shown_once_and_the_rest_is_plain_to_read(db: None) -> None:
    shown = run("--name", "Our service", "--confidential").split()
    assert shown[::2] == ["client_id", "client_secret"]
    assert OAuthClient.objects.get().client_id == shown[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--redirect for people"),
        (("--redirect", "http://intranet.example/cb"), "Give a redirect address"),
        (("--redirect", CALLBACK, "javascript:x"), "cannot be redirected to: javascript:x"),
    ],
)
def test_what_could_never_work_is_not_registered(db: None, arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        run("--name", "An app", *arguments)
    assert not OAuthClient.objects.exists()
