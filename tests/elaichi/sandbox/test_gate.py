"""Who gets in, what is refused, and what is written down about it."""

import httpx2
import pytest

from tests.elaichi.sandbox.conftest import Clients

_LISTS = {"deskline": "/tickets", "ledgerbox": "/invoices", "pagewell": "/pages"}


@pytest.mark.parametrize(("product", "path"), _LISTS.items())
def test_an_account_gets_in_and_a_stranger_does_not(
    client: Clients, anybody: httpx2.Client, product: str, path: str
) -> None:
    assert client(product, "Acme").get(path).status_code == 200
    refused = anybody.get(f"/{product}{path}", headers={"Authorization": "Bearer guess", "X-Api-Key": "guess"})
    assert refused.status_code == 401
    assert "does not know this account" in refused.json()["error"]["message"]


@pytest.mark.parametrize(("product", "challenge"), [("deskline", "Bearer"), ("pagewell", "Basic")])
def test_a_refusal_says_how_to_log_in(anybody: httpx2.Client, product: str, challenge: str) -> None:
    refused = anybody.get(f"/{product}{_LISTS[product]}")
    assert refused.headers["WWW-Authenticate"].startswith(challenge)


@pytest.mark.parametrize(("product", "path"), _LISTS.items())
def test_two_accounts_see_different_records(client: Clients, product: str, path: str) -> None:
    assert client(product, "Acme").get(path).json() != client(product, "Globex").get(path).json()


def test_everything_that_is_wrong_with_a_request_is_told_at_once(client: Clients) -> None:
    draft = {"project": "ops", "requester": {"customer_id": "one"}, "extra": 1}
    refused = client("deskline", "Acme").post("/tickets", json=draft)
    assert refused.status_code == 422
    assert sorted(detail["at"] for detail in refused.json()["error"]["details"]) == [
        "body",
        "body",
        "body.project",
        "body.requester.customer_id",
    ]


@pytest.mark.parametrize(
    ("method", "path", "content", "kind", "status"),
    [
        ("GET", "/tickets/999", b"", "", 404),
        ("GET", "/tickets/first", b"", "", 422),
        ("GET", "/tickets?limit=0", b"", "", 422),
        ("GET", "/tickets/search", b"", "", 422),
        ("GET", "/nowhere", b"", "", 404),
        ("PUT", "/tickets", b"", "", 405),
        ("POST", "/tickets", b"{", "application/json", 400),
        ("POST", "/tickets", b"subject=x", "application/x-www-form-urlencoded", 415),
    ],
)
def test_a_bad_request_gets_the_status_that_says_why(
    client: Clients, method: str, path: str, content: bytes, kind: str, status: int
) -> None:
    headers = {"Content-Type": kind} if kind else {}
    answer = client("deskline", "Acme").request(method, path, content=content, headers=headers)
    assert answer.status_code == status
    assert answer.json()["error"]["message"]


def test_the_journal_names_the_account_and_never_the_secret(client: Clients, anybody: httpx2.Client) -> None:
    client("deskline", "Globex").get("/tickets", params={"project": "LAB"})
    anybody.get("/ledgerbox/invoices", headers={"X-Api-Key": "guess"})
    journal = anybody.get("/_journal")
    assert journal.json()["requests"] == [
        {"product": "deskline", "account": "Globex", "method": "GET", "path": "/deskline/tickets", "status": 200},
        {"product": "ledgerbox", "account": None, "method": "GET", "path": "/ledgerbox/invoices", "status": 401},
    ]
    assert "demo-" not in journal.text


def test_a_person_finds_the_products_and_their_records(anybody: httpx2.Client) -> None:
    page = anybody.get("/").text
    for product in _LISTS:
        assert f"/{product}/openapi.json" in page
        assert f"/_records/{product}/Acme" in page
    assert len(anybody.get("/_records/deskline/Acme").json()["ticket"]) == 4
    assert anybody.get("/_records/deskline/Nobody").status_code == 404
    assert anybody.get("/_health").json() == {"status": "ok"}
