"""The sandbox as one WSGI application: products under their paths, and a journal of what arrived."""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import parse_qs
from wsgiref.types import StartResponse, WSGIEnvironment

from elaichi.sandbox import accounts, arguments, calendary
from elaichi.sandbox.deskline import Deskline
from elaichi.sandbox.document import Document
from elaichi.sandbox.front import front_page
from elaichi.sandbox.ledgerbox import Ledgerbox
from elaichi.sandbox.pagewell import Pagewell
from elaichi.sandbox.wire import Answer, Record, RefusalError, Request, not_found

PRODUCTS: dict[str, Callable[[str], "Service"]] = {
    "deskline": Deskline,
    "ledgerbox": Ledgerbox,
    "pagewell": Pagewell,
}
_JOURNAL_LENGTH = 1000


class Service(Protocol):
    """What serves one account of a product: its operations by their ids, and all its records."""

    @property
    def operations(self) -> Mapping[str, arguments.Operate]: ...

    def records(self) -> Record: ...


class Sandbox:
    """All products with the data that they start with; `url` is where people and documents find them."""

    def __init__(self, url: str) -> None:
        self.documents = {product: Document(product, url.rstrip("/")) for product in PRODUCTS}
        self._calendary = calendary.Calendary(f"{url.rstrip('/')}/{calendary.SLUG}")
        self._services = {
            (account.product, account.name): PRODUCTS[account.product](account.name) for account in accounts.ACCOUNTS
        }
        self._journal: deque[Record] = deque(maxlen=_JOURNAL_LENGTH)
        self._lock = threading.Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = _request(environ)
        with self._lock:  # the records are plain dictionaries
            try:
                answer = self._answer(request)
            except RefusalError as refusal:
                answer = refusal.answer()
            content, headers = _encoded(answer.body)
        status = f"{answer.status} {HTTPStatus(answer.status).phrase}"
        start_response(status, [*headers.items(), *answer.headers.items()])
        return [content]

    def _answer(self, request: Request) -> Answer:
        first, _, rest = request.path.removeprefix("/").partition("/")
        if first in self.documents:
            return self._product(first, f"/{rest}", request)
        if first == calendary.SLUG:
            return self._calendary.answer(f"/{rest}", request)
        if first == "_records":
            return self._records(*rest.partition("/")[::2])
        return self._page(request)

    def _page(self, request: Request) -> Answer:
        match request.method, request.path:
            case "GET", "/":
                return Answer(front_page(self.documents))
            case "GET", "/_health":
                return Answer({"status": "ok"})
            case "GET", "/_journal":
                return Answer({"requests": list(self._journal)})
            case _:
                raise not_found("page", request.path)

    def _records(self, product: str, account: str) -> Answer:
        if (product, account) not in self._services:
            raise not_found("account", f"{product}/{account}")
        return Answer(self._services[product, account].records())

    def _product(self, product: str, path: str, request: Request) -> Answer:
        document = self.documents[product]
        if (request.method, path) == ("GET", "/openapi.json"):
            return Answer(document.content)
        account = accounts.identify(product, request.headers)
        entry = self._note(product, account, request)
        answer = self._operation(document, account, path, request)
        entry["status"] = answer.status
        return answer

    def _note(self, product: str, account: accounts.Account | None, request: Request) -> Record:
        """Who asked for what; never the secret, nor the values of the arguments."""
        name = account.name if account else None
        entry = {"product": product, "account": name, "method": request.method, "path": request.path}
        self._journal.append(entry)
        return entry

    def _operation(self, document: Document, account: accounts.Account | None, path: str, request: Request) -> Answer:
        if account is None:
            return _unauthorized(document.title)
        try:
            return self._perform(document, self._services[account.product, account.name], path, request)
        except RefusalError as refusal:
            return refusal.answer()

    def _perform(self, document: Document, service: Service, path: str, request: Request) -> Answer:
        at_path = [(one, match) for one in document.operations if (match := one.path.fullmatch(path))]
        for operation, match in at_path:
            if operation.method == request.method:
                given = arguments.read(operation, match, request)
                return service.operations[operation.id](given)
        if at_path:
            raise RefusalError(405, f"{request.method} is not served at {path}")
        raise not_found("path", path)


def _unauthorized(title: str) -> Answer:
    refusal = RefusalError(401, f"{title} does not know this account").answer()
    return Answer(refusal.body, refusal.status, accounts.CHALLENGES[title.lower()])


def _request(environ: WSGIEnvironment) -> Request:
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith("HTTP_") or name == "CONTENT_TYPE"
    }
    length = int(environ.get("CONTENT_LENGTH") or 0)
    return Request(
        method=environ["REQUEST_METHOD"],
        path=environ["PATH_INFO"].encode("latin-1").decode(errors="replace"),
        query=parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True),
        headers=headers,
        body=environ["wsgi.input"].read(length),
    )


def _encoded(body: Any) -> tuple[bytes, dict[str, str]]:
    if body is None:
        return b"", {}
    if isinstance(body, str):
        content, kind = body.encode(), "text/html; charset=utf-8"
    else:
        content, kind = json.dumps(body, ensure_ascii=False).encode(), "application/json"
    return content, {"Content-Type": kind, "Content-Length": str(len(content))}
