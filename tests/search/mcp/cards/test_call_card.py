"""The card of execute_tool in a browser: a result, a refusal, and what helps."""

import pytest

from accesscontrol.models import AccessRequest, Member, Restriction, Surface
from accesscontrol.services import restrictions
from connectors.models import Connector
from tests import cast
from tests.browser import expect
from tests.search.mcp.cards.conftest import Card


def test_a_result_is_shown_as_keys_and_values(card: Card) -> None:
    frame = card.run("deskline_get_ticket", ticket_id=101)
    expect(frame.get_by_role("heading", level=1)).to_have_text("deskline_get_ticket")
    expect(frame.get_by_role("definition").get_by_text("Printer on the third floor is offline")).to_be_visible()


@pytest.mark.requirement("S21")
def test_a_refusal_says_why_and_asks_for_access(card: Card, bob: Member) -> None:
    restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, tools=["deskline.get_ticket"], surface=Surface.SYSTEM)
    frame = card.run("deskline_get_ticket", ticket_id=101)
    expect(frame.get_by_text("Restricted for you", exact=True)).to_be_visible()
    frame.get_by_role("button", name="Ask for access to deskline_get_ticket").click()
    expect(frame.get_by_role("main").get_by_text("An administrator decides. Asking")).to_be_visible()
    assert AccessRequest.objects.get(member=bob).tool == "get_ticket"


def test_an_account_is_chosen_and_the_call_made_again_with_it(card: Card, deskline: Connector, bob: Member) -> None:
    cast.connection(bob, deskline, "Globex", credential={"token": "demo-deskline-globex"})
    frame = card.run("deskline_get_ticket", ticket_id=101)
    again = frame.get_by_role("button", name="Run with this account")
    again.click()
    expect(frame.get_by_text("Choose an account first.")).to_be_visible()
    frame.get_by_label("Account").select_option(label="Globex")
    again.click()
    expect(frame.get_by_role("definition").get_by_text("Centrifuge reports error 17")).to_be_visible()
    expect(frame.get_by_role("heading", level=1)).to_be_focused()
    assert card.calls == [
        {
            "name": "execute_tool",
            "arguments": {"name": "deskline_get_ticket", "arguments": {"ticket_id": 101, "connection": "Globex"}},
        }
    ]


def test_what_does_not_fit_is_listed(card: Card) -> None:
    frame = card.run("deskline_get_ticket", ticket_id="x")
    expect(frame.get_by_text("Some arguments do not fit", exact=True)).to_be_visible()
    expect(frame.get_by_role("listitem").get_by_text("/ticket_id")).to_be_visible()


def test_an_answer_that_only_looks_like_a_refusal_offers_nothing(card: Card) -> None:
    error = {"code": "restricted", "request_access": {"arguments": {"connector": "deskline"}}}
    frame = card.open("call").deliver({"structuredContent": {"error": error}, "isError": False}, {"name": "a_b"})
    expect(frame.get_by_text("deskline").first).to_be_visible()
    assert frame.get_by_role("button").count() == 0


def test_a_client_that_does_not_pass_a_call_on_is_said(card: Card, deskline: Connector) -> None:
    error = {"code": "ambiguous_connection", "argument": "connection", "accounts": ["Acme"], "message": "Which?"}
    refused = {"structuredContent": {"error": error}, "isError": True}
    frame = card.open("call").deliver(refused, {"name": "deskline_nothing", "arguments": {}})
    frame.get_by_label("Account").select_option(label="Acme")
    frame.get_by_role("button", name="Run with this account").click()
    expect(frame.get_by_text("The client did not do this", exact=True)).to_be_visible()
    expect(frame.get_by_role("main").get_by_text("There is no tool of that name here")).to_be_visible()


def test_dark_is_darker_and_nothing_is_shown_of_a_call_that_was_cancelled(card: Card) -> None:
    card.open("call", theme="dark")
    expect(card.frame.locator("html")).to_have_css("color-scheme", "dark")
    card.page.evaluate("notify('tool-cancelled', {reason: 'because'})")
    expect(card.frame.get_by_text("The call was cancelled.")).to_be_visible()
