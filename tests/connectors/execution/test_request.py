"""Base URL, arguments and credential in one request: the host stays, the credential wins."""

from base64 import b64encode
from typing import Any

import httpx2
import pytest

from connectors.auth_scheme import CREDENTIAL_FIELDS, AuthKind, AuthScheme
from connectors.execution.arguments import BoundRequest
from connectors.execution.errors import NeedsReauth, UnusableTool
from connectors.execution.request import CREDENTIAL_PARAMETERS, build_request, secrets_of

NONE = AuthScheme(kind=AuthKind.NONE)
BEARER = AuthScheme(kind=AuthKind.BEARER)
BASIC = AuthScheme(kind=AuthKind.BASIC)
KEY_HEADER = AuthScheme(kind=AuthKind.API_KEY_HEADER, parameter="X-Api-Key")
KEY_QUERY = AuthScheme(kind=AuthKind.API_KEY_QUERY, parameter="api_key")


def build(
    auth: AuthScheme = NONE,
    credential: dict[str, Any] | None = None,
    *,
    base_url: str = "https://api.example.com/v1/",
    **bound: Any,
) -> httpx2.Request:
    request = BoundRequest(**{"method": "GET", "path": "/pages", **bound})
    return build_request(request, base_url=base_url, auth=auth, credential=credential or {}, user_agent="elaichi/1")


def test_the_path_continues_the_base_url() -> None:
    request = build(path="/a%2Fb/c", query=(("x", "%26"), ("x", "2")))
    assert str(request.url) == "https://api.example.com/v1/a%2Fb/c?x=%26&x=2"
    assert request.headers["host"] == "api.example.com"
    assert request.headers["user-agent"] == "elaichi/1"
    assert "json" in request.headers["accept"]


