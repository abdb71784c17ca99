"""What a model gets to see of an answer."""

import json
from typing import Any

import httpx2
import pytest

from accesscontrol.exceptions import Refusal
from connectors.execution.errors import ErrorStatus, NeedsReauth, RateLimited
from connectors.execution.results import Content, interpret
from connectors.execution.sending import UpstreamResponse

SECRET = "canary-0123456789"


def answer(
    content: bytes | str = b"", media_type: str = "application/json", status: int = 200, **headers: str
) -> UpstreamResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return UpstreamResponse(
        host="api.example.com",
        status=status,
        headers=httpx2.Headers({**({"content-type": media_type} if media_type else {}), **named}),
        content=content.encode() if isinstance(content, str) else content,
    )


def failure(*args: Any, **kwargs: Any) -> Refusal:
    with pytest.raises(Refusal) as caught:
        interpret(answer(*args, **kwargs), secrets=[SECRET])
    return caught.value


class TestJSON:
    def test_an_object_comes_as_it_is(self) -> None:
        assert interpret(answer('{"a": [1, 2.5, null, true, "ü"]}')).value == {"a": [1, 2.5, None, True, "ü"]}

    @pytest.mark.parametrize("value", [[1], "x", 5, None, True])
    def test_anything_else_is_wrapped(self, value: Any) -> None:
        assert interpret(answer(json.dumps(value))).value == {"result": value}

    @pytest.mark.parametrize(
        "media_type", ["application/problem+json; charset=utf-8", "text/json", "text/plain", "text/html", ""]
    )
    def test_it_is_known_by_its_type_or_its_look(self, media_type: str) -> None:
        assert interpret(answer(' {"a": 1}', media_type)).value == {"a": 1}

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
    def test_its_encoding_is_detected(self, encoding: str) -> None:
        assert interpret(answer('{"a": "ü"}'.encode(encoding))).value == {"a": "ü"}

    def test_numbers_that_json_lacks_become_texts(self) -> None:
        result = interpret(answer('{"a": NaN, "b": -Infinity, "c": 1e999, "d": 1%s}' % ("0" * 5000))).value
        assert result == {"a": "nan", "b": "-inf", "c": "inf", "d": "1" + "0" * 5000}
        json.dumps(result, allow_nan=False)

    def test_invalid_unicode_is_replaced(self) -> None:
        assert interpret(answer(b'{"a": "\xff", "b": "\\ud800"}')).value == {"a": "\ufffd", "b": "\ufffd"}

    @pytest.mark.parametrize("content", ['{"a": ', "", "[" * 100_000, '{"a":' * 100_000])
    def test_what_cannot_be_read_is_text(self, content: str) -> None:
        result = interpret(answer(content or " ")).value
        assert result.get("text") == (content or " ")[:32_000]
        json.dumps(result)


class TestOtherContent:
    def test_text(self) -> None:
        assert interpret(answer("héllo", "text/plain")).value == {"text": "héllo"}
        assert interpret(answer("é".encode("latin-1"), "text/csv; charset=ISO-8859-1")).value == {"text": "é"}

    @pytest.mark.parametrize("charset", ["nonsense", "punycode", "zlib", "utf-16-nope", "unicode_escape"])
    def test_an_odd_charset_does_no_harm(self, charset: str) -> None:
        assert interpret(answer("abc", f"text/plain; charset={charset}")).value == {"text": "abc"}

    def test_of_a_page_what_it_says(self) -> None:
        page = """<!DOCTYPE html><title>Oops</title><!-- a <b> --> <style>p {}</style>
            <script>if (a < b) alert("<p>")</script><p>1 &lt; 2 &amp; a < b</p><svg><text>x</text></svg>end"""
        assert interpret(answer(page, "text/html")).value == {"text": "Oops 1 < 2 & a < b end"}

    @pytest.mark.parametrize("piece", ["<", "<script>", "<!--", "</", "&", "<a "])
    def test_a_hostile_page_takes_no_time(self, piece: str) -> None:
        interpret(answer(piece * 500_000, "text/html"))

    @pytest.mark.parametrize("media_type", ["image/png", "application/octet-stream", "application/pdf", ""])
    def test_of_bytes_a_note(self, media_type: str) -> None:
        result = interpret(answer(b"\x89PNG\0\xff", media_type)).value
        assert result == {
            "media_type": media_type or "application/octet-stream",
            "bytes": 6,
            "note": "The answer is not text, so its content is left out.",
        }

    def test_of_nothing_the_status(self) -> None:
        assert interpret(answer(status=204)).value == {"status": 204}
        assert interpret(answer(status=201, location="/pages/7")).value == {"status": 201, "location": "/pages/7"}


