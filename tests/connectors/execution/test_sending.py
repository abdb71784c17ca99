"""One request and its limits, against real servers."""

import gzip
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from socket import SHUT_RDWR

import httpx2
import pytest

from accesscontrol.exceptions import Refusal
from connectors.execution.egress import GuardedTransport
from connectors.execution.errors import (
    BlockedAddress,
    DeadlineExceeded,
    ResponseTooLarge,
    UpstreamError,
    UpstreamUnreachable,
)
from connectors.execution.request import CREDENTIAL_PARAMETERS
from connectors.execution.retry_after import seconds_to_wait
from connectors.execution.sending import HopCheck, Limits, UpstreamResponse, send
from tests.connectors.execution.upstream import Server, endless, in_turn, respond

type Send = Callable[..., UpstreamResponse]


def admit(url: httpx2.URL) -> None:
    """Every hop is fine."""


@pytest.fixture
def call(transport: GuardedTransport) -> Send:
    def call(
        method: str,
        url: str,
        *,
        limits: Limits = Limits(),  # noqa: B008
        hop_check: HopCheck = admit,
        headers: dict[str, str] | None = None,
        content: bytes | None = None,
        extensions: dict[str, str] | None = None,
    ) -> UpstreamResponse:
        request = httpx2.Request(method, url, headers=headers, content=content, extensions=extensions)
        return send(request, transport=transport, hop_check=hop_check, limits=limits)

    return call


def test_an_answer_comes_back_whole(upstream: Server, call: Send) -> None:
    upstream.routes["/a"] = respond(201, b'{"id": 1}', Content_Type="application/json")
    response = call("POST", f"{upstream.url}/a?x=1", content=b"{}", headers={"X-Key": "k"})
    assert (response.status, response.content, response.host) == (201, b'{"id": 1}', "127.0.0.1")
    assert response.headers["content-type"] == "application/json"
    [received] = upstream.received
    assert (received.method, received.target, received.body) == ("POST", "/a?x=1", b"{}")
    assert received.headers["x-key"] == "k"


class TestSize:
    LIMITS = Limits(max_bytes=100_000, max_error_bytes=1000)

    def test_a_declared_50_mb_body_is_refused(self, upstream: Server, call: Send) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 52428800\r\n\r\n"
        upstream.routes["/"] = endless(b"x" * 65536, head=head)
        with pytest.raises(ResponseTooLarge, match="larger than 10 MiB"):
            call("GET", f"{upstream.url}/")

    def test_an_endless_body_is_refused(self, upstream: Server, call: Send) -> None:
        upstream.routes["/"] = endless(b"x" * 65536)
        with pytest.raises(ResponseTooLarge) as caught:
            call("GET", f"{upstream.url}/", limits=self.LIMITS)
        assert caught.value.code == "upstream_error"

    def test_a_body_of_exactly_the_limit_is_taken(self, upstream: Server, call: Send) -> None:
        upstream.routes["/"] = respond(200, b"x" * 100_000)
        assert len(call("GET", f"{upstream.url}/", limits=self.LIMITS).content) == 100_000

    def test_a_gzip_bomb_is_refused_by_its_decoded_size(self, upstream: Server, call: Send) -> None:
        upstream.routes["/"] = respond(200, gzip.compress(bytes(50_000_000)), Content_Encoding="gzip")
        with pytest.raises(ResponseTooLarge):
            call("GET", f"{upstream.url}/")

    def test_gzip_that_decodes_to_nothing_is_counted_as_it_comes(self, upstream: Server, call: Send) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"")[:10]
        upstream.routes["/"] = endless(b"\x00\x00\x00\xff\xff" * 10_000, head=head)
        with pytest.raises(ResponseTooLarge):
            call("GET", f"{upstream.url}/", limits=self.LIMITS)

    def test_a_body_that_is_compressed_twice_is_refused(self, upstream: Server, call: Send) -> None:
        body = gzip.compress(gzip.compress(b"{}"))
        upstream.routes["/"] = respond(200, body, Content_Encoding="gzip, gzip")
        with pytest.raises(UpstreamError, match="more than once"):
            call("GET", f"{upstream.url}/")

    def test_a_broken_encoding_is_an_upstream_error(self, upstream: Server, call: Send) -> None:
        upstream.routes["/"] = respond(200, b"not gzip at all", Content_Encoding="gzip")
        with pytest.raises(UpstreamError, match="decompressed"):
            call("GET", f"{upstream.url}/")

    def test_of_a_large_error_the_beginning_is_kept(self, upstream: Server, call: Send) -> None:
        upstream.routes["/"] = respond(500, b"oops" * 10_000)
        response = call("GET", f"{upstream.url}/", limits=self.LIMITS)
        assert (response.status, response.truncated, len(response.content)) == (500, True, 1000)


