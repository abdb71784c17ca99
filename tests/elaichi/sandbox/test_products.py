"""What the three products do with their records."""

from typing import Any

from tests.elaichi.sandbox.conftest import Clients


def _line(amount: int, currency: str = "EUR") -> dict[str, Any]:
    return {"description": "Work", "quantity": 2, "unit_price": {"amount": amount, "currency": currency}}


def test_a_ticket_lives_from_creation_to_deletion(client: Clients) -> None:
    desk = client("deskline", "Acme")
    draft = {"project": "OPS", "subject": "Door", "requester": {"customer_id": 1}, "tags": ["door"]}
    ticket = desk.post("/tickets", json=draft).json()
    assert (ticket["id"], ticket["status"], ticket["priority"]) == (105, "open", "normal")
    assert desk.patch("/tickets/105", json={"status": "solved", "assignee": None}).json()["status"] == "solved"
    assert desk.get("/tickets", params={"status": "solved"}).json() == {
        "tickets": [ticket | {"status": "solved"}],
        "total": 1,
    }
    desk.post("/tickets/105/comments", json={"body": "Done", "internal": True})
    assert desk.get("/tickets/105/comments", params={"include_internal": False}).json() == {"comments": []}
    assert [one["body"] for one in desk.get("/tickets/105/comments").json()["comments"]] == ["Done"]
    assert desk.delete("/tickets/105").status_code == 204
    assert desk.get("/tickets/105").status_code == 404


def test_tickets_are_found_by_their_words_and_listed_in_pages(client: Clients) -> None:
    desk = client("deskline", "Acme")
    assert [one["id"] for one in desk.get("/tickets/search?text=RED printer").json()["tickets"]] == [101]
    page = desk.get("/tickets", params={"limit": 2, "offset": 1}).json()
    assert ([one["id"] for one in page["tickets"]], page["total"]) == ([103, 102], 4)
    assert [one["name"] for one in desk.get("/customers").json()["customers"]] == ["Dana Ortiz", "Ola Berg"]
    assert desk.get("/customers/2").json()["company"] == "Nordic Shop"


def test_a_ticket_from_an_unknown_customer_is_refused(client: Clients) -> None:
    draft = {"project": "OPS", "subject": "Door", "requester": {"customer_id": 9}}
    refused = client("deskline", "Acme").post("/tickets", json=draft)
    assert (refused.status_code, refused.json()["error"]["message"]) == (422, "there is no customer 9")


def test_an_invoice_is_drafted_sent_and_paid(client: Clients) -> None:
    ledger = client("ledgerbox", "Acme")
    invoice = ledger.post("/invoices", json={"customer": "cus_1", "lines": [_line(500), _line(250)]}).json()
    assert (invoice["state"], invoice["total"]) == ("draft", {"amount": 1500, "currency": "EUR"})
    at = f"/invoices/{invoice['id']}"
    changed = ledger.put(at, json={"customer": "cus_2", "lines": [_line(500)], "due_on": "2026-05-01"}).json()
    assert (changed["total"]["amount"], changed["customer"]) == (1000, "cus_2")
    assert ledger.post(f"{at}/send").json()["state"] == "sent"
    assert ledger.put(at, json={"customer": "cus_1", "lines": [_line(1)]}).status_code == 409
    for amount in (400, 600):
        payment = {"amount": {"amount": amount, "currency": "EUR"}, "method": "card"}
        assert ledger.post(f"{at}/payments", json=payment).status_code == 201
    assert ledger.get(at).json()["state"] == "paid"
    assert len(ledger.get(f"{at}/payments").json()["data"]) == 2
    assert ledger.delete(at).status_code == 409


def test_an_idempotency_key_makes_one_invoice_of_two_requests(client: Clients) -> None:
    ledger = client("ledgerbox", "Acme")
    draft, key = {"customer": "cus_1", "lines": [_line(5)]}, {"Idempotency-Key": "once"}
    ids = [ledger.post("/invoices", json=draft, headers=key).json()["id"] for _ in range(2)]
    assert ids == ["inv_1003", "inv_1003"]
    assert len(ledger.get("/invoices").json()["data"]) == 3


def test_invoices_are_narrowed_by_state_and_day(client: Clients) -> None:
    ledger = client("ledgerbox", "Acme")
    ledger.post("/invoices/inv_1001/send")
    draft = {"customer": "cus_1", "lines": [_line(5)], "due_on": "2026-04-01"}
    due = ledger.post("/invoices", json=draft).json()
    states = {"state": ["sent", "paid"]}
    assert [one["id"] for one in ledger.get("/invoices", params=states).json()["data"]] == ["inv_1001"]
    assert ledger.get("/invoices", params={"due_before": "2026-04-02"}).json()["data"] == [due]
    assert ledger.get("/invoices", params={"page_size": 1}).json()["has_more"] is True


def test_an_invoice_has_one_currency_and_is_not_overpaid(client: Clients) -> None:
    ledger = client("ledgerbox", "Acme")
    mixed = {"customer": "cus_1", "lines": [_line(5), _line(5, "USD")]}
    assert ledger.post("/invoices", json=mixed).status_code == 422
    ledger.post("/invoices/inv_1001/send")
    payment = {"amount": {"amount": 10**9, "currency": "EUR"}, "method": "cash"}
    assert ledger.post("/invoices/inv_1001/payments", json=payment).status_code == 422


def test_billing_customers_are_added_and_found(client: Clients) -> None:
    ledger = client("ledgerbox", "Globex")
    new = {"name": "Aztec Tools", "email": "a@aztec.example", "address": {"country": "MX"}}
    added = ledger.post("/customers", json=new).json()
    assert ledger.get("/customers", params={"q": "AZTEC"}).json() == {"data": [added], "has_more": False}
    assert ledger.post("/customers", json=new | {"address": {"country": "Mexico"}}).status_code == 422


def test_a_page_is_written_replaced_and_deleted(client: Clients) -> None:
    wiki = client("pagewell", "Acme")
    draft = {"space": "HR", "parent": "p-1", "content": {"title": "Sick days", "text": "Call in."}}
    page = wiki.post("/pages", json=draft).json()
    content = {"title": "Sick days", "text": "Write a message.", "labels": ["policy"]}
    at = f"/pages/{page['id']}"
    assert wiki.put(at, json=content, headers={"If-Match": "1"}).json()["version"] == 2
    assert wiki.put(at, json=content, headers={"If-Match": "1"}).status_code == 412
    comment = wiki.post(f"{at}/comments", json={"text": "Thanks"}).json()
    wiki.post(f"{at}/comments", json={"text": "Welcome", "in_reply_to": comment["id"]})
    assert [one["in_reply_to"] for one in wiki.get(f"{at}/comments").json()] == [None, comment["id"]]
    assert wiki.delete(at).status_code == 204
    assert wiki.get(f"{at}/comments").status_code == 404


def test_pages_are_found_by_words_space_and_label(client: Clients) -> None:
    wiki = client("pagewell", "Acme")
    assert [one["key"] for one in wiki.get("/spaces").json()] == ["HR", "ENG"]
    labelled = wiki.get("/pages", params={"label": ["howto", "release"]}).json()
    assert [one["title"] for one in labelled] == ["Deploying"]
    query = {"words": "laptop desk", "only": {"spaces": ["HR"], "labels": ["onboarding"]}}
    assert [one["title"] for one in wiki.post("/pages/search", json=query).json()] == ["First day"]
    assert wiki.post("/pages", json={"space": "XX", "content": {"title": "a", "text": "b"}}).status_code == 422
