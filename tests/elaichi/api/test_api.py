"""The REST face of the operations: addresses, inputs, errors, and the document that describes them."""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import openapi_core
import pytest
from django.db import transaction
from django.test import Client

from accesscontrol.models import AuditEvent, Grant, Member, Organization
from accesscontrol.operation import Operation, input_schema, registry
from accesscontrol.permissions import Scope
from connectors.models import Connection
from elaichi.api.routes import Route, routes
from tests import cast
from tests.elaichi.api.rest import Rest
from tests.search.mcp.rpc import Rpc


@pytest.fixture
def account(bob: Member, acme: Organization) -> Connection:
    return cast.connection(bob, cast.connector(acme), "Main")


def test_every_operation_has_an_address_of_its_own() -> None:
    found = [(route.method, route.path) for route in routes()]
    assert len(set(found)) == len(found) == len(list(registry))


def test_a_list_is_asked_for_by_its_query_string(bob: Member, acme: Organization) -> None:
    for number in range(3):
        cast.connector(acme, f"app{number}", f"App {number}")
    rest = Rest(cast.token(bob))
    first = rest.send("GET", "connectors", limit=2).json()
    assert len(first["connectors"]) == 2
    rest_of_them = rest.send("GET", "connectors", limit=2, cursor=first["next_cursor"]).json()
    assert len(rest_of_them["connectors"]) == 1
    assert "next_cursor" not in rest_of_them


def test_a_change_names_the_thing_in_the_address_and_the_rest_in_the_body(bob: Member, account: Connection) -> None:
    response = Rest(cast.token(bob)).send("POST", f"connections/{account.pk}/rename", {"label": "Books"})
    assert (response.status_code, response.json()["label"]) == (200, "Books")
    account.refresh_from_db()
    assert account.label == "Books"
    row = AuditEvent.objects.get(action="operation.call")
    assert (row.surface, row.target, row.outcome) == ("api", "elaichi__connection__rename", "ok")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "connectors?limit=two", None, 400, "invalid_arguments"),
        ("GET", "connectors?limit=2&limit=3", None, 400, "invalid_arguments"),
        ("GET", "connectors?unknown=1", None, 400, "invalid_arguments"),
        ("POST", "connections/7/rename", {"label": "x"}, 404, "not_found"),
        ("POST", "connections/7/rename", {"label": "x", "connection": "8"}, 400, "invalid_arguments"),
        ("POST", "connections/7/rename", ["label"], 400, "invalid_arguments"),
        ("POST", "connections/7/rename", "{", 400, "parse_error"),
        ("DELETE", "connectors", None, 405, "method_not_allowed"),
        ("GET", "nothing/here", None, 404, "not_found"),
        ("GET", "restrictions", None, 403, "permission_required"),
    ],
)
def test_an_error_has_its_status_a_code_and_a_sentence(
    bob: Member, method: str, path: str, body: object, status: int, code: str
) -> None:
    response = Rest(cast.token(bob)).send(method, path, body if isinstance(body, str | None) else json.dumps(body))
    assert response.status_code == status
    error = response.json()["error"]
    assert error["code"] == code
    assert error["message"]


def filled(operation: Operation[Any]) -> dict[str, str]:
    """Something for every input that must be given."""
    schema = input_schema(operation.input)
    parts = {name: schema["properties"][name] for name in schema.get("required", ())}
    return {name: part.get("enum", ["nobody@acme.example"])[-1] for name, part in parts.items()}


def test_nothing_is_named_by_what_no_text_can_hold(alice: Member) -> None:
    rpc, about = Rpc(cast.token(alice)), [operation for operation in registry if operation.subject]
    refused = {
        one.name: rpc.call(one.name, **{**filled(one), one.subject: "a\0b"})["structuredContent"] for one in about
    }
    assert {name for name, said in refused.items() if said["error"]["code"] != "not_found"} == set()
    assert Rest(cast.token(alice)).send("GET", "connectors/%00").status_code == 404


def test_without_a_token_there_is_a_challenge(db: None) -> None:
    response = Rest().send("GET", "connectors")
    assert (response.status_code, response.json()["error"]["code"]) == (401, "authentication_failed")
    assert "resource_metadata=" in response["WWW-Authenticate"]


def test_a_scope_that_was_not_given_is_named(bob: Member, account: Connection) -> None:
    rest = Rest(cast.token(bob, scopes=[Scope.READ]))
    response = rest.send("POST", f"connections/{account.pk}/rename", {"label": "Books"})
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["scope"]) == (403, "scope_required", "mcp:write")


def test_a_revoked_grant_is_refused_at_once(bob: Member) -> None:
    rest = Rest(cast.token(bob))
    assert rest.send("GET", "connectors").status_code == 200
    Grant.objects.get(member=bob).delete()
    assert rest.send("GET", "connectors").status_code == 401


@pytest.mark.parametrize("route", list(routes()), ids=lambda route: route.operation.name)
@pytest.mark.parametrize("whose", ["bob", "alice"])
def test_both_faces_of_an_operation_say_the_same(
    bob: Member, alice: Member, account: Connection, route: Route, whose: str
) -> None:
    """Result, refusal and its help, for the same caller and input: too little, too much, and ids that lead nowhere."""
    token = cast.token(bob if whose == "bob" else alice)
    schema = input_schema(route.operation.input)
    required = dict.fromkeys(schema.get("required", ()), "x")
    for given in ({}, required, {**required, "unknown": "1"}, {**required, route.operation.subject: str(account.pk)}):
        arguments = {name: value for name, value in given.items() if name}
        if route.operation.subject and route.operation.subject not in arguments:
            continue  # over REST there is no address without one
        over_rest = undone(partial(by_rest, Rest(token), route, arguments))
        over_mcp = undone(partial(by_mcp, Rpc(token), route, arguments))
        assert over_rest == over_mcp


def by_mcp(rpc: Rpc, route: Route, arguments: dict[str, Any]) -> Any:
    return rpc.call(route.operation.name, **arguments)["structuredContent"]


def by_rest(rest: Rest, route: Route, arguments: dict[str, Any]) -> Any:
    subject = arguments.get(route.operation.subject, "")
    others = {name: value for name, value in arguments.items() if name != route.operation.subject}
    path = route.path.replace(f"{{{route.operation.subject}}}", subject)
    query, body = (others, None) if route.takes_query else ({}, json.dumps(others))
    return rest.send(route.method, path, body, **query).json()


def undone(act: Callable[[], Any]) -> Any:
    """What it says, without new ids and times, and with nothing kept of what it did."""
    with transaction.atomic():
        said = json.dumps(act(), sort_keys=True)
        transaction.set_rollback(True)
    said = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", "TIME", said)
    return json.loads(re.sub(r"/connect/[\w-]+/", "/connect/SECRET/", said))


def test_the_document_is_valid_and_names_every_operation(db: None) -> None:
    document = Client().get("/api/schema").json()
    openapi_core.OpenAPI.from_dict(document)
    described = [operation["operationId"] for path in document["paths"].values() for operation in path.values()]
    assert sorted(described) == sorted(f"{operation.domain}_{operation.verb}" for operation in registry)
