"""Requests to real vendors, sent to a server and read there by an independent reader of the same document.

The arguments are made from each tool's own input schema. What openapi-core finds in the path, the query, the headers,
the cookies and the body has to be what was given, for each of 200 operations. Where it is not, the operation stands
below with the reason, which holds for it alone.
"""

import json
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, zip_longest
from random import Random
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.binding import Binding
from connectors.catalog.document import CatalogTool
from connectors.catalog.openapi.operations import FoundOperation, find_operations
from connectors.catalog.openapi.references import Document
from connectors.execution.arguments import bind
from connectors.execution.egress import GuardedTransport
from connectors.execution.outgoing_file import OutgoingFile
from connectors.execution.request import build_request
from connectors.execution.sending import send
from tests.connectors.execution.independent import cleaned, read
from tests.connectors.execution.upstream import Received, Server
from tests.connectors.generated import CannotGenerate, arguments, in_headers
from tests.connectors.real_catalogs import MARKS, OPERATIONS, root
from tests.connectors.real_catalogs import read as read_catalog

pytestmark = MARKS

WANTED = 200
SEED = 20260502
FILE = OutgoingFile(name="scan.png", media_type="image/png", content=b"\x89PNG\r\n\0\xff")

BRACKETS = "openapi-core reads deepObject of flat objects alone; `test_stripe_s_own_reader...` below reads the rest"
RAW_BYTES = "the document has `format: byte`, base64, beside a media type of raw bytes, which is what Xero reads"
UNTOLD = "the document requires a property of the body that it does not describe"
BESIDE_A_REFERENCE = "openapi-core heeds `type: number` beside the `$ref` to an object, which 3.0 has it ignore"
EXPLAINED = {
    "figma.yaml post_variables": "one property at least, says the body's schema; of arguments no schema can say that",
    "figma.yaml put_webhook": UNTOLD,
    "jira.json create_issue_type_avatar": "openapi-core gives the bytes of a body without a schema to nobody",
    "pipedrive.yaml update_recurring_subscription": UNTOLD,
    "spotify.yaml update_playlist": "openapi-core wants the Content-Type that is declared also where there is no body",
    "stripe.yaml create_invoice": BRACKETS,
    "stripe.yaml create_subscription_item_usage_record": BRACKETS,
    "stripe.yaml get_payment_method": BRACKETS,
    "stripe.yaml list_customers": BRACKETS,
    "stripe.yaml list_invoices": BRACKETS,
    "stripe.yaml pay_invoice": BRACKETS,
    "stripe.yaml update_subscription_schedule": BRACKETS,
    "xero.accounting.yaml create_bank_transfer_attachment_by_file_name": RAW_BYTES,
    "xero.accounting.yaml create_contact_attachment_by_file_name": RAW_BYTES,
    "xero.accounting.yaml create_purchase_order_attachment_by_file_name": RAW_BYTES,
    "xero.accounting.yaml update_purchase_order_attachment_by_file_name": RAW_BYTES,
    "xero.accounting.yaml update_quote_attachment_by_file_name": RAW_BYTES,
    "xero.projects.yaml create_task": BESIDE_A_REFERENCE,
    "xero.projects.yaml update_task": BESIDE_A_REFERENCE,
}
# The one form of Stripe's whose lists have no encoding in the document, so that they repeat their name.
WITHOUT_ENCODING = "stripe.yaml attach_payment_methodto_customer"
# Documents and operations that openapi-core cannot handle; others were drawn instead of them.
OTHER_VERSIONS = {"slack.json"}
UNREADABLE: dict[str, str] = {}


@dataclass(frozen=True, kw_only=True)
class Drawn:
    file: str
    operation: FoundOperation
    tool: CatalogTool
    binding: Binding

    @property
    def name(self) -> str:
        return f"{self.file} {self.tool.name}"


def _drawn() -> Iterator[Drawn]:
    """Every operation there is, in turn from each document's operations of each media type."""
    groups: dict[tuple[str, str], list[Drawn]] = defaultdict(list)
    for file in OPERATIONS:
        if file in OTHER_VERSIONS:
            continue
        for operation, tool in zip(find_operations(Document(root(file))), read_catalog(file).tools, strict=True):
            assert isinstance(operation, FoundOperation)
            assert isinstance(tool.binding, Binding)
            body = tool.binding.body
            drawn = Drawn(file=file, operation=operation, tool=tool, binding=tool.binding)
            groups[file, body.media_type if body else ""].append(drawn)
    random = Random(SEED)
    for key in sorted(groups):
        random.shuffle(groups[key])
    turns = chain.from_iterable(zip_longest(*(groups[key] for key in sorted(groups))))
    return (it for it in turns if it is not None)


@cache
def _components(file: str) -> dict[str, Any]:
    return dict(cleaned(root(file).get("components", {})))


class Difference(Exception):
    """What the independent reader found, where that is not what was given."""


class Unreadable(Exception):
    """The independent reader, or the maker of arguments, cannot handle the document."""


