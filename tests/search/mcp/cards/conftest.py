"""A host that shows a card in headless Chromium and passes its calls on to the real /mcp."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from accesscontrol.models import Member
from connectors.models import Connector
from tests import cast
from tests.browser import Waited
from tests.search.mcp.rpc import Rpc

HOST = (Path(__file__).parent / "host.html").read_text()


@dataclass
class Card:
    """A card on its host's page; `complaints` are errors and warnings, `requests` what went to any network."""

    page: Waited
    rpc: Rpc
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)

    def open(self, name: str, **context: Any) -> "Card":
        [contents] = self.rpc.result("resources/read", {"uri": f"ui://elaichi/{name}"})["contents"]
        self.page.goto("about:blank")
        self.page.set_content(HOST)
        self.page.evaluate("([html, context]) => open(html, context)", [contents["text"], context])
        return self

    def deliver(self, result: dict[str, Any], arguments: dict[str, Any] | None = None) -> Waited:
        self.page.evaluate("([input, result]) => deliver(input, result)", [arguments, result])
        return self.frame

    def search(self, query: str, **arguments: Any) -> Waited:
        """Opens the search card with what this search finds."""
        asked = {"query": query, **arguments}
        return self.open("search").deliver(self.rpc.call("search_tools", **asked), asked)

    def run(self, name: str, **arguments: Any) -> Waited:
        """Opens the call card with what this call comes to."""
        asked = {"name": name, "arguments": arguments}
        return self.open("call").deliver(
            self.rpc.result("tools/call", {"name": "execute_tool", "arguments": asked}), asked
        )

    @property
    def frame(self) -> Waited:
        found: Waited = self.page.frame_locator("iframe")
        return found

    def call(self, params: dict[str, Any]) -> dict[str, Any]:
        self.calls.append(params)
        body: dict[str, Any] = self.rpc.send("tools/call", params).json()
        return {key: body[key] for key in ("result", "error") if key in body}


@pytest.fixture
def new_card(browser: Waited, bob: Member) -> Iterator[Callable[..., Card]]:
    """Makes a card of Bob's client; keywords go to the browser's context. Nothing may be complained of or requested."""
    made: list[Card] = []

    def make(**options: Any) -> Card:
        page = browser.new_context(**{"viewport": {"width": 480, "height": 900}, **options}).new_page()
        card = Card(page, Rpc(cast.token(bob)))
        page.set_default_timeout(5000)
        page.on(
            "console", lambda said: card.complaints.append(said.text) if said.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: card.complaints.append(str(error)))
        page.on("request", lambda request: card.requests.append(request.url))
        page.expose_function("toServer", browser.driver.here(card.call))
        made.append(card)
        return card

    yield make
    for card in made:
        card.page.context.close()
    assert [card.complaints for card in made if card.complaints] == []
    assert [card.requests for card in made if card.requests] == []


@pytest.fixture
def card(new_card: Callable[..., Card], deskline: Connector) -> Card:
    return new_card()
