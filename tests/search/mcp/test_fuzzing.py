"""Whatever is sent to /mcp, what comes back is JSON-RPC: over bodies, envelopes, headers and methods of any kind."""

import json
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY
from mcp_types.jsonrpc import jsonrpc_message_adapter

from accesscontrol.models import Member
from search.mcp.methods import METHODS
from tests import cast
from tests.search.mcp.rpc import LEGACY, MODERN

# The same examples on every run, so that a failure belongs to the change at hand; raise the number to look for more.
FUZZED = settings(
    max_examples=100,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
TEXTS = st.text(max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
HEADER_VALUES = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=40)
HEADERS = st.dictionaries(
    st.sampled_from(
        ["Origin", "Accept", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id", "MCP-Protocol-Version", "X-Forwarded-Host"]
    ),
    HEADER_VALUES | st.sampled_from([LEGACY, MODERN, "*/*", "text/html"]),
    max_size=4,
)
METHODS_OF_HTTP = st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW"])
TYPES = st.sampled_from(["application/json", "text/plain", "", "multipart/form-data; boundary=x", "application/json;x"])
META = st.fixed_dictionaries(
    {PROTOCOL_VERSION_META_KEY: st.sampled_from([MODERN, "9"]), CLIENT_CAPABILITIES_META_KEY: st.just({})}
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["search_tools", "execute_tool", "elaichi__connection__list", "connect_app"]) | TEXTS,
        "arguments": st.dictionaries(st.sampled_from(["query", "limit", "name", "arguments", "cursor"]), JSON) | JSON,
        "uri": TEXTS,
        "cursor": JSON,
        "ref": JSON,
        "argument": JSON,
        "protocolVersion": JSON,
        "_meta": META | JSON,
    },
)


@pytest.fixture
def token(bob: Member) -> str:
    cast.connection(bob, cast.connector(bob.organization))
    return cast.token(bob)


def check(response: Any, *, head: bool = False) -> None:
    assert response.status_code < 500, response.content
    if response.status_code == 202:
        assert response.content == b""
    elif not head:
        assert response["Content-Type"].startswith("application/json")
        jsonrpc_message_adapter.validate_json(response.content)


@FUZZED
@given(body=st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()), headers=HEADERS)
def test_any_body_is_answered_in_json_rpc(token: str, body: bytes, headers: dict[str, str]) -> None:
    headers = {"Authorization": f"Bearer {token}", **headers}
    check(Client().post("/mcp", data=body, content_type="application/json", headers=headers))


@FUZZED
@given(method=METHODS_OF_HTTP, content_type=TYPES, authorization=HEADER_VALUES, headers=HEADERS, body=st.binary())
def test_any_request_is_answered_in_json_rpc(
    db: None, method: str, content_type: str, authorization: str, headers: dict[str, str], body: bytes
) -> None:
    headers = {"Authorization": authorization, **headers}
    response = Client().generic(method, "/mcp", data=body, content_type=content_type, headers=headers)
    check(response, head=method == "HEAD")


@FUZZED
@given(
    method=st.sampled_from(sorted(METHODS)) | TEXTS,
    params=PARAMS | JSON,
    id=st.integers() | TEXTS,
    version=st.sampled_from([LEGACY, MODERN]),
)
def test_any_params_of_any_method_are_answered_in_json_rpc(
    token: str, method: str, params: Any, id: Any, version: str
) -> None:
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    headers = {"Authorization": f"Bearer {token}", "MCP-Protocol-Version": version}
    if version == MODERN and isinstance(params, dict):
        params["_meta"] = {PROTOCOL_VERSION_META_KEY: MODERN, CLIENT_CAPABILITIES_META_KEY: {}}
        headers |= {"Mcp-Method": method if method.isprintable() and method.isascii() else "x"}
        headers |= {"Mcp-Name": name} if isinstance(name := params.get("name"), str) and name.isascii() else {}
    headers = {key: value for key, value in headers.items() if value.isprintable()}
    response = Client().post("/mcp", data=json.dumps(message), content_type="application/json", headers=headers)
    check(response)
    assert response.json().get("id") in (id, None)
