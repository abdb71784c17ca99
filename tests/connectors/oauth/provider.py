"""A real OAuth 2 provider with an API behind it, on a port of this machine: what it hands out, its API knows.

It approves every authorization request at once, checks redirect URI, client and PKCE, and rotates refresh tokens; one
that is used twice ends the whole sign-in, as RFC 9700 asks. A test sets what it should do differently.
"""

import json
import secrets
from base64 import b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from queue import Queue
from threading import Event, Lock
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.connectors.execution.upstream import Handler, Server, respond, serving

CLIENT, SECRET = "elaichi-at-acme", "canary-client-secret"


class Denied(Exception):
    """An error of the token endpoint."""


@dataclass
class Provider:
    """Where nothing is set, it rotates, and its tokens are good for an hour."""

    server: Server = field(default_factory=Server)
    rotates: bool = True
    refreshes: bool = True
    expires_in: int | str | None = 3600
    denies: str = ""
    """The error of the sign-in page."""
    fails_with: int = 0
    """The status of the token endpoint, where it fails."""
    seconds: float = 0.0
    """How long the token endpoint takes."""
    issuer: str = ""
    extra: dict[str, Any] = field(default_factory=dict)
    """What its token answers say besides."""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    live: set[str] = field(default_factory=set)
    """Access tokens that the API takes."""
    refreshable: dict[str, bool] = field(default_factory=dict)
    """Refresh tokens, and whether each is still to be used."""
    asked: Counter[str] = field(default_factory=Counter)
    """Token requests, by grant type; and `reuse` of refresh tokens."""
    authentications: set[str] = field(default_factory=set)
    lock: Any = field(default_factory=Lock)
    arrived: Event = field(default_factory=Event)
    """That the token endpoint was asked."""
    answers: Event = field(default_factory=Event)
    revoked: "Queue[str]" = field(default_factory=Queue)
    """What it was told to revoke, whether it knew it or not."""

    def __post_init__(self) -> None:
        self.answers.set()
        self.server.routes |= {"/authorize": self._authorize, "/token": self._token, "/revoke": self._revoke}
        for path in ("/get_page", "/create_page"):
            self.server.routes[path] = self._api

    @property
    def url(self) -> str:
        return self.server.url

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Whoever asks the token endpoint within the block is answered after it."""
        self.arrived.clear()
        self.answers.clear()
        try:
            yield
        finally:
            self.answers.set()

    def sign_in(self) -> dict[str, Any]:
        """A token answer as after a sign-in."""
        with self.lock:
            return self._issue()

    def end_access_tokens(self) -> None:
        self.live.clear()

    def end_sign_ins(self) -> None:
        self.live.clear()
        self.refreshable.clear()

    def _authorize(self, handler: Handler) -> None:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(handler.path).query).items()}
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT
        if self.denies:
            answer = {"error": self.denies, "error_description": "<b>canary description</b>"}
        else:
            answer = {"code": secrets.token_urlsafe(8)}
            self.codes[answer["code"]] = asked
        named = {"iss": self.issuer} if self.issuer else {}
        respond(302, Location=f"{asked['redirect_uri']}?{urlencode({**answer, **named, 'state': asked['state']})}")(
            handler
        )

    def _token(self, handler: Handler) -> None:
        given = dict(parse_qs(handler.server.received[-1].body.decode(), keep_blank_values=True))
        form = {name: values[0] for name, values in given.items()}
        self.arrived.set()
        self.answers.wait(20)
        handler.server.stopping.wait(self.seconds)
        with self.lock:
            try:
                status, answer = self._answered(handler, form)
            except Denied as denied:
                status, answer = 400, {"error": str(denied), "error_description": "canary description"}
        respond(status, json.dumps(answer).encode(), Content_Type="application/json")(handler)

    def _revoke(self, handler: Handler) -> None:
        given = parse_qs(handler.server.received[-1].body.decode())
        form = {name: values[0] for name, values in given.items()}
        self._authenticate(handler.headers.get("Authorization", ""), form)
        self.refreshable.pop(form["token"], None)
        respond(self.fails_with or 200)(handler)
        self.revoked.put(form["token"])

    def _answered(self, handler: Handler, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        self.asked[form["grant_type"]] += 1
        if self.fails_with:
            return self.fails_with, {"error": "invalid_grant"}
        self._authenticate(handler.headers.get("Authorization", ""), form)
        match form["grant_type"]:
            case "authorization_code":
                return 200, self._exchanged(form)
            case "refresh_token":
                return 200, self._refreshed(form["refresh_token"])
            case _:
                return 200, self._issue(refreshable=False)

    def _authenticate(self, header: str, form: dict[str, str]) -> None:
        kind = "basic" if header else "post" if "client_secret" in form else "none"
        self.authentications.add(kind)
        login = b64decode(header.removeprefix("Basic ")).decode().split(":", 1) if header else []
        if kind == "post":
            login = [form["client_id"], form["client_secret"]]
        if login != ([CLIENT, SECRET] if kind != "none" else []) or (kind == "none" and form["client_id"] != CLIENT):
            raise Denied("invalid_client")

    def _exchanged(self, form: dict[str, str]) -> dict[str, Any]:
        asked = self.codes.pop(form["code"], None)
        challenge = urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
        if (
            asked is None
            or asked["redirect_uri"] != form["redirect_uri"]
            or (asked["code_challenge_method"], asked["code_challenge"]) != ("S256", challenge)
        ):
            raise Denied("invalid_grant")
        return self._issue()

    def _refreshed(self, token: str) -> dict[str, Any]:
        if self.refreshable.get(token) is False:
            self.asked["reuse"] += 1
            self.end_sign_ins()
        if token not in self.refreshable:
            raise Denied("invalid_grant")
        if self.rotates:
            self.refreshable[token] = False
            return self._issue()
        return self._issue(refreshable=False)

    def _issue(self, *, refreshable: bool = True) -> dict[str, Any]:
        access, refresh = f"access-{secrets.token_urlsafe(8)}", f"refresh-{secrets.token_urlsafe(8)}"
        self.live.add(access)
        answer: dict[str, Any] = {"access_token": access, "token_type": "Bearer", **self.extra}
        if refreshable and self.refreshes:
            self.refreshable[refresh] = True
            answer["refresh_token"] = refresh
        return answer | ({"expires_in": self.expires_in} if self.expires_in is not None else {})

    def _api(self, handler: Handler) -> None:
        token = handler.headers.get("Authorization", "").removeprefix("Bearer ")
        if token in self.live:
            respond(200, b'{"page": "Holidays"}', Content_Type="application/json")(handler)
        else:
            respond(401, b"who are you?")(handler)


@contextmanager
def running(**options: Any) -> Iterator[Provider]:
    provider = Provider(**options)
    with serving(provider.server):
        yield provider
