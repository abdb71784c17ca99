"""The wire of both eras: handshake, envelope, headers, statuses; every error is JSON-RPC."""

import json

import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY

from accesscontrol.models import Member
from tests import cast
from tests.search.mcp.rpc import MODERN, Rpc

INITIALIZE = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


@pytest.fixture
def legacy(bob: Member) -> Rpc:
    return Rpc(cast.token(bob))


@pytest.fixture
def modern(bob: Member) -> Rpc:
    return Rpc(cast.token(bob), version=MODERN)


@pytest.mark.parametrize("version", ["2025-03-26", "2025-06-18", "2025-11-25"])
def test_initialize_echoes_a_version_that_is_served(legacy: Rpc, version: str) -> None:
    result = legacy.result("initialize", {**INITIALIZE, "protocolVersion": version})
    assert result["protocolVersion"] == version
    assert result["capabilities"] == {"tools": {}, "prompts": {}, "resources": {}, "completions": {}}
    assert "search_tools" in result["instructions"]
    assert "_meta" not in result


@pytest.mark.parametrize("version", ["2024-11-05", "2026-07-28", "1.0"])
def test_initialize_offers_the_newest_handshake_for_any_other(legacy: Rpc, version: str) -> None:
    result = legacy.result("initialize", {**INITIALIZE, "protocolVersion": version})
    assert result["protocolVersion"] == "2025-11-25"


def test_a_notification_is_accepted_with_an_empty_202(legacy: Rpc) -> None:
    response = legacy.post(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    assert (response.status_code, response.content) == (202, b"")


def test_a_response_of_a_client_is_accepted(legacy: Rpc) -> None:
    response = legacy.post(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {}}))
    assert response.status_code == 202


def test_ping_and_initialize_are_of_the_legacy_era_alone(legacy: Rpc, modern: Rpc) -> None:
    assert legacy.result("ping") == {}
    for method in ("ping", "initialize"):
        response = modern.send(method)
        assert response.status_code == 404
        assert modern.error(response)["code"] == -32601


def test_discover_says_what_is_served_and_that_nothing_is_cached_for_others(modern: Rpc) -> None:
    result = modern.result("server/discover")
    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["cacheScope"] == "private"
    assert result["ttlMs"] == 0
    assert result["resultType"] == "complete"


def test_discover_is_unknown_to_the_legacy_era(legacy: Rpc) -> None:
    response = legacy.send("server/discover")
    assert (response.status_code, legacy.error(response)["code"]) == (200, -32601)


def test_results_have_the_shape_of_their_era(legacy: Rpc, modern: Rpc) -> None:
    assert set(legacy.result("tools/list")) == {"tools"}
    assert set(modern.result("tools/list")) == {"tools", "ttlMs", "cacheScope", "resultType", "_meta"}


def test_without_a_version_header_the_oldest_handshake_is_assumed(legacy: Rpc) -> None:
    assert legacy.send("ping", MCP_Protocol_Version="").status_code == 200


def test_an_unknown_version_header_is_refused(legacy: Rpc) -> None:
    response = legacy.send("ping", MCP_Protocol_Version="1999-01-01")
    assert response.status_code == 400
    assert legacy.error(response)["data"]["requested"] == "1999-01-01"


def test_a_modern_request_without_its_envelope_is_refused(modern: Rpc) -> None:
    response = modern.send("tools/list", {"_meta": {}})
    assert (response.status_code, modern.error(response)["code"]) == (400, -32602)


def test_an_unsupported_modern_version_is_refused_with_those_that_are(modern: Rpc) -> None:
    meta = {PROTOCOL_VERSION_META_KEY: "2027-01-01", CLIENT_CAPABILITIES_META_KEY: {}}
    response = modern.send("tools/list", {"_meta": meta}, MCP_Protocol_Version="2027-01-01")
    assert (response.status_code, modern.error(response)["code"]) == (400, -32022)
    assert modern.error(response)["data"] == {"supported": ["2026-07-28"], "requested": "2027-01-01"}


@pytest.mark.parametrize(
    "headers",
    [
        {"Mcp_Method": ""},
        {"Mcp_Method": "tools/list"},
        {"Mcp_Name": ""},
        {"Mcp_Name": "execute_tool"},
        {"Mcp_Name": "=?base64?!!?="},
        {"MCP_Protocol_Version": "2025-11-25"},
        {"MCP_Protocol_Version": ""},
    ],
)
def test_headers_that_contradict_the_body_are_refused(modern: Rpc, headers: dict[str, str]) -> None:
    call = {"name": "search_tools", "arguments": {"query": "x"}}
    response = modern.send("tools/call", call, **headers)
    assert (response.status_code, modern.error(response)["code"]) == (400, -32020)


def test_a_name_header_may_be_base64(modern: Rpc) -> None:
    call = {"name": "search_tools", "arguments": {"query": "x"}}
    assert modern.send("tools/call", call, Mcp_Name="=?base64?c2VhcmNoX3Rvb2xz?=").status_code == 200