class TestTime:
    LIMITS = Limits(total=0.3, connect=0.2)

    @pytest.mark.parametrize(
        "head",
        [
            pytest.param(b"HTTP/1.1 200 OK\r\n\r\n", id="in the body"),
            pytest.param(b"HTTP/1.1 200 OK\r\nX-Slow: ", id="in the headers"),
        ],
    )
    def test_a_dripping_upstream_is_cut_off(self, upstream: Server, call: Send, head: bytes) -> None:
        upstream.routes["/"] = endless(b"x", pause=0.01, head=head)
        started = time.monotonic()
        with pytest.raises(DeadlineExceeded, match=r"within 0\.3 seconds"):
            call("GET", f"{upstream.url}/", limits=self.LIMITS)
        assert time.monotonic() - started < 2

    def test_a_silent_upstream_is_cut_off(self, upstream: Server, call: Send) -> None:
        upstream.routes["/"] = endless(b"", pause=0.01, head=b"")
        with pytest.raises(DeadlineExceeded) as caught:
            call("GET", f"{upstream.url}/", limits=self.LIMITS)
        assert caught.value.code == "upstream_unreachable"

    def test_the_time_is_that_of_all_hops_together(self, upstream: Server, call: Send) -> None:
        def slowly_around(handler: object) -> None:
            upstream.stopping.wait(0.08)
            respond(302, Location="/")(handler)  # type: ignore[arg-type]

        upstream.routes["/"] = slowly_around
        with pytest.raises(DeadlineExceeded):
            call("GET", f"{upstream.url}/", limits=Limits(total=0.2, redirects=100))
        assert len(upstream.received) <= 3

    def test_the_next_call_has_its_own_time(self, upstream: Server, call: Send) -> None:
        upstream.routes["/slow"] = endless(b"", pause=0.01, head=b"")
        upstream.routes["/"] = respond(200, b"ok")
        with pytest.raises(DeadlineExceeded):
            call("GET", f"{upstream.url}/slow", limits=Limits(total=0.05))
        assert call("GET", f"{upstream.url}/").content == b"ok"


class TestUnreachable:
    def test_a_closed_port(self, upstream: Server, call: Send) -> None:
        upstream.shutdown()
        upstream.server_close()
        with pytest.raises(UpstreamUnreachable, match="could not be reached"):
            call("GET", upstream.url)

    def test_a_connection_that_breaks_off(self, upstream: Server, call: Send) -> None:
        upstream.routes["/"] = lambda handler: handler.connection.shutdown(SHUT_RDWR)
        with pytest.raises(UpstreamUnreachable, match="broke off"):
            call("GET", upstream.url)

    def test_something_that_is_not_http(self, upstream: Server, call: Send) -> None:
        upstream.routes["/"] = endless(b"SSH-2.0-OpenSSH\r\n", head=b"")
        with pytest.raises(UpstreamUnreachable, match="does not speak HTTP"):
            call("GET", upstream.url)


