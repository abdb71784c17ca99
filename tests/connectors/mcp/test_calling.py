"""Calls of a remote MCP server's tools: what comes back, what goes along, and what may go wrong."""

import gzip
import socket
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from accesscontrol.exceptions import Refusal
from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.execution import cancellation, mcp_call
from connectors.execution.errors import (
    BlockedAddress,
    Cancelled,
    CredentialRefused,
    DeadlineExceeded,
    NeedsReauth,
    RateLimited,
    ResponseTooLarge,
    UnusableTool,
    UpstreamError,
    UpstreamUnreachable,
)
from connectors.execution.mcp_parts import SHOWN_BYTES
from connectors.execution.mcp_results import ToolFailed
from connectors.execution.results import Content, Result
from connectors.mcp_binding import McpBinding
from connectors.models import Connector, Tool
from tests.connectors.execution.upstream import Handler, Route, endless, respond
from tests.connectors.mcp.server import LEGACY, MODERN, PIXEL, RpcError, Scripted, streamed, text

SECRET = "canary-credential"
BEARER = AuthScheme(kind=AuthKind.BEARER)
# A call that shows that the catalog is stale says so once the transaction has committed.
pytestmark = pytest.mark.django_db
ERAS = pytest.mark.parametrize("era", [MODERN, LEGACY, ""])


def silent(handler: Handler) -> None:
    handler.server.stopping.wait(5)


def resource(name: str, **fields: str) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": f"file:///{name}", **fields}}


def call(
    url: str,
    name: str = "go",
    arguments: dict[str, Any] | None = None,
    *,
    era: str = LEGACY,
    auth: AuthScheme = BEARER,
    hop_check: Callable[[httpx2.URL], None] = lambda url: None,
) -> Result:
    connector = Connector(slug="desk", label="Desk", kind=Connector.Kind.MCP, base_url=url, auth=auth.to_json())
    tool = Tool(connector=connector, name=name, binding=McpBinding(tool=name, protocol_version=era).to_json())
    credential = {"token": SECRET, "key": SECRET}
    return mcp_call.call(tool, arguments or {}, credential, hop_check=hop_check)