def _sent(drawn: Drawn, given: dict[str, Any], upstream: Server, transport: GuardedTransport) -> Received:
    bound = bind(drawn.binding, given, files=lambda file_id: FILE)
    request = build_request(bound, base_url=upstream.url, auth=AuthScheme(kind=AuthKind.NONE), credential={})
    send(request, transport=transport, hop_check=lambda url: None)
    return upstream.received[-1]


def _compare(drawn: Drawn, upstream: Server, transport: GuardedTransport) -> None:
    """Raises Difference, Unreadable."""
    try:
        given = arguments(drawn.tool.input_schema, SEED, ascii_only=in_headers(drawn.binding))
    except CannotGenerate as error:
        raise Unreadable(str(error)) from error
    received = _sent(drawn, given, upstream, transport)
    found = _read(drawn, received)
    if found.errors:
        raise Difference("; ".join(f"{error}: {error.__cause__}" for error in found.errors))
    expected = {
        (it.location.value, it.name): given[it.argument] for it in drawn.binding.parameters if it.argument in given
    }
    fixed = {("header", name): value for name, value in drawn.binding.headers}
    parameters = {
        (location, name): value
        for location in ("path", "query", "header", "cookie")
        for name, value in getattr(found.parameters, location).items()
    }
    expected |= {key: value for key, value in fixed.items() if key in parameters}
    if parameters != expected:
        raise Difference(f"{parameters} instead of {expected}")
    body = _expected_body(drawn.binding, given)
    if (found.body or None) != (body or None):
        raise Difference(f"{found.body} instead of {body}")


def _read(drawn: Drawn, received: Received) -> Any:
    operation = drawn.operation
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Its own, on what it does not support: which is what makes a difference.
            return read(
                _components(drawn.file),
                version=str(root(drawn.file)["openapi"]),
                method=operation.method,
                path=operation.path.partition("#")[0].partition("?")[0],
                path_item=cleaned(operation.path_item),
                received=received,
            )
    except Exception as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from error


def _expected_body(binding: Binding, given: dict[str, Any]) -> Any:
    if binding.body is None:
        return None
    values = {name: _content(value) if name in binding.body.files else value for name, value in given.items()}
    if binding.body.argument:
        return values.get(binding.body.argument)
    return {wire: values[argument] for argument, wire in binding.body.properties if argument in values}


def _content(value: Any) -> Any:
    return [FILE.content for _ in value] if isinstance(value, list) else FILE.content


def test_what_arrives_is_what_was_given(upstream: Server, transport: GuardedTransport) -> None:
    compared, unreadable, differences = 0, {}, {}
    for drawn in _drawn():
        try:
            _compare(drawn, upstream, transport)
        except Unreadable as error:
            unreadable[drawn.name] = str(error)
            continue
        except Difference as error:
            differences[drawn.name] = str(error)
        compared += 1
        if compared == WANTED:
            break
    assert differences.keys() == EXPLAINED.keys(), {
        name: text for name, text in differences.items() if name not in EXPLAINED
    }
    assert unreadable.keys() == UNREADABLE.keys(), unreadable


def test_stripe_s_own_reader_finds_what_was_given_in_every_operation(
    upstream: Server, transport: GuardedTransport
) -> None:
    """Rack's, which Stripe and Rails have: `a[b][c]=1` is an object in an object, `a[0]=1` an item of a list."""
    tools = 0
    for drawn in _drawn():
        if drawn.file != "stripe.yaml":
            continue
        tools += 1
        if drawn.name == WITHOUT_ENCODING:
            assert drawn.binding.body
            assert drawn.binding.body.encodings == ()
            continue
        for seed in range(5):
            given = arguments(drawn.tool.input_schema, SEED + seed)
            received = _sent(drawn, given, upstream, transport)
            names = {it.argument: (it.location.value, it.name) for it in drawn.binding.parameters}
            names |= {argument: ("body", wire) for argument, wire in getattr(drawn.binding.body, "properties", ())}
            expected: dict[str, dict[str, Any]] = {"query": {}, "body": {}, "path": {}}
            for argument, value in given.items():
                location, name = names[argument]
                expected[location] |= {name: _as_text(value)} if value not in ([], {}) else {}
            found = {"query": _nested(urlsplit(received.target).query), "body": _nested(received.body.decode())}
            assert found == {key: expected[key] for key in found}, drawn.name
    assert tools == OPERATIONS["stripe.yaml"]


def _nested(form: str) -> Any:
    found: dict[str, Any] = {}
    for key, value in parse_qsl(form, keep_blank_values=True):
        *path, last = re.findall(r"[^\[\]]+", key)
        place = found
        for step in path:
            place = place.setdefault(step, {})
        assert last not in place, f"{key} stands twice, and the last alone would count"
        place[last] = value
    return _lists(found)


def _lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    items = {key: _lists(item) for key, item in value.items()}
    numbered = items and list(items) == [str(place) for place in range(len(items))]
    return list(items.values()) if numbered else items


def _as_text(value: Any) -> Any:
    match value:
        case dict():
            return {key: _as_text(item) for key, item in value.items() if item not in ([], {}, None)}
        case list():
            return [_as_text(item) for item in value]
        case str():
            return value
        case _:
            return json.dumps(value)
