"""Deskline: support tickets. Its operations, by their ids in the document."""

from collections.abc import Mapping

from elaichi.sandbox.arguments import Arguments, Operate
from elaichi.sandbox.dataset import Clock, Table, has_words, matching
from elaichi.sandbox.wire import NO_CONTENT, Answer, Record

_SEEDS: dict[str, list[tuple[str, str, str, str]]] = {
    "Acme": [
        ("OPS", "Printer on the third floor is offline", "It blinks red since Monday.", "high"),
        ("OPS", "New laptop for Dana", "Dana starts on the first of next month.", "normal"),
        ("WEB", "Checkout page shows the wrong currency", "Customers in Oslo see euros.", "urgent"),
        ("WEB", "Broken link in the footer", "The imprint link leads nowhere.", "low"),
    ],
    "Globex": [
        ("LAB", "Centrifuge reports error 17", "It stops after four minutes.", "urgent"),
        ("LAB", "Order more pipettes", "The last box is open.", "low"),
        ("OPS", "Badge does not open the north door", "It works at the south door.", "normal"),
    ],
}
_CUSTOMERS = {
    "Acme": [("Dana Ortiz", "dana@acme.example", "Acme"), ("Ola Berg", "ola@nordic.example", "Nordic Shop")],
    "Globex": [
        ("Hank Scorpio", "hank@globex.example", "Globex"),
        ("Mia Wong", "mia@lab.example", "Globex Labs"),
    ],
}


class Deskline:
    """One account's tickets, comments and customers."""

    def __init__(self, account: str) -> None:
        self._clock = Clock()
        self.tickets = Table("ticket", first=101)
        self.comments = Table("comment")
        self.customers = Table("customer")
        for name, email, company in _CUSTOMERS[account]:
            self.customers.add({"name": name, "email": email, "company": company})
        for project, subject, description, priority in _SEEDS[account]:
            fields = {"project": project, "subject": subject, "description": description}
            self._open(fields | {"priority": priority, "requester": {"customer_id": 1}})

    def _open(self, fields: Record) -> Record:
        defaults: Record = {
            "description": "",
            "priority": "normal",
            "assignee": None,
            "tags": [],
            "requester": {},
        }
        return self.tickets.add({"status": "open"} | defaults | fields | {"created_at": self._clock.next()})

    def list_tickets(self, given: Arguments) -> Answer:
        fields = ("project", "status", "priority", "assignee")
        found = matching(self.tickets, **{field: given.get(field) for field in fields})
        return _page("tickets", found[::-1], given["limit"], given["offset"])

    def search_tickets(self, given: Arguments) -> Answer:
        in_project = matching(self.tickets, project=given.get("project"))
        found = [one for one in in_project if has_words(given["text"], one["subject"], one["description"])]
        return _page("tickets", found, given["limit"])

    def get_ticket(self, given: Arguments) -> Answer:
        return Answer(self.tickets.get(given["ticket_id"]))

    def create_ticket(self, given: Arguments) -> Answer:
        customer = given.body.get("requester", {}).get("customer_id")
        if customer is not None:
            self.customers.must_hold(customer)
        return Answer(self._open(given.body), 201)

    def update_ticket(self, given: Arguments) -> Answer:
        ticket = self.tickets.get(given["ticket_id"])
        ticket.update(given.body)
        return Answer(ticket)

    def delete_ticket(self, given: Arguments) -> Answer:
        self.tickets.delete(given["ticket_id"])
        self.comments.delete_where("ticket_id", given["ticket_id"])
        return NO_CONTENT

    def list_comments(self, given: Arguments) -> Answer:
        self.tickets.get(given["ticket_id"])
        found = matching(self.comments, ticket_id=given["ticket_id"])
        shown = [one for one in found if given["include_internal"] or not one["internal"]]
        return Answer({"comments": shown})

    def add_comment(self, given: Arguments) -> Answer:
        self.tickets.get(given["ticket_id"])
        fields = {"internal": False} | given.body | {"ticket_id": given["ticket_id"]}
        return Answer(self.comments.add(fields | {"created_at": self._clock.next()}), 201)

    def list_customers(self, given: Arguments) -> Answer:
        by_name = sorted(self.customers, key=lambda customer: customer["name"])
        return _page("customers", by_name, given["limit"], given["offset"])

    def get_customer(self, given: Arguments) -> Answer:
        return Answer(self.customers.get(given["customer_id"]))

    @property
    def operations(self) -> Mapping[str, Operate]:
        return {
            "listTickets": self.list_tickets,
            "createTicket": self.create_ticket,
            "searchTickets": self.search_tickets,
            "getTicket": self.get_ticket,
            "updateTicket": self.update_ticket,
            "deleteTicket": self.delete_ticket,
            "listTicketComments": self.list_comments,
            "addTicketComment": self.add_comment,
            "listCustomers": self.list_customers,
            "getCustomer": self.get_customer,
        }

    def records(self) -> Record:
        return {table.noun: list(table) for table in (self.tickets, self.comments, self.customers)}


def _page(name: str, found: list[Record], limit: int, offset: int = 0) -> Answer:
    return Answer({name: found[offset : offset + limit], "total": len(found)})
