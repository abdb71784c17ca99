"""Calendary: events behind OAuth 2. People sign in on a page of it; it wants PKCE, and its refresh tokens rotate.

A refresh token that comes twice ends its whole sign-in, as RFC 9700 asks.
"""

import json
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from elaichi.sandbox.wire import Answer, Record, RefusalError, Request, not_found

SLUG = "calendary"
CLIENT_ID = "elaichi-demo"
_ACCESS_SECONDS = 300
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Calendary</title>
<body style="font: 1rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 4rem auto; padding: 0 1rem">
<h1>Calendary</h1><p>May elaichi read your calendar and add events to it?</p>
<form method="post">{fields}<button>Allow</button></form>
"""
_EVENT = {
    "type": "object",
    "required": ["title", "starts_at"],
    "properties": {
        "title": {"type": "string", "minLength": 1, "description": "What it is about."},
        "starts_at": {"type": "string", "format": "date-time"},
        "place": {"type": "string"},
    },
}


class Calendary:
    """One calendar, whoever signs in. `url` is where it is served."""

    def __init__(self, url: str) -> None:
        self.document = _document(url)
        self._codes: dict[str, Record] = {}
        self._live: dict[str, tuple[str, float]] = {}
        """By access token: its sign-in, and until when."""
        self._refreshable: dict[str, tuple[str, bool]] = {}
        """By refresh token: its sign-in, and whether it is still to be used."""
        self._events: list[Record] = [{"id": 1, "title": "Quarterly review", "starts_at": "2026-03-02T09:00:00Z"}]

    def answer(self, path: str, request: Request) -> Answer:
        match request.method, path:
            case "GET", "/openapi.json":
                return Answer(self.document)
            case "GET", "/authorize":
                return Answer(_page({name: values[0] for name, values in request.query.items()}))
            case "POST", "/authorize":
                return self._approve(_form(request))
            case "POST", "/token":
                return self._token(_form(request))
            case (("GET" | "POST"), "/events"):
                return self._at_events(request)
        raise not_found("path", path)

    def _approve(self, asked: Record) -> Answer:
        if problem := _problem(asked):
            raise RefusalError(400, problem)
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked
        query = urlencode({"code": code, "state": asked.get("state", "")})
        return Answer(None, 302, {"Location": f"{asked['redirect_uri']}?{query}"})

    def _token(self, form: Record) -> Answer:
        match form.get("grant_type"):
            case "authorization_code":
                sign_in = self._exchanged(form)
            case "refresh_token":
                sign_in = self._refreshed(form.get("refresh_token", ""))
            case _:
                return Answer({"error": "unsupported_grant_type"}, 400)
        return Answer(self._issue(sign_in)) if sign_in else Answer({"error": "invalid_grant"}, 400)

    def _exchanged(self, form: Record) -> str | None:
        asked = self._codes.pop(form.get("code", ""), None)
        digest = sha256(form.get("code_verifier", "").encode()).digest()
        challenge = urlsafe_b64encode(digest).decode().rstrip("=")
        if asked is None or (asked["redirect_uri"], asked["code_challenge"]) != (form.get("redirect_uri"), challenge):
            return None
        return secrets.token_urlsafe(8)

    def _refreshed(self, token: str) -> str | None:
        sign_in, unused = self._refreshable.get(token, (None, False))
        if sign_in is None:
            return None
        self._refreshable[token] = sign_in, False
        if not unused:
            self._live = {key: held for key, held in self._live.items() if held[0] != sign_in}
            self._refreshable = {key: held for key, held in self._refreshable.items() if held[0] != sign_in}
            return None
        return sign_in

    def _issue(self, sign_in: str) -> Record:
        access, refresh = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
        self._live[access] = sign_in, time.monotonic() + _ACCESS_SECONDS
        self._refreshable[refresh] = sign_in, True
        return {
            "access_token": access,
            "token_type": "Bearer",
            "expires_in": _ACCESS_SECONDS,
            "refresh_token": refresh,
        }

    def _at_events(self, request: Request) -> Answer:
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self._live.get(token, ("", 0.0))[1] <= time.monotonic():
            refusal = RefusalError(401, "Calendary does not know this account").answer()
            return Answer(refusal.body, refusal.status, {"WWW-Authenticate": 'Bearer realm="Calendary"'})
        if request.method == "GET":
            return Answer({"events": self._events})
        given = json.loads(request.body)
        event = {"id": len(self._events) + 1} | {name: given[name] for name in _EVENT["properties"] if name in given}
        self._events.append(event)
        return Answer(event, 201)


def _problem(asked: Mapping[str, str]) -> str:
    if asked.get("response_type") != "code" or asked.get("client_id") != CLIENT_ID:
        return "Calendary does not know this application"
    if asked.get("code_challenge_method") != "S256" or not asked.get("code_challenge"):
        return "Calendary wants PKCE with S256"
    if urlsplit(asked.get("redirect_uri", "")).path != "/connect/callback/":
        return "Calendary does not send people there"
    return ""


def _page(asked: Mapping[str, str]) -> str:
    if problem := _problem(asked):
        raise RefusalError(400, problem)
    fields = (f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">' for name, value in asked.items())
    return _PAGE.format(fields="".join(fields))


def _form(request: Request) -> Record:
    return {name: values[0] for name, values in parse_qs(request.body.decode(), keep_blank_values=True).items()}


def _document(url: str) -> Record:
    flow = {"authorizationUrl": f"{url}/authorize", "tokenUrl": f"{url}/token", "scopes": {"events": "Your events"}}

    def answer(status: str) -> Record:
        return {status: {"description": "Done.", "content": {"application/json": {"schema": {"type": "object"}}}}}

    body: dict[str, Any] = {"required": True, "content": {"application/json": {"schema": _EVENT}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Calendary", "version": "1", "description": "A calendar that people sign in to."},
        "servers": [{"url": url}],
        "security": [{"sign_in": ["events"]}],
        "components": {"securitySchemes": {"sign_in": {"type": "oauth2", "flows": {"authorizationCode": flow}}}},
        "paths": {
            "/events": {
                "get": {"operationId": "listEvents", "summary": "List events", "responses": answer("200")},
                "post": {
                    "operationId": "createEvent",
                    "summary": "Create an event",
                    "requestBody": body,
                    "responses": answer("201"),
                },
            }
        },
    }