class TestRedirects:
    def test_one_to_the_metadata_service_is_refused_before_a_byte_is_sent(self, upstream: Server, call: Send) -> None:
        upstream.routes["/"] = respond(302, Location="http://169.254.169.254/latest/meta-data/")
        with pytest.raises(BlockedAddress) as caught:
            call("GET", upstream.url)
        assert caught.value.code == "blocked_address"
        assert caught.value.help == {"host": "169.254.169.254"}

    def test_each_hop_is_checked_before_it_is_sent(self, upstream: Server, other: Server, call: Send) -> None:
        upstream.routes["/a"] = respond(302, Location="/b")
        upstream.routes["/b"] = respond(302, Location=f"{other.url}/c")
        asked: list[tuple[str, int]] = []

        def only_upstream(url: httpx2.URL) -> None:
            asked.append((str(url), len(upstream.received)))
            if url.port == other.server_port:
                raise Refusal("no")

        with pytest.raises(Refusal, match="no"):
            call("GET", f"{upstream.url}/a", hop_check=only_upstream)
        assert asked == [(f"{upstream.url}/a", 0), (f"{upstream.url}/b", 1), (f"{other.url}/c", 2)]
        assert other.received == []

    def test_five_are_followed_and_a_sixth_is_not(self, upstream: Server, call: Send) -> None:
        for hop in range(6):
            upstream.routes[f"/{hop}"] = respond(302, Location=f"/{hop + 1}")
        upstream.routes["/6"] = respond(200, b"arrived")
        assert call("GET", f"{upstream.url}/1").content == b"arrived"
        with pytest.raises(UpstreamError, match="more than 5 times"):
            call("GET", f"{upstream.url}/0")

    def test_credentials_stay_with_their_origin(self, upstream: Server, other: Server, call: Send) -> None:
        upstream.routes["/a"] = respond(307, Location="/b")
        upstream.routes["/b"] = respond(307, Location=f"{other.url}/c")
        other.routes["/c"] = respond(307, Location=f"{upstream.url}/d")
        upstream.routes["/d"] = respond(200)
        secrets = {"Authorization": "Bearer canary", "X-Api-Key": "canary", "Cookie": "session=canary"}
        call("GET", f"{upstream.url}/a", headers={**secrets, "Accept": "application/json"})
        first, second, back = upstream.received
        [elsewhere] = other.received
        assert first.headers["authorization"] == second.headers["authorization"] == "Bearer canary"
        assert second.headers["x-api-key"] == "canary"
        assert "canary" not in str(elsewhere)
        assert "canary" not in str(back)
        assert elsewhere.headers["accept"] == "application/json"
        assert elsewhere.headers["host"] == other.authority

    @pytest.mark.parametrize(
        "target",
        ["{other}/c", "{other}", "{other}/c?x=1&api_key=canary&y=2", "{other}/?API%5FKEY=canary", "//{bare}/c"],
    )
    def test_a_key_in_the_query_stays_with_its_origin(
        self, upstream: Server, other: Server, call: Send, target: str
    ) -> None:
        """Even where the upstream writes it into the target, or another origin would have it back."""
        location = target.format(other=other.url, bare=other.authority)
        upstream.routes["/a"] = respond(302, Location=location)
        for path in ("/", "/c"):
            other.routes[path] = respond(302, Location=f"{upstream.url}/d?api_key=canary")
        upstream.routes["/d"] = respond(200)
        call("GET", f"{upstream.url}/a?api_key=canary", extensions={CREDENTIAL_PARAMETERS: ("api_key",)})
        [elsewhere] = other.received
        assert "canary" not in str(elsewhere)
        assert "referer" not in elsewhere.headers
        assert ("x=1&y=2" in elsewhere.target) == ("x=1" in location)
        assert upstream.received[1].target == "/d"

    def test_a_key_in_the_query_is_the_upstream_s_to_pass_on_at_its_own_origin(
        self, upstream: Server, call: Send
    ) -> None:
        upstream.routes["/a"] = respond(302, Location="/b?api_key=canary")
        upstream.routes["/b"] = respond(302, Location="/c")
        call("GET", f"{upstream.url}/a?api_key=canary", extensions={CREDENTIAL_PARAMETERS: ("api_key",)})
        assert [it.target for it in upstream.received] == ["/a?api_key=canary", "/b?api_key=canary", "/c"]

    @pytest.mark.parametrize(
        ("status", "method", "then"),
        [
            (301, "POST", "GET"),
            (302, "POST", "GET"),
            (303, "POST", "GET"),
            (303, "DELETE", "GET"),
            (303, "HEAD", "HEAD"),
            (302, "PUT", "PUT"),
            (307, "POST", "POST"),
            (308, "POST", "POST"),
        ],
    )
    def test_the_method_and_body_follow_the_status(
        self, upstream: Server, call: Send, status: int, method: str, then: str
    ) -> None:
        upstream.routes["/a"] = respond(status, Location="/b")
        upstream.routes["/b"] = respond(200)
        content = b"{}" if method in ("POST", "PUT") else None
        call(method, f"{upstream.url}/a", content=content, headers={"Content-Type": "application/json"})
        received = upstream.received[1]
        assert received.method == then
        if then in ("POST", "PUT"):
            assert (received.body, received.headers["content-type"]) == (b"{}", "application/json")
        elif then == "GET":
            assert received.body == b""
            assert "content-type" not in received.headers

    def test_a_user_name_in_the_target_is_left_out(self, upstream: Server, call: Send) -> None:
        target = upstream.url.replace("http://", "http://eve:pw@")
        upstream.routes["/a"] = respond(302, Location=f"{target}/b")
        upstream.routes["/b"] = respond(200)
        call("GET", f"{upstream.url}/a")
        assert "authorization" not in upstream.received[1].headers

    @pytest.mark.parametrize("location", ["file:///etc/passwd", "gopher://127.0.0.1/", "ws://127.0.0.1/"])
    def test_one_to_another_scheme_is_refused(self, upstream: Server, call: Send, location: str) -> None:
        upstream.routes["/"] = respond(302, Location=location)
        with pytest.raises(BlockedAddress):
            call("GET", upstream.url)

    def test_one_to_no_url_is_an_upstream_error(self, upstream: Server, call: Send) -> None:
        upstream.routes["/"] = respond(302, Location="http://[::1")
        with pytest.raises(UpstreamError):
            call("GET", upstream.url)

    def test_without_a_location_it_is_the_answer(self, upstream: Server, call: Send) -> None:
        upstream.routes["/"] = respond(304)
        assert call("GET", upstream.url).status == 304

    def test_cookies_are_not_kept(self, upstream: Server, call: Send) -> None:
        upstream.routes["/"] = respond(200, Set_Cookie="session=of-this-account")
        call("GET", upstream.url)
        call("GET", upstream.url)
        assert "cookie" not in upstream.received[1].headers


