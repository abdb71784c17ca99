"""The card of search_tools in a browser: what it shows, runs and asks for, over the real endpoint."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from accesscontrol.models import AccessRequest, Member, Restriction, Surface
from accesscontrol.services import restrictions
from connectors.models import Connector
from tests import cast
from tests.browser import Waited, expect
from tests.search.mcp.cards.conftest import Card

WITHHELD = ["get_ticket", "create_ticket", "update_ticket", "search_tickets", "add_ticket_comment", "list_tickets"]


def restrict(member: Member, *tools: str) -> None:
    names = [f"deskline.{tool}" for tool in tools]
    restrictions.create(subject=member, mode=Restriction.Mode.BLOCK, tools=names, surface=Surface.SYSTEM)


def prepared(frame: Waited, tool: str) -> Waited:
    frame.get_by_role("button", name=f"Prepare {tool}").click()
    found: Waited = frame.get_by_role("listitem", name=tool)
    return found


def tickets(sandbox: str, account: str = "acme") -> dict[int, dict[str, Any]]:
    """What the product itself holds now."""
    headers = {"Authorization": f"Bearer demo-deskline-{account}"}
    found = httpx2.get(f"{sandbox}/deskline/tickets", headers=headers, params={"limit": 100}).json()["tickets"]
    return {ticket["id"]: ticket for ticket in found}


def test_rows_say_what_a_tool_is_of_which_app_and_what_it_does(card: Card) -> None:
    frame = card.search("delete a ticket")
    row = frame.get_by_role("listitem", name="deskline_delete_ticket")
    expect(row.get_by_text("Deletes", exact=True)).to_be_visible()
    expect(row.get_by_text("Deskline", exact=True)).to_be_visible()
    expect(frame.get_by_role("heading", level=1)).to_contain_text("for “delete a ticket”")
    expect(card.search("get a ticket").get_by_text("Reads", exact=True).first).to_be_visible()


@pytest.mark.requirement("S21")
def test_a_card_says_how_many_matches_are_restricted_and_names_up_to_five(card: Card, bob: Member) -> None:
    restrict(bob, *WITHHELD)
    frame = card.search("ticket")
    region = frame.get_by_role("region", name="6 matches are restricted for you")
    expect(region.get_by_role("listitem")).to_have_count(5)
    text = card.rpc.call("search_tools", query="ticket")["content"][0]["text"]
    assert '"restricted_count":6' in text
    for name in region.get_by_role("heading", level=3).all_text_contents():
        assert name in text


def test_asking_for_access_makes_a_request_and_shows_the_answer(card: Card, bob: Member) -> None:
    restrict(bob, "delete_ticket")
    frame = card.search("delete a ticket")
    frame.get_by_role("button", name="Ask for access to deskline_delete_ticket").click()
    expect(frame.get_by_role("region").get_by_text("An administrator decides.")).to_be_visible()
    asked = AccessRequest.objects.get(member=bob)
    assert (asked.connector, asked.tool) == ("deskline", "delete_ticket")


def test_a_whole_app_that_is_restricted_is_asked_for_whole(card: Card, bob: Member) -> None:
    restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, connectors=["deskline"], surface=Surface.SYSTEM)
    frame = card.search("ticket")
    frame.get_by_role("button", name="Ask for access to All of Deskline").click()
    expect(frame.get_by_role("region").get_by_text("Asked.")).to_be_visible()
    assert AccessRequest.objects.get(member=bob).tool == ""


def test_a_tool_runs_with_what_its_form_was_given(card: Card, sandbox: str) -> None:
    row = prepared(card.search("create a ticket"), "deskline_create_ticket")
    row.get_by_label("project").fill("OPS")
    row.get_by_label("subject").fill("A loud fan")
    row.get_by_text("Optional", exact=True).click()
    row.get_by_label("priority").select_option(label="urgent")
    row.get_by_role("button", name="Run").click()
    expect(row.get_by_role("definition").get_by_text("A loud fan")).to_be_visible()
    [made] = [ticket for ticket in tickets(sandbox).values() if ticket["subject"] == "A loud fan"]
    assert (made["project"], made["priority"]) == ("OPS", "urgent")


def test_a_form_says_what_is_missing_and_sends_nothing(card: Card) -> None:
    row = prepared(card.search("get a ticket"), "deskline_get_ticket")
    row.get_by_role("button", name="Run").click()
    expect(row.get_by_text("This is needed.")).to_be_visible()
    expect(row.get_by_label("ticket_id")).to_be_focused()
    assert card.calls == []


def test_what_is_refused_is_told_in_plain_words(card: Card, bob: Member) -> None:
    row = prepared(card.search("list tickets"), "deskline_list_tickets")
    restrict(bob, "list_tickets")
    row.get_by_role("button", name="Run").click()
    expect(row.get_by_text("Restricted for you")).to_be_visible()
    row.get_by_role("button", name="Ask for access to deskline_list_tickets").click()
    expect(row.get_by_text("Asked.")).to_be_visible()
    assert AccessRequest.objects.filter(member=bob, tool="list_tickets").exists()


def test_a_tool_that_deletes_asks_once_more_and_by_the_keyboard_alone_it_can_be_left(card: Card, sandbox: str) -> None:
    frame = card.search("delete a ticket")
    keys = card.page.keyboard
    opener = frame.get_by_role("button", name="Prepare deskline_delete_ticket")
    opener.focus()
    keys.press("Enter")
    expect(frame.get_by_label("ticket_id")).to_be_focused()
    keys.type("101")
    keys.press("Enter")
    expect(frame.get_by_role("button", name="Cancel")).to_be_focused()
    keys.press("Escape")
    expect(frame.get_by_role("button", name="Run deskline_delete_ticket")).to_be_focused()
    assert 101 in tickets(sandbox)
    keys.press("Enter")
    keys.press("Tab")
    expect(frame.get_by_role("button", name="Yes, run it")).to_be_focused()
    keys.press("Enter")
    expect(frame.get_by_text("204", exact=True)).to_be_visible()
    assert 101 not in tickets(sandbox)
    keys.press("Escape")
    expect(opener).to_be_focused()
    expect(opener).to_have_attribute("aria-expanded", "false")


def test_an_account_is_picked_where_there_are_several(
    card: Card, deskline: Connector, bob: Member, sandbox: str
) -> None:
    cast.connection(bob, deskline, "Globex", credential={"token": "demo-deskline-globex"})
    frame = card.search("list tickets")
    expect(frame.get_by_text("2 accounts: Acme, Globex").first).to_be_visible()
    row = prepared(frame, "deskline_list_tickets")
    row.get_by_label("Account").select_option(label="Globex")
    row.get_by_role("button", name="Run").click()
    expect(row.get_by_text("Centrifuge reports error 17", exact=True)).to_be_visible()


def test_nothing_found_shows_the_note(card: Card) -> None:
    frame = card.search("list_all_cal_com_schedules")
    note = card.rpc.found("list_all_cal_com_schedules")["note"]
    expect(frame.get_by_role("heading", level=1)).to_contain_text("No tool")
    expect(frame.get_by_text(note)).to_be_visible()


def test_a_next_page_is_added_to_the_first(card: Card) -> None:
    frame = card.search("ticket", limit=3)
    rows = frame.get_by_role("main").get_by_role("listitem")
    expect(rows).to_have_count(3)
    frame.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(6)


@pytest.mark.usefixtures("deskline")
def test_dark_and_light_follow_the_system_and_the_host(new_card: Callable[..., Card]) -> None:
    def colours(card: Card) -> Any:
        body = card.frame.locator("body")
        return body.evaluate("body => [getComputedStyle(body).color, getComputedStyle(body).backgroundColor]")

    light, dark = new_card(color_scheme="light").open("search"), new_card(color_scheme="dark").open("search")
    seen = colours(light), colours(dark)
    assert all(a != b for a, b in zip(*seen, strict=True))
    light.page.evaluate("notify('host-context-changed', {theme: 'dark'})")
    expect(light.frame.locator("body")).to_have_css("color", seen[1][0])
    assert colours(dark.open("search", theme="light")) == seen[0]


def test_hostile_text_is_shown_and_does_nothing(card: Card, bob: Member, deskline: Connector) -> None:
    markup = "<img src=x onerror=alert(1)><script>alert(1)</script><style>*{display:none}</style>"
    hostile = f"{markup} \u202egnissim\u202c \u0007\u001b[31m שלום {'long' * 500}"
    row = {
        "name": f"desk_{markup}",
        "description": hostile,
        "connector_label": hostile,
        "annotations": {"readOnlyHint": False, "destructiveHint": "no"},
        "connections": [markup, "B"],
        "input_schema": {
            "required": ["connection", "__proto__"],
            "properties": {"connection": {}, "__proto__": {"description": markup, "enum": [markup]}, "x": 7},
        },
    }
    withheld = {"name": markup, "restricted": {"by": markup, "request_access": {"operation": "execute_tool"}}}
    found = {"result": [row, withheld, None, 3, {}], "note": hostile, "restricted_count": 1, "next_cursor": {}}
    frame = card.open("search").deliver({"structuredContent": found}, {"query": markup})
    expect(frame.get_by_role("heading", level=2).first).to_have_text(f"desk_{markup}")
    frame.get_by_role("button", name="Prepare desk_").click()
    expect(frame.get_by_text("Deletes", exact=True)).to_be_visible()
    assert frame.locator("img, main script, main style, iframe").count() == 0
    assert "\u202e" not in frame.locator("main").inner_text()
    assert frame.get_by_role("button", name="Ask for access").count() == 0
    width = frame.locator("html").evaluate("html => html.scrollWidth - html.clientWidth")
    assert width == 0


def test_broken_messages_and_those_of_others_change_nothing(card: Card) -> None:
    card.open("search")
    params: list[Any] = [None, [], {"a": 1}]
    broken: list[Any] = [None, 7, "x", [], {}, {"jsonrpc": "2.0"}, {"jsonrpc": "2.0", "id": 99, "result": 1}]
    broken += [{"jsonrpc": "2.0", "method": "ui/notifications/tool-result", "params": p} for p in params]
    broken += [{"jsonrpc": "2.0", "method": "ui/notifications/tool-input", "params": {"arguments": "x"}}]
    broken += [{"jsonrpc": "2.0", "method": "constructor", "params": {}}, {"jsonrpc": "2.0", "method": 3}]
    card.page.evaluate("all => all.forEach((one) => frame.contentWindow.postMessage(one, '*'))", broken)
    card.page.evaluate("tell({id: 'p', method: 'ping'}), tell({id: 't', method: 'ui/none'})")
    expect(card.frame.get_by_role("heading", level=1)).to_have_text("No tool")
    forged = {"jsonrpc": "2.0", "method": "ui/notifications/tool-cancelled", "params": {}}
    card.frame.locator("body").evaluate("(_, forged) => window.postMessage(forged, '*')", forged)
    card.page.evaluate("tell({id: 'q', method: 'ping'})")
    card.page.wait_for_function("posted.some((one) => one.id === 'q')")
    expect(card.frame.get_by_role("heading", level=1)).to_have_text("No tool")
    answers = {one["id"]: one for one in card.page.evaluate("posted") if "id" in one and "method" not in one}
    assert answers["p"]["result"] == {}
    assert answers["t"]["error"]["code"] == -32601


def test_every_control_has_a_name_and_the_size_is_told(card: Card, bob: Member) -> None:
    restrict(bob, "update_ticket")
    frame = card.search("ticket")
    for button in frame.get_by_role("button", name="Prepare").all():
        button.click()
    expect(frame.get_by_role("status")).to_contain_text("1 restricted for you.")
    nameless = """all => all.filter((control) => {
        const named = control.tagName === "BUTTON" ? control : control.labels[0];
        return !(control.ariaLabel || named.textContent.trim());
    }).length"""
    controls = frame.locator("button, input, select, textarea")
    assert controls.count() > 20
    assert controls.evaluate_all(nameless) == 0
    sizes = [one["params"] for one in card.page.evaluate("posted") if one.get("method", "").endswith("size-changed")]
    assert sizes[-1]["height"] > sizes[0]["height"]


@pytest.mark.usefixtures("deskline")
def test_it_fits_into_320_pixels(new_card: Callable[..., Card]) -> None:
    frame = new_card(viewport={"width": 320, "height": 800}).search("create a ticket")
    prepared(frame, "deskline_create_ticket")
    assert frame.locator("html").evaluate("html => html.scrollWidth") == 320