def test_the_client_s_name_comes_from_the_envelope_without_harm(modern: Rpc) -> None:
    meta = {
        PROTOCOL_VERSION_META_KEY: MODERN,
        CLIENT_CAPABILITIES_META_KEY: {},
        CLIENT_INFO_META_KEY: {"name": "n" * 9000, "version": "1"},
    }
    assert modern.send("tools/list", {"_meta": meta}).status_code == 200


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (" ", -32700),
        ("{", -32700),
        ("nonsense", -32700),
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": NaN}}', -32700),
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "\\ud800"}}', -32700),
        ("[" * 100_000, -32700),
        (
            '{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": ' + '{"a":' * 70 + "1" + "}" * 70 + "}",
            -32600,
        ),
        ("[]", -32600),
        ('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
        ('"ping"', -32600),
        ("null", -32600),
        ('{"id": 1, "method": "ping"}', -32600),
        ('{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": 7}', -32600),
        ('{"jsonrpc": "2.0", "id": 1}', -32600),
    ],
)
def test_a_malformed_body_is_refused_as_json_rpc(legacy: Rpc, body: str, code: int) -> None:
    response = legacy.post(body)
    assert (response.status_code, legacy.error(response)["code"]) == (400, code)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {}),
        ("tools/call", {"name": 7}),
        ("tools/call", {"name": "search_tools", "arguments": []}),
        ("tools/list", {"cursor": 5}),
        ("initialize", {}),
    ],
)
def test_params_that_do_not_fit_their_method_are_refused(legacy: Rpc, method: str, params: dict[str, object]) -> None:
    response = legacy.send(method, params)
    assert (response.status_code, legacy.error(response)["code"]) == (200, -32602)
    assert response.json()["id"] == 1


def test_an_unknown_method_is_refused_in_each_era(legacy: Rpc, modern: Rpc) -> None:
    assert legacy.error(legacy.send("tools/destroy"))["code"] == -32601
    response = modern.send("tools/destroy")
    assert (response.status_code, modern.error(response)["code"]) == (404, -32601)


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_another_media_type_is_refused(legacy: Rpc, media_type: str) -> None:
    response = legacy.post("{}", Content_Type=media_type)
    assert response.status_code == 415
    assert legacy.error(response)["code"] == -32600


def test_a_charset_and_any_accept_header_are_fine(legacy: Rpc) -> None:
    for accept in ("*/*", "application/json", "text/event-stream", "text/html"):
        message = json.dumps({"jsonrpc": "2.0", "id": "a", "method": "ping"})
        response = legacy.post(message, Accept=accept, Content_Type="application/json; charset=utf-8")
        assert (response.status_code, response.headers["Content-Type"]) == (200, "application/json")
        assert response.json()["id"] == "a"


def test_a_body_over_a_mebibyte_is_refused(legacy: Rpc) -> None:
    response = legacy.post('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "' + "y" * 2**20 + '"}}')
    assert response.status_code == 413
    assert legacy.error(response)["code"] == -32600


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "HEAD"])
def test_only_post_is_answered(method: str) -> None:
    rpc = Rpc()
    response = rpc.client.generic(method, "/mcp")
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")


def test_the_endpoint_answers_with_and_without_a_slash(legacy: Rpc) -> None:
    for path in ("/mcp", "/mcp/"):
        response = legacy.client.post(
            path,
            data=json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}),
            content_type="application/json",
            headers={"Authorization": f"Bearer {legacy.token}"},
        )
        assert response.status_code == 200


def test_a_foreign_origin_or_host_is_refused(legacy: Rpc) -> None:
    assert legacy.send("ping", Origin="https://evil.example").status_code == 403
    assert legacy.send("ping", Origin="null").status_code == 403
    assert legacy.send("ping", Origin="http://127.0.0.1:8000").status_code == 200
    response = legacy.send("ping", Host="evil.example")
    assert (response.status_code, legacy.error(response)["code"]) == (400, -32600)


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic abc", "Bearer unknown", "bearer elaichi_x"])
def test_a_missing_or_unknown_token_is_challenged(db: None, header: str) -> None:
    rpc = Rpc()
    response = rpc.send("ping", Authorization=header)
    assert response.status_code == 401
    challenge = response.headers["WWW-Authenticate"]
    assert challenge.startswith("Bearer ")
    assert 'resource_metadata="http' in challenge
    assert 'scope="mcp:read' in challenge
    assert response.json()["id"] == 1


def test_a_token_in_the_query_is_not_read(bob: Member) -> None:
    response = Rpc().client.post(
        f"/mcp?access_token={cast.token(bob)}",
        data=json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}),
        content_type="application/json",
    )
    assert response.status_code == 401


def test_a_request_id_travels_through(legacy: Rpc) -> None:
    assert legacy.send("ping", X_Request_ID="abc-1").headers["X-Request-ID"] == "abc-1"
    assert legacy.send("ping", X_Request_ID="<script>").headers["X-Request-ID"] != "<script>"


def test_a_stale_session_header_is_ignored(legacy: Rpc) -> None:
    assert legacy.send("ping", Mcp_Session_Id="left-over").status_code == 200


def test_a_request_without_a_method_s_name_is_refused(legacy: Rpc) -> None:
    response = legacy.post(json.dumps({"jsonrpc": "2.0", "id": 1, "method": ""}))
    assert (response.status_code, legacy.error(response)["code"]) == (400, -32600)


def test_params_without_a_name_are_no_failure_of_ours(modern: Rpc) -> None:
    response = modern.send("completion/complete", {"": True})
    assert modern.error(response)["code"] == -32602