class TestRetry:
    BUSY = staticmethod(lambda status, wait: respond(status, Retry_After=wait))

    @pytest.mark.parametrize("status", [429, 503])
    @pytest.mark.parametrize("method", ["GET", "HEAD"])
    def test_a_read_is_sent_again_once(self, upstream: Server, call: Send, method: str, status: int) -> None:
        upstream.routes["/"] = in_turn(self.BUSY(status, "0"), respond(200))
        checked: list[httpx2.URL] = []
        assert call(method, upstream.url, hop_check=checked.append).status == 200
        assert len(upstream.received) == len(checked) == 2

    def test_and_no_more_than_once(self, upstream: Server, call: Send) -> None:
        upstream.routes["/"] = self.BUSY(429, "0")
        assert call("GET", upstream.url).status == 429
        assert len(upstream.received) == 2

    @pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
    def test_a_write_is_never_sent_again(self, upstream: Server, call: Send, method: str) -> None:
        upstream.routes["/"] = self.BUSY(503, "0")
        assert call(method, upstream.url).status == 503
        assert len(upstream.received) == 1

    @pytest.mark.parametrize("wait", ["6", "3600", "soon", "-1", ""])
    def test_a_long_or_unreadable_wait_is_not_waited_for(self, upstream: Server, call: Send, wait: str) -> None:
        upstream.routes["/"] = self.BUSY(429, wait)
        assert call("GET", upstream.url).status == 429
        assert len(upstream.received) == 1

    def test_a_wait_beyond_the_deadline_is_not_waited_for(self, upstream: Server, call: Send) -> None:
        upstream.routes["/"] = self.BUSY(429, "2")
        assert call("GET", upstream.url, limits=Limits(total=1)).status == 429
        assert len(upstream.received) == 1

    def test_other_errors_are_not_retried(self, upstream: Server, call: Send) -> None:
        upstream.routes["/"] = self.BUSY(500, "0")
        assert call("GET", upstream.url).status == 500
        assert len(upstream.received) == 1


def test_retry_after_takes_seconds_and_dates() -> None:
    now = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)
    assert seconds_to_wait("120", now=now) == 120
    assert seconds_to_wait(format_datetime(now + timedelta(seconds=90), usegmt=True), now=now) == 90
    assert seconds_to_wait(format_datetime(now - timedelta(days=1), usegmt=True), now=now) == 0
    assert [seconds_to_wait(value, now=now) for value in (None, "", "٣", "9" * 5000, "tomorrow")] == [None] * 5
