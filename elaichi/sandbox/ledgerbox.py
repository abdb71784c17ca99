"""Ledgerbox: invoices and payments. Its operations, by their ids in the document."""

from collections.abc import Callable, Mapping

from elaichi.sandbox.arguments import Arguments, Operate
from elaichi.sandbox.dataset import Table, has_words, matching
from elaichi.sandbox.wire import NO_CONTENT, Answer, Record, RefusalError

_CUSTOMERS = {
    "Acme": [("Nordic Shop", "billing@nordic.example"), ("Blue Harbor", "office@blueharbor.example")],
    "Globex": [("Cypress Power", "accounts@cypress.example"), ("Hammock District", "shop@hammock.example")],
}
_LINES = {
    "Acme": [("Consulting, March", 3, 12_000, "EUR"), ("Hosting, first quarter", 1, 45_000, "EUR")],
    "Globex": [("Turbine service", 2, 250_000, "USD"), ("Hammocks", 40, 2_500, "USD")],
}


class Ledgerbox:
    """One account's customers, invoices and payments."""

    def __init__(self, account: str) -> None:
        self.customers = Table("customer", prefix="cus_")
        self.invoices = Table("invoice", prefix="inv_", first=1001)
        self.payments = Table("payment", prefix="pay_")
        self._answered: dict[str, Answer] = {}
        for name, email in _CUSTOMERS[account]:
            self.customers.add({"name": name, "email": email, "address": {}})
        for number, (description, quantity, amount, currency) in enumerate(_LINES[account], start=1):
            price = {"amount": amount, "currency": currency}
            line = {"description": description, "quantity": quantity, "unit_price": price}
            self._draft({"customer": f"cus_{number}", "lines": [line]})

    def _draft(self, fields: Record) -> Record:
        return self.invoices.add({"state": "draft"} | self._checked(fields))

    def _checked(self, fields: Record) -> Record:
        self.customers.must_hold(fields["customer"])
        total = _total(fields["lines"])
        return {"due_on": None, "memo": None} | fields | {"total": total, "outstanding": dict(total)}

    def _once(self, given: Arguments, act: Callable[[], Answer]) -> Answer:
        """Repeat the first answer to an idempotency key instead of acting again."""
        key = given.get("Idempotency-Key")
        if key is None:
            return act()
        if key not in self._answered:
            self._answered[key] = act()
        return self._answered[key]

    def list_invoices(self, given: Arguments) -> Answer:
        states, before = given.get("state"), given.get("due_before")
        found = [
            invoice
            for invoice in matching(self.invoices, customer=given.get("customer"))
            if (not states or invoice["state"] in states)
            and (not before or (invoice["due_on"] is not None and invoice["due_on"] < before))
        ]
        return _page(found, given["page_size"])

    def get_invoice(self, given: Arguments) -> Answer:
        return Answer(self.invoices.get(given["invoice"]))

    def create_invoice(self, given: Arguments) -> Answer:
        return self._once(given, lambda: Answer(self._draft(given.body), 201))

    def update_invoice(self, given: Arguments) -> Answer:
        invoice = self._get_draft(given, "changed")
        invoice.update(self._checked(given.body))
        return Answer(invoice)

    def delete_invoice(self, given: Arguments) -> Answer:
        self.invoices.delete(self._get_draft(given, "deleted")["id"])
        return NO_CONTENT

    def send_invoice(self, given: Arguments) -> Answer:
        invoice = self._get_draft(given, "sent")
        invoice["state"] = "sent"
        return Answer(invoice)

    def _get_draft(self, given: Arguments, what: str) -> Record:
        invoice = self.invoices.get(given["invoice"])
        if invoice["state"] != "draft":
            raise RefusalError(409, f"invoice {invoice['id']} is {invoice['state']}: only a draft can be {what}")
        return invoice

    def list_payments(self, given: Arguments) -> Answer:
        invoice = self.invoices.get(given["invoice"])
        return Answer({"data": matching(self.payments, invoice=invoice["id"])})

    def record_payment(self, given: Arguments) -> Answer:
        return self._once(given, lambda: self._pay(self.invoices.get(given["invoice"]), given.body))

    def _pay(self, invoice: Record, fields: Record) -> Answer:
        left, paid = invoice["outstanding"], fields["amount"]
        if invoice["state"] != "sent":
            raise RefusalError(409, f"invoice {invoice['id']} is {invoice['state']}: only a sent one can be paid")
        if paid["currency"] != left["currency"] or paid["amount"] > left["amount"]:
            raise RefusalError(422, f"at most {left['amount']} {left['currency']} can be paid")
        left["amount"] -= paid["amount"]
        if left["amount"] == 0:
            invoice["state"] = "paid"
        return Answer(self.payments.add({"invoice": invoice["id"], "received_on": None} | fields), 201)

    def search_customers(self, given: Arguments) -> Answer:
        text = given.get("q") or ""
        found = [one for one in self.customers if has_words(text, one["name"], one["email"])]
        return _page(found, given["page_size"])

    def create_customer(self, given: Arguments) -> Answer:
        return Answer(self.customers.add({"address": {}} | given.body), 201)

    @property
    def operations(self) -> Mapping[str, Operate]:
        return {
            "list_invoices": self.list_invoices,
            "create_invoice": self.create_invoice,
            "get_invoice": self.get_invoice,
            "update_invoice": self.update_invoice,
            "delete_invoice": self.delete_invoice,
            "send_invoice": self.send_invoice,
            "list_payments": self.list_payments,
            "record_payment": self.record_payment,
            "search_customers": self.search_customers,
            "create_customer": self.create_customer,
        }

    def records(self) -> Record:
        return {table.noun: list(table) for table in (self.invoices, self.payments, self.customers)}


def _total(lines: list[Record]) -> Record:
    currencies = {line["unit_price"]["currency"] for line in lines}
    if len(currencies) > 1:
        raise RefusalError(422, f"one invoice has one currency, not {' and '.join(sorted(currencies))}")
    amount = sum(line["quantity"] * line["unit_price"]["amount"] for line in lines)
    return {"amount": amount, "currency": currencies.pop()}


def _page(found: list[Record], size: int) -> Answer:
    return Answer({"data": found[:size], "has_more": len(found) > size})