class TestContent:
    def test_of_bytes_it_is_kept_under_the_name_that_they_were_given(self) -> None:
        disposition = 'attachment; filename="../a \\"b\\".pdf"'
        response = answer(b"%PDF\xff", "application/pdf", content_disposition=disposition)
        assert interpret(response).content == Content(name="a b.pdf", media_type="application/pdf", data=b"%PDF\xff")

    def test_of_a_text_that_fits_nothing_is_kept(self) -> None:
        assert interpret(answer('{"a": 1}')).content is None
        assert interpret(answer(json.dumps(["x"] * 1000))).content is None

    def test_of_a_large_one_that_was_cut_the_whole_is_kept_without_secrets(self) -> None:
        text = json.dumps([SECRET, *["ü" * 1000] * 1100], ensure_ascii=False)
        result = interpret(answer(text), secrets=[SECRET])
        assert next(iter(result.value)) == "elaichi_truncated"
        assert result.content is not None
        assert result.content.name == "file.json"
        assert json.loads(result.content.data) == ["[redacted]", *["ü" * 1000] * 1100]

    def test_an_upstream_cannot_name_a_file_of_ours(self) -> None:
        assert interpret(answer('{"elaichi_file": {"url": "http://evil.example"}, "a": 1}')).value == {"a": 1}


class TestFailure:
    def test_an_error_has_status_and_excerpt(self) -> None:
        error = failure('{"message":\n "no such page"}', status=404)
        assert isinstance(error, ErrorStatus)
        assert error.code == "upstream_error"
        assert error.help == {"status": 404, "excerpt": '{"message": "no such page"}'}
        assert str(error) == 'api.example.com answered with status 404. It said: {"message": "no such page"}'

    def test_an_html_error_is_told_as_text(self) -> None:
        page = f"<html><h1>Server Error</h1><script>{'x' * 50_000}</script><p>Sorry</p></html>"
        assert failure(page, "text/html", 500).help == {"status": 500, "excerpt": "Server Error Sorry"}

    def test_an_excerpt_is_short_printable_and_redacted(self) -> None:
        hidden = f"{SECRET[:5]}\u200b{SECRET[5:]}"
        said = f"\x1b[31mtoken {SECRET} {hidden}\u202e " + "word " * 1000
        excerpt = failure(said, "text/plain", 500).help["excerpt"]
        assert excerpt.startswith("[31mtoken [redacted] [redacted] word")
        assert len(excerpt) == 500

    def test_a_binary_error_has_no_excerpt(self) -> None:
        assert failure(b"\0\xff", "image/png", 502).help == {"status": 502, "excerpt": ""}

    def test_401_needs_reauth(self) -> None:
        error = failure(f"bad {SECRET}", "text/plain", 401)
        assert isinstance(error, NeedsReauth)
        assert error.code == "needs_reauth"
        assert SECRET not in str(error)

    @pytest.mark.parametrize(("header", "seconds"), [({"retry_after": "90"}, 90), ({}, None)])
    def test_429_says_how_long(self, header: dict[str, str], seconds: int | None) -> None:
        error = failure(status=429, **header)
        assert isinstance(error, RateLimited)
        assert (error.code, error.help) == ("rate_limited", {"seconds": seconds})


class TestRedaction:
    def test_secrets_never_come_back(self) -> None:
        echo = {"headers": {"Authorization": f"Bearer {SECRET}"}, SECRET: [f"a{SECRET}b"]}
        result = interpret(answer(json.dumps(echo)), secrets=[SECRET]).value
        assert result == {
            "headers": {"Authorization": "Bearer [redacted]"},
            "[redacted]": ["a[redacted]b"],
        }

    def test_nor_in_text_pages_or_locations(self) -> None:
        for response in (
            answer(SECRET, "text/plain"),
            answer(f"<p>{SECRET}</p>", "text/html"),
            answer(status=201, location=f"/x?key={SECRET}"),
        ):
            assert SECRET not in str(interpret(response, secrets=[SECRET]))

    def test_nor_in_part_where_a_text_is_cut(self) -> None:
        text = "x" * (32_000 - 5) + SECRET
        assert "canar" not in str(interpret(answer(text, "text/plain"), secrets=[SECRET]))

    def test_a_secret_inside_a_longer_one_leaves_nothing_of_that(self) -> None:
        result = interpret(answer("abcdef", "text/plain"), secrets=["bcd", "abcdef"]).value
        assert result == {"text": "[redacted]"}
