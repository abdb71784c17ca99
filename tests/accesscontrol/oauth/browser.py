"""A person's browser, as far as OAuth needs one: it signs in, reads the consent page and presses its buttons."""

import re
from collections.abc import Sequence
from html import unescape
from typing import Self
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx2

_INPUT = re.compile(r"<input\b[^>]*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r'([\w-]+)(?:="([^"]*)")?')


def fields(html: str) -> list[dict[str, str]]:
    return [{name: unescape(value) for name, value in _ATTRIBUTE.findall(tag[6:-1])} for tag in _INPUT.findall(html)]


def filled(html: str, *, ticked: Sequence[str] = (), unticked: Sequence[str] = ()) -> dict[str, list[str]]:
    """What the page's form would send: hidden fields, what is chosen at first, and what is ticked or unticked here."""
    sent: dict[str, list[str]] = {}
    for field in fields(html):
        value = field.get("value", "")
        optional = field.get("type") in ("checkbox", "radio")
        if optional and (value in unticked or (value not in ticked and "checked" not in field)):
            continue
        sent.setdefault(field["name"], []).append(value)
    return sent


def query(location: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(location).query, keep_blank_values=True).items()}


class Person:
    """Signs in at the gateway over real HTTP, and stops where a redirect leaves it."""

    def __init__(self, gateway: str, email: str, password: str) -> None:
        self.gateway, self.email, self.password = gateway, email, password
        self.http = httpx2.Client(timeout=20)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def allows(self, address: str, *, ticked: Sequence[str] = ()) -> str:
        """Where the browser is sent after Allow was pressed."""
        page = self._opened(address)
        assert page.status_code == 200, page.text
        return self._posted(address, {**filled(page.text, ticked=ticked), "allow": ["1"]})

    def denies(self, address: str) -> str:
        return self._posted(address, {**filled(self._opened(address).text), "deny": ["1"]})

    def _opened(self, address: str) -> httpx2.Response:
        page = self.http.get(address)
        while page.status_code == 302 and urljoin(address, page.headers["location"]).startswith(self.gateway):
            page = self.http.get(urljoin(address, page.headers["location"]))
        return self._signed_in(address, page) if 'name="password"' in page.text else page

    def _signed_in(self, address: str, page: httpx2.Response) -> httpx2.Response:
        sent = {**filled(page.text), "username": [self.email], "password": [self.password]}
        answer = self.http.post(page.url, data=sent, headers={"Referer": str(page.url)})
        assert answer.status_code == 302, answer.text
        return self.http.get(address)

    def _posted(self, address: str, sent: dict[str, list[str]]) -> str:
        answer = self.http.post(address, data=sent, headers={"Referer": address})
        assert answer.status_code == 302, answer.text
        return str(answer.headers["location"])