class TestResults:
    @ERAS
    def test_structured_content_is_the_result(self, desk_url: str, era: str) -> None:
        found = call(desk_url, "find_note", {"title": "Tea"}, era=era)
        assert found == Result(value={"title": "Tea", "places": [{"city": "Bern", "zip": ""}]})

    @ERAS
    def test_a_text_is_a_text(self, desk_url: str, era: str) -> None:
        moved = call(desk_url, "moveNote", {"note": {"title": "Tea", "places": []}, "to": {"city": "Ulm"}}, era=era)
        assert moved == Result(value={"text": "Tea is in Ulm"})

    def test_an_image_is_shown_beside_a_value_that_only_names_it(self, desk_url: str) -> None:
        assert call(desk_url, "draw", {"size": 1}) == Result(
            value={
                "content": [
                    {"type": "text", "text": "Here it is."},
                    {"type": "image", "media_type": "image/png", "bytes": len(b64decode(PIXEL))},
                ]
            },
            parts=({"type": "image", "data": PIXEL, "mimeType": "image/png"},),
        )

    def test_every_other_kind_of_part_is_passed_on(self, scripted: Scripted) -> None:
        scripted.answers["tools/call"] = {
            "content": [
                {"type": "audio", "data": PIXEL, "mimeType": "audio/wav"},
                {"type": "resource_link", "uri": "file:///a.txt", "name": "a", "mimeType": "text/plain"},
                resource("b.txt", text=f"B {SECRET}"),
                resource("c.pdf", blob=PIXEL, mimeType="application/pdf"),
                resource("d.png", blob=PIXEL, mimeType="image/png"),
                resource("e", blob="no base64!"),
            ],
            "structuredContent": {"n": 4},
        }
        size = len(b64decode(PIXEL))
        assert call(scripted.endpoint) == Result(
            value={
                "content": [
                    {"type": "audio", "media_type": "audio/wav", "bytes": size},
                    {"type": "resource_link", "uri": "file:///a.txt", "name": "a", "media_type": "text/plain"},
                    {"type": "resource", "uri": "file:///b.txt", "text": "B [redacted]"},
                    {"type": "resource", "uri": "file:///c.pdf", "media_type": "application/pdf", "bytes": size},
                    {"type": "resource", "uri": "file:///d.png", "media_type": "image/png", "bytes": size},
                    {
                        "type": "resource",
                        "uri": "file:///e",
                        "media_type": "application/octet-stream",
                        "note": "The content is not base64, so it is left out.",
                    },
                ],
                "structured": {"n": 4},
            },
            parts=(
                {"type": "audio", "data": PIXEL, "mimeType": "audio/wav"},
                {"type": "resource", "resource": {"uri": "file:///b.txt", "text": "B [redacted]"}},
                {"type": "image", "data": PIXEL, "mimeType": "image/png"},
            ),
            kept={3: Content(name="c.pdf", media_type="application/pdf", data=b64decode(PIXEL))},
        )

    def test_what_has_no_room_beside_the_value_is_kept_each_of_it(self, scripted: Scripted) -> None:
        """A mebibyte in all: the second of these and the last have no room, the small one between them has."""
        sizes = [SHOWN_BYTES - 10, 11, 10, 1]
        contents = [bytes([number]) * size for number, size in enumerate(sizes)]
        scripted.answers["tools/call"] = {
            "content": [
                {"type": "image", "data": b64encode(content).decode(), "mimeType": "image/png"} for content in contents
            ]
        }
        found = call(scripted.endpoint)
        assert [b64decode(part["data"]) for part in found.parts] == [contents[0], contents[2]]
        assert found.kept == {
            index: Content(name="image", media_type="image/png", data=contents[index]) for index in (1, 3)
        }
        assert [part["bytes"] for part in found.value["content"]] == sizes

    def test_parts_behind_the_cap_are_neither_shown_nor_kept(self, scripted: Scripted) -> None:
        scripted.answers["tools/call"] = {"content": [resource(f"{n}.pdf", blob=PIXEL) for n in range(201)]}
        found = call(scripted.endpoint)
        assert found.value["elaichi_truncated"]
        assert (len(found.value["content"]), len(found.kept)) == (200, 200)

    @pytest.mark.parametrize(
        ("answer", "value"),
        [
            ({"content": []}, {"content": []}),
            (text("[1]", structuredContent={"result": [1]}), {"result": [1]}),
            (
                {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
                {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            ),
            (text("x" * 40_000), {"elaichi_truncated": True, "text": "x" * 32_000}),
            (text(f"Bearer {SECRET}"), {"text": "Bearer [redacted]"}),
        ],
        ids=["nothing", "structured", "texts", "long", "secret"],
    )
    def test_results_are_shaped_capped_and_redacted(
        self, scripted: Scripted, answer: dict[str, Any], value: dict[str, Any]
    ) -> None:
        scripted.answers["tools/call"] = answer
        assert call(scripted.endpoint).value == value

    def test_an_answer_may_come_as_a_stream_of_events(self, scripted: Scripted) -> None:
        progress = {"method": "notifications/message", "params": {"level": "info", "data": "working"}}
        scripted.answers["tools/call"] = streamed(progress, {"result": text("done")})
        assert call(scripted.endpoint).value == {"text": "done"}


class TestRequests:
    def test_arguments_arrive_as_they_were_given(self, scripted: Scripted) -> None:
        call(scripted.endpoint, arguments={"a": [1, {"b": None}]})
        assert scripted.asked[-1]["params"]["arguments"] == {"a": [1, {"b": None}]}
        assert scripted.asked[-1]["params"]["name"] == "go"

    def test_the_credential_goes_in_the_header_and_nowhere_else(self, scripted: Scripted) -> None:
        call(scripted.endpoint)
        assert {request.headers["authorization"] for request in scripted.received} == {f"Bearer {SECRET}"}
        assert all(request.headers["user-agent"].startswith("elaichi/") for request in scripted.received)
        assert SECRET not in str([(request.target, request.body) for request in scripted.received])

    def test_an_api_key_goes_in_the_header_that_the_connector_names(self, scripted: Scripted) -> None:
        call(scripted.endpoint, auth=AuthScheme(kind=AuthKind.API_KEY_HEADER, parameter="X-Key"))
        assert {request.headers["x-key"] for request in scripted.received} == {SECRET}

    def test_a_key_in_the_address_is_refused(self, scripted: Scripted) -> None:
        with pytest.raises(UnusableTool, match="in the address"):
            call(scripted.endpoint, auth=AuthScheme(kind=AuthKind.API_KEY_QUERY, parameter="key"))
        assert scripted.received == []

    def test_a_known_era_saves_the_question(self, scripted: Scripted) -> None:
        call(scripted.endpoint, era=LEGACY)
        assert scripted.methods == ["initialize", "notifications/initialized", "tools/call"]

    def test_a_call_of_today_s_era_is_one_request(self, desk_url: str) -> None:
        hops: list[httpx2.URL] = []
        call(desk_url, "find_note", {"title": "x"}, era=MODERN, hop_check=hops.append)
        assert len(hops) == 1

    def test_no_capability_is_declared(self, scripted: Scripted) -> None:
        call(scripted.endpoint)
        assert scripted.asked[0]["params"]["capabilities"] == {}

    def test_a_server_that_left_its_era_is_asked_for_the_new_one(self, scripted: Scripted) -> None:
        scripted.answers["initialize"] = [
            RpcError(-32022, "Unsupported", data={"supported": [LEGACY], "requested": MODERN}, status=400),
            scripted.answers["initialize"],  # type: ignore[list-item]
        ]
        assert call(scripted.endpoint, era=LEGACY).value == {"text": "done"}
        assert scripted.methods.count("tools/call") == 1

    def test_arguments_that_a_server_wants_in_headers_are_there_once_it_says_so(self, scripted: Scripted) -> None:
        region = {"type": "string", "x-mcp-header": "Region"}
        listed = {"name": "go", "inputSchema": {"type": "object", "properties": {"region": region}}}
        of_today = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        scripted.answers["tools/list"] = {"tools": [listed], **of_today}
        scripted.answers["tools/call"] = [RpcError(-32020, "Header mismatch", status=400), text("done", **of_today)]
        assert call(scripted.endpoint, arguments={"region": "eu"}, era=MODERN).value == {"text": "done"}
        assert scripted.methods == ["tools/call", "tools/list", "tools/call"]
        assert scripted.received[-1].headers["mcp-param-region"] == "eu"

    def test_a_session_is_opened_kept_and_closed(self, scripted: Scripted) -> None:
        scripted.open_sessions(respond(200))
        call(scripted.endpoint)
        assert [(request.method, request.headers.get("mcp-session-id")) for request in scripted.received] == [
            ("POST", None),
            ("POST", "s-1"),
            ("POST", "s-1"),
            ("DELETE", "s-1"),
        ]

    @pytest.mark.parametrize("goodbye", [respond(500), silent], ids=["refused", "silent"])
    def test_a_goodbye_that_goes_wrong_changes_nothing(self, scripted: Scripted, settings: Any, goodbye: Route) -> None:
        settings.OUTBOUND_SECONDS = 0.5
        scripted.open_sessions(goodbye)
        assert call(scripted.endpoint).value == {"text": "done"}


class TestFailures:
    def test_a_tool_that_fails_says_why(self, desk_url: str) -> None:
        with pytest.raises(ToolFailed, match=r"^The tool failed at 127\.0\.0\.1\. It said: No such dog$") as raised:
            call(desk_url, "fail", {"word": "dog"})
        assert (raised.value.code, raised.value.help) == ("upstream_error", {"excerpt": "No such dog"})

    @pytest.mark.parametrize(
        ("answer", "refusal", "words"),
        [
            (RpcError(-32603, f"Oops {SECRET}"), UpstreamError, r"refused the call: Oops \[redacted\]$"),
            (RpcError(-32602, "Bad", status=400), UpstreamError, "refused the call: Bad"),
            (respond(401, b"no"), CredentialRefused, "Connect the account again"),
            (respond(403, b"not you", Content_Type="text/plain"), UpstreamError, "status 403. It said: not you"),
            (respond(429, b"", Retry_After="7"), RateLimited, "in 7 seconds"),
            (respond(500, b"down"), UpstreamError, "status 500. It said: down"),
            (respond(200, b"<p>Hello", Content_Type="text/html"), UpstreamError, "Unexpected content type"),
            (respond(200, b"{", Content_Type="application/json"), UpstreamError, "something that is not MCP"),
            (respond(202), UpstreamError, "202 Accepted"),
            (respond(200, b"data: {\n\n", Content_Type="text/event-stream"), UpstreamError, "not MCP"),
            (respond(200, b"", Content_Type="text/event-stream"), UpstreamError, "without a response"),
            ({"content": "text"}, UpstreamError, "something that is not MCP"),
            (endless(b"x" * 65536, head=b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"),
             ResponseTooLarge, "10 MiB"),
            (respond(200, gzip.compress(b"z" * (30 * 2**20)), Content_Encoding="gzip",
                     Content_Type="application/json"), ResponseTooLarge, "10 MiB"),
            (respond(200, b"x", Content_Encoding="gzip, gzip", Content_Type="application/json"),
             UpstreamError, "more than once"),
            (respond(302, Location="http://169.254.169.254/mcp"), BlockedAddress, "169.254.169.254 is another server"),
            (respond(307, Location="http://localhost:9/mcp"), BlockedAddress, "localhost is another server"),
            (respond(302, Location="/other"), UpstreamError, "would lose the message"),
            (respond(307, Location="/mcp"), UpstreamError, "Redirect to"),
            (respond(307, Location="ftp://a/"), BlockedAddress, "http or https"),
        ],
    )  # fmt: skip
    def test_what_goes_wrong_is_a_refusal_that_leaks_nothing(
        self, scripted: Scripted, answer: Any, refusal: type[Refusal], words: str
    ) -> None:
        scripted.answers["tools/call"] = answer
        with pytest.raises(refusal, match=words) as raised:
            call(scripted.endpoint)
        assert SECRET not in f"{raised.value}{raised.value.help}"

    @pytest.mark.parametrize("method", ["server/discover", "initialize"])
    @pytest.mark.parametrize(
        ("answer", "refusal"),
        [(respond(401), CredentialRefused), (respond(429), RateLimited), (respond(503), UpstreamError)],
    )
    def test_a_refused_greeting_is_told_as_a_refused_call(
        self, scripted: Scripted, method: str, answer: Route, refusal: type[Refusal]
    ) -> None:
        scripted.answers |= {"initialize": answer, method: answer}
        with pytest.raises(refusal):
            call(scripted.endpoint, era="")
        assert "tools/call" not in scripted.methods

    def test_a_write_is_sent_once_however_it_fails(self, scripted: Scripted) -> None:
        for answer in (respond(503, Retry_After="0"), respond(401), respond(202), RpcError(-32600, "No")):
            scripted.answers["tools/call"] = answer
            scripted.asked.clear()
            with pytest.raises(Refusal):
                call(scripted.endpoint)
            assert scripted.methods.count("tools/call") == 1

    def test_a_redirect_within_the_server_is_followed_and_asked_about(self, scripted: Scripted) -> None:
        scripted.routes["/mcp/"] = scripted.speak
        scripted.routes["/mcp"] = respond(307, Location="/mcp/")
        hops: list[str] = []
        assert call(scripted.endpoint, hop_check=lambda url: hops.append(url.path)).value == {"text": "done"}
        assert hops == ["/mcp", "/mcp/"] * 3

    @pytest.mark.parametrize("number", [1, 2, 3])
    def test_a_check_that_says_no_stops_the_next_request(self, scripted: Scripted, number: int) -> None:
        hops: list[httpx2.URL] = []

        def check(url: httpx2.URL) -> None:
            hops.append(url)
            if len(hops) == number:
                raise NeedsReauth("Not any more.")

        with pytest.raises(NeedsReauth, match="Not any more"):
            call(scripted.endpoint, hop_check=check)
        assert len(scripted.received) == number - 1

    def test_a_private_address_is_never_dialled(self, scripted: Scripted, settings: Any) -> None:
        settings.EGRESS_ALLOWED = []
        with pytest.raises(BlockedAddress, match="is not a public address"):
            call(scripted.endpoint)
        assert scripted.received == []

    def test_the_environment_s_proxies_are_ignored(self, scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
        monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
        assert call(scripted.endpoint).value == {"text": "done"}

    def test_a_server_that_is_not_there_is_told(self, settings: Any) -> None:
        settings.EGRESS_ALLOWED = ["127.0.0.1:9"]
        with pytest.raises(UpstreamUnreachable, match="could not be reached"):
            call("http://127.0.0.1:9/mcp")

    @pytest.mark.parametrize(
        "answer",
        [silent,
         endless(b": ping\n\n", pause=0.02, head=b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")],
        ids=["silent", "drip"],
    )  # fmt: skip
    def test_a_server_that_never_finishes_is_left(self, scripted: Scripted, settings: Any, answer: Route) -> None:
        settings.OUTBOUND_SECONDS = 0.3
        scripted.answers["tools/call"] = answer
        with pytest.raises(DeadlineExceeded, match=r"within 0\.3 seconds"):
            call(scripted.endpoint)

    def test_a_caller_that_hangs_up_ends_the_call(self, scripted: Scripted) -> None:
        ours, theirs = socket.socketpair()

        def answer(handler: Handler) -> None:
            theirs.close()
            handler.server.stopping.wait(5)

        scripted.answers["tools/call"] = answer
        with ours, cancellation.ending_with(ours), pytest.raises(Cancelled):
            call(scripted.endpoint)

    def test_a_server_that_asks_the_person_is_told_that_nobody_answers(self, desk_url: str) -> None:
        with pytest.raises(UpstreamError, match="Elicitation not supported"):
            call(desk_url, "ask", era=LEGACY)

    def test_an_answer_that_is_a_question_is_refused(self, scripted: Scripted) -> None:
        question = {
            "method": "elicitation/create",
            "params": {"message": "How many?", "requestedSchema": {"type": "object", "properties": {}}},
        }
        scripted.answers["tools/call"] = {
            "resultType": "input_required", "inputRequests": {"q": question}, "requestState": "s"
        }  # fmt: skip
        with pytest.raises(UpstreamError, match="asks something back"):
            call(scripted.endpoint, era=MODERN)