def test_body_headers_and_cookies_travel_along() -> None:
    request = build(
        method="POST",
        content=b"{}",
        media_type="application/json",
        headers=(("Notion-Version", "1"), ("Accept", "text/plain")),
        cookies=(("a", "1"), ("b", "2")),
    )
    assert (request.method, request.content) == ("POST", b"{}")
    expected = {
        "content-type": "application/json",
        "content-length": "2",
        "notion-version": "1",
        "accept": "text/plain",
        "cookie": "a=1; b=2",
    }
    assert {name: request.headers[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("auth", "credential", "header"),
    [
        (BEARER, {"token": " t0k3n\n"}, ("authorization", "Bearer t0k3n")),
        (AuthScheme(kind=AuthKind.OAUTH2), {"access_token": "abc"}, ("authorization", "Bearer abc")),
        (BASIC, {"username": "ü", "password": "p:w"}, ("authorization", "Basic w7w6cDp3")),
        (BASIC, {"username": "sk_live"}, ("authorization", "Basic c2tfbGl2ZTo=")),
        (KEY_HEADER, {"key": "k3y"}, ("x-api-key", "k3y")),
        (
            AuthScheme(kind=AuthKind.API_KEY_HEADER, parameter="Authorization"),
            {"key": "Token k3y"},
            ("authorization", "Token k3y"),
        ),
    ],
)
def test_each_kind_of_credential(auth: AuthScheme, credential: dict[str, str], header: tuple[str, str]) -> None:
    request = build(auth, credential, headers=((header[0].title(), "of the arguments"),))
    assert request.headers.get_list(header[0]) == [header[1]]


def test_a_query_key_replaces_every_argument_of_its_name() -> None:
    mine = (("api_key", "mine"), ("API_KEY", "mine"), ("api%5Fkey", "mine"), ("x", "1"))
    request = build(KEY_QUERY, {"key": "k&y"}, query=mine)
    assert request.url.query == b"x=1&api_key=k%26y"
    assert request.extensions == {CREDENTIAL_PARAMETERS: ("api_key",)}


def test_without_authentication_nothing_is_added() -> None:
    assert "authorization" not in build(NONE, {"token": "unused"}).headers


@pytest.mark.parametrize("auth", [BEARER, BASIC, KEY_HEADER, KEY_QUERY])
def test_a_missing_credential_needs_reauth(auth: AuthScheme) -> None:
    with pytest.raises(NeedsReauth, match="Connect the account again"):
        build(auth, {"password": "only"})


@pytest.mark.parametrize(
    ("auth", "credential"),
    [
        (BEARER, {"token": "canary\r\nX-Evil: 1"}),
        (KEY_HEADER, {"key": "canäry"}),
        (BASIC, {"username": "canary:1", "password": "x"}),
    ],
)
def test_a_credential_that_cannot_be_sent_needs_reauth_and_is_not_told(
    auth: AuthScheme, credential: dict[str, str]
) -> None:
    with pytest.raises(NeedsReauth) as caught:
        build(auth, credential)
    assert "can" not in str(caught.value).replace("can't", "")


@pytest.mark.parametrize("parameter", ["", "X Key", "Host", "Content-Length", "a\r\nb"])
def test_a_key_without_a_usable_place_is_refused(parameter: str) -> None:
    with pytest.raises(UnusableTool):
        build(AuthScheme(kind=AuthKind.API_KEY_HEADER, parameter=parameter), {"key": "k"})


@pytest.mark.parametrize(
    "base_url",
    ["", "api.example.com", "ftp://example.com", "file:///etc", "https://u:p@example.com", "https://", "http://[::1"],
)
def test_a_base_url_that_cannot_be_used_is_refused(base_url: str) -> None:
    with pytest.raises(UnusableTool):
        build(base_url=base_url)


@pytest.mark.parametrize("path", ["/../admin", "/a/../../admin", "/."])
def test_a_path_that_would_leave_the_base_url_is_refused(path: str) -> None:
    with pytest.raises(UnusableTool):
        build(path=path)


@pytest.mark.parametrize("path", ["//evil.example/x", "/@evil.example", "/%2F%2Fevil.example", "/\\evil.example"])
def test_no_path_changes_the_host(path: str) -> None:
    for base_url in ("https://api.example.com", "https://api.example.com/v1"):
        try:
            url = build(path=path, base_url=base_url).url
        except UnusableTool:
            continue
        assert (url.scheme, url.host, url.port) == ("https", "api.example.com", None)
        assert url.path.startswith(httpx2.URL(base_url).path)


class TestSecrets:
    def test_every_form_that_an_upstream_may_echo(self) -> None:
        secrets = secrets_of(BEARER, {"token": 'a/"<&>+ñ'})
        assert set(secrets) == {
            "a/%22%3c%26%3e%2b%c3%b1",
            "a%2f%22%3c%26%3e%2b%c3%b1",
            "612f223c263e2bc3b1",
            "612F223C263E2BC3B1",
            "YS8iPCY+K8Ox",
            "YS8iPCY-K8Ox",
            "EvIjwmPivD",
            "hLyI8Jj4r",
            'a/"<&>+ñ',
            "a%2F%22%3C%26%3E%2B%C3%B1",
            "a/%22%3C%26%3E%2B%C3%B1",
            'a/\\"<&>+\\u00f1',
            "a/&quot;&lt;&amp;&gt;+ñ",
        }

    def test_of_basic_the_password_and_the_encoded_pair_but_no_name_of_a_person(self) -> None:
        secrets = secrets_of(BASIC, {"username": "bob@example.com", "password": "hunter22"})
        encoded = b64encode(b"bob@example.com:hunter22").decode()
        assert {"hunter22", encoded} <= set(secrets)
        assert "bob@example.com" not in secrets

    def test_a_user_name_that_is_a_key_is_a_secret(self) -> None:
        assert "sk_live_0123456789" in secrets_of(BASIC, {"username": "sk_live_0123456789", "password": ""})

    def test_too_short_ones_are_left_alone(self) -> None:
        assert secrets_of(KEY_HEADER, {"key": "abc"}) == ()

    @pytest.mark.parametrize("kind", list(AuthKind))
    def test_each_kind_has_its_secrets(self, kind: AuthKind) -> None:
        credential = dict.fromkeys(CREDENTIAL_FIELDS[kind], "0123456789abcdef")
        assert bool(secrets_of(AuthScheme(kind=kind), credential)) == (kind is not AuthKind.NONE)
