"""Arguments bound to the places of a request, and kept there."""

import json
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accesscontrol.exceptions import InvalidArguments
from connectors.binding import Binding, Body, Location, Parameter
from connectors.execution.arguments import BoundRequest, bind
from connectors.execution.errors import UnsupportedMediaType, UnusableTool

STYLES = {
    Location.PATH: "simple",
    Location.QUERY: "form",
    Location.HEADER: "simple",
    Location.COOKIE: "form",
}


def parameter(name: str, location: Location, **more: Any) -> Parameter:
    defaults = {"style": STYLES[location], "explode": STYLES[location] == "form"}
    return Parameter(argument=name, name=name, location=location, **{**defaults, **more})


def bound(location: Location, value: Any, *, path: str = "/things", **more: Any) -> BoundRequest:
    """The request of a tool with one parameter, `x`."""
    binding = Binding(method="get", path=path, parameters=(parameter("x", location, **more),))
    return bind(binding, {"x": value})


def with_body(body: Body, arguments: dict[str, Any]) -> BoundRequest:
    return bind(Binding(method="post", path="/things", body=body), arguments)


def reasons(caught: pytest.ExceptionInfo[InvalidArguments]) -> list[tuple[str, str]]:
    return [(problem["path"], problem["reason"]) for problem in caught.value.help["problems"]]


class TestPath:
    @pytest.mark.parametrize(
        ("value", "path"),
        [
            ("a b", "/pages/a%20b/blocks"),
            ("a/b", "/pages/a%2Fb/blocks"),
            ("a?b#c", "/pages/a%3Fb%23c/blocks"),
            ("a%2fb", "/pages/a%252fb/blocks"),
            ("a;b=c", "/pages/a%3Bb%3Dc/blocks"),
            ("{x}", "/pages/%7Bx%7D/blocks"),
            ("ü", "/pages/%C3%BC/blocks"),
            ("a\r\nb\0", "/pages/a%0D%0Ab%00/blocks"),
            ("...", "/pages/.../blocks"),
            (7, "/pages/7/blocks"),
            (7.0, "/pages/7/blocks"),
            (True, "/pages/true/blocks"),
            (["a", "b,c"], "/pages/a,b%2Cc/blocks"),
        ],
    )
    def test_a_value_stays_in_its_segment(self, value: Any, path: str) -> None:
        assert bound(Location.PATH, value, path="/pages/{x}/blocks").path == path

    @pytest.mark.parametrize(
        "value",
        [".", "..", "../admin", "a/../b", "..\\admin", "a/.", "%2e%2e", "%252e%252e", "..%2fadmin", ["."]],
    )
    def test_dot_segments_are_refused(self, value: Any) -> None:
        with pytest.raises(InvalidArguments) as caught:
            bound(Location.PATH, value, path="/pages/{x}")
        assert reasons(caught) == [("/x", "must not be or hold a . or .. path segment")]

    @pytest.mark.parametrize("value", ["", None, [], {}])
    def test_empty_values_are_refused(self, value: Any) -> None:
        with pytest.raises(InvalidArguments) as caught:
            bound(Location.PATH, value, path="/pages/{x}")
        assert reasons(caught) == [("/x", "is required and must not be empty")]

    def test_a_missing_value_is_refused(self) -> None:
        binding = Binding(method="get", path="/pages/{x}", parameters=(parameter("x", Location.PATH),))
        with pytest.raises(InvalidArguments):
            bind(binding, {})

    @settings(deadline=None)
    @given(value=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
    def test_any_value_is_one_segment_that_decodes_to_itself_or_is_refused(self, value: str) -> None:
        try:
            path = bound(Location.PATH, value, path="/pages/{x}/blocks").path
        except InvalidArguments:
            assert "." in unquote(unquote(unquote(value)))
            return
        pages, segment, blocks = path.removeprefix("/").split("/")
        assert (pages, unquote(segment), blocks) == ("pages", value, "blocks")
        assert path.isascii()
        assert not set(path) & set("?#\\ \r\n\0")

    @pytest.mark.parametrize(
        ("style", "explode", "array", "mapping"),
        [
            ("simple", False, "blue,black", "R,100,G,200"),
            ("simple", True, "blue,black", "R=100,G=200"),
            ("label", False, ".blue,black", ".R,100,G,200"),
            ("label", True, ".blue.black", ".R=100.G=200"),
            ("matrix", False, ";x=blue,black", ";x=R,100,G,200"),
            ("matrix", True, ";x=blue;x=black", ";R=100;G=200"),
        ],
    )
    def test_styles(self, style: str, explode: bool, array: str, mapping: str) -> None:
        """OpenAPI 3.1, "Style Examples"."""
        for value, written in ((["blue", "black"], array), ({"R": 100, "G": 200}, mapping)):
            request = bound(Location.PATH, value, path="/c/{x}", style=style, explode=explode)
            assert request.path == f"/c/{written}"

    def test_a_template_may_hold_a_query_and_odd_characters(self) -> None:
        request = bind(Binding(method="get", path="/#Action=List/a b?action=list&x=a b"), {})
        assert request.path == "/%23Action=List/a%20b"
        assert request.query == (("action", "list"), ("x", "a%20b"))

    @pytest.mark.parametrize("path", ["/a/../b", "/a/%2e%2e/b", "/pages/{unknown}"])
    def test_a_template_that_cannot_work_is_refused(self, path: str) -> None:
        with pytest.raises(UnusableTool):
            bind(Binding(method="get", path=path), {})

    def test_a_template_cannot_name_a_host(self) -> None:
        assert bind(Binding(method="get", path="//evil.example/x"), {}).path == "/evil.example/x"

    @pytest.mark.parametrize("method", ["connect", "TRACE", "GET /", ""])
    def test_a_method_that_calls_no_operation_is_refused(self, method: str) -> None:
        with pytest.raises(UnusableTool):
            bind(Binding(method=method, path="/"), {})


class TestQuery:
    @pytest.mark.parametrize(
        ("style", "explode", "array", "mapping"),
        [
            ("form", True, "x=blue&x=black", "R=100&G=200"),
            ("form", False, "x=blue,black", "x=R,100,G,200"),
            ("spaceDelimited", False, "x=blue%20black", "x=R%20100%20G%20200"),
            ("pipeDelimited", False, "x=blue%7Cblack", "x=R%7C100%7CG%7C200"),
            ("deepObject", True, "x%5B0%5D=blue&x%5B1%5D=black", "x%5BR%5D=100&x%5BG%5D=200"),
        ],
    )
    def test_styles(self, style: str, explode: bool, array: str, mapping: str) -> None:
        """OpenAPI 3.1, "Style Examples"; deepObject of an array as Stripe and qs read it."""
        for value, written in ((["blue", "black"], array), ({"R": 100, "G": 200}, mapping)):
            assert query(bound(Location.QUERY, value, style=style, explode=explode)) == written

    def test_deep_objects_nest(self) -> None:
        value = {"created": {"gte": 5}, "tags": ["a", {"b": None, "c": True}]}
        written = query(bound(Location.QUERY, value, style="deepObject"))
        assert unquote(written) == "x[created][gte]=5&x[tags][0]=a&x[tags][1][c]=true"

    def test_a_container_inside_a_container_travels_as_json(self) -> None:
        assert parse_qsl(query(bound(Location.QUERY, [{"a": 1}]))) == [("x", '{"a":1}')]

    @pytest.mark.parametrize("value", [None, [], {}])
    def test_nothing_is_left_out(self, value: Any) -> None:
        assert bound(Location.QUERY, value).query == ()

    def test_an_absent_argument_is_left_out_and_an_empty_text_is_not(self) -> None:
        binding = Binding(method="get", path="/", parameters=(parameter("x", Location.QUERY),))
        assert bind(binding, {}).query == ()
        assert bind(binding, {"x": ""}).query == (("x", ""),)

    def test_a_value_cannot_add_a_parameter(self) -> None:
        assert query(bound(Location.QUERY, "1&key=mine#?+ ")) == "x=1%26key%3Dmine%23%3F%2B%20"

    def test_reserved_characters_stay_where_allowed_but_for_those_that_leave_the_parameter(self) -> None:
        assert query(bound(Location.QUERY, "a/b:c?d&e=f#g+h%2f", allow_reserved=True)) == (
            "x=a/b:c?d%26e%3Df%23g%2Bh%252f"
        )

    def test_a_parameter_with_content_travels_as_json(self) -> None:
        request = bound(Location.QUERY, {"a": [1]}, media_type="application/json")
        assert parse_qsl(query(request)) == [("x", '{"a":[1]}')]

    @settings(deadline=None)
    @given(value=st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
    def test_any_texts_come_back_from_the_query(self, value: list[str]) -> None:
        written = query(bound(Location.QUERY, value))
        assert parse_qsl(written, keep_blank_values=True) == [("x", item) for item in value]


class TestHeadersAndCookies:
    def test_arrays_and_objects_are_written_simply(self) -> None:
        assert bound(Location.HEADER, ["a", 1, True]).headers == (("x", "a,1,true"),)
        assert bound(Location.HEADER, {"a": 1}, explode=True).headers == (("x", "a=1"),)

    @pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\0b", "a\x7fb", "naïve", ["a\r\n"]])
    def test_what_would_break_a_header_is_refused(self, value: Any) -> None:
        with pytest.raises(InvalidArguments) as caught:
            bound(Location.HEADER, value)
        assert reasons(caught)[0][0] == "/x"

    @pytest.mark.parametrize(
        "name",
        [
            "Authorization",
            "COOKIE",
            "Connection",
            "Content-Length",
            "Content-Type",
            "Proxy-Authorization",
            "Transfer-Encoding",
            "X-Forwarded-For",
            "X-HTTP-Method-Override",
            "host",
        ],
    )
    def test_reserved_headers_are_never_set(self, name: str) -> None:
        reserved = Parameter(argument="x", name=name, location=Location.HEADER, style="simple", explode=False)
        binding = Binding(method="get", path="/", parameters=(reserved,), headers=((name, "fixed"),))
        assert bind(binding, {"x": "mine"}).headers == ()

    def test_fixed_headers_win_over_arguments(self) -> None:
        binding = Binding(
            method="get",
            path="/",
            parameters=(parameter("notion-version", Location.HEADER), parameter("x", Location.HEADER)),
            headers=(("Notion-Version", "2026-01-01"),),
        )
        assert bind(binding, {"notion-version": "1999", "x": "1"}).headers == (
            ("Notion-Version", "2026-01-01"),
            ("x", "1"),
        )

    def test_a_fixed_header_that_http_does_not_allow_is_refused(self) -> None:
        with pytest.raises(UnusableTool):
            bind(Binding(method="get", path="/", headers=(("X-A", "a\r\nB: c"),)), {})

    def test_cookies_are_encoded(self) -> None:
        assert bound(Location.COOKIE, "a;b=c d").cookies == (("x", "a%3Bb%3Dc%20d"),)


class TestBody:
    PROPERTIES = Body(media_type="application/json", required=True, properties=(("id", "id"), ("id_2", "ID")))

    def test_json_from_properties_under_their_wire_names(self) -> None:
        request = with_body(self.PROPERTIES, {"id_2": [1, None], "id": "ü"})
        assert request.content == '{"id":"ü","ID":[1,null]}'.encode()
        assert request.media_type == "application/json"

    def test_json_from_one_argument(self) -> None:
        body = Body(media_type="application/vnd.api+json; charset=utf-8", required=False, argument="body")
        request = with_body(body, {"body": [1, 2]})
        assert (request.content, request.media_type) == (b"[1,2]", body.media_type)
        assert with_body(body, {"body": None}).content == b"null"
        assert with_body(body, {}).content is None

    def test_a_required_body_without_properties_is_an_empty_object(self) -> None:
        assert with_body(self.PROPERTIES, {}).content == b"{}"

    def test_an_optional_body_without_properties_is_left_out(self) -> None:
        body = Body(media_type="application/json", required=False, properties=(("a", "a"),))
        assert with_body(body, {}).content is None

    def test_a_required_body_argument_is_required(self) -> None:
        with pytest.raises(InvalidArguments) as caught:
            with_body(Body(media_type="application/json", required=True, argument="body"), {})
        assert reasons(caught) == [("/body", "is required")]

    def test_urlencoded_forms(self) -> None:
        body = Body(
            media_type="application/x-www-form-urlencoded",
            required=True,
            properties=(("a", "a"), ("b", "b"), ("c", "c"), ("d", "d")),
        )
        request = with_body(body, {"a": "x y&z", "b": ["1", "2"], "c": {"k": {"l": True}}, "d": [{"p": 1}]})
        assert request.content == b"a=x%20y%26z&b=1&b=2&c%5Bk%5D%5Bl%5D=true&d%5B0%5D%5Bp%5D=1"

    @pytest.mark.parametrize("media_type", ["text/plain", "application/xml", "application/atom+xml"])
    def test_text_is_its_one_argument(self, media_type: str) -> None:
        request = with_body(Body(media_type=media_type, required=True, argument="body"), {"body": "<ü>"})
        assert (request.content, request.media_type) == ("<ü>".encode(), media_type)

    @pytest.mark.parametrize("media_type", ["multipart/form-data", "application/octet-stream", "image/png"])
    def test_other_media_types_are_refused_by_name(self, media_type: str) -> None:
        with pytest.raises(UnsupportedMediaType, match=media_type):
            with_body(Body(media_type=media_type, required=True, argument="body"), {"body": "x"})

    @settings(deadline=None)
    @given(value=st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers() | st.none()))
    def test_any_object_comes_back_from_the_json(self, value: dict[str, int | None]) -> None:
        content = with_body(Body(media_type="application/json", required=True, argument="b"), {"b": value}).content
        assert json.loads(content or b"") == value


def test_an_argument_that_goes_nowhere_is_refused() -> None:
    with pytest.raises(InvalidArguments) as caught:
        bind(Binding(method="get", path="/"), {"typo": "canary"})
    assert reasons(caught) == [("/typo", "is not a known argument")]
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("value", ["\ud800", float("nan")])
def test_what_no_request_can_carry_is_refused(value: Any) -> None:
    with pytest.raises(InvalidArguments):
        bound(Location.QUERY, value)


def test_every_problem_is_told_at_once() -> None:
    binding = Binding(
        method="get",
        path="/{a}",
        parameters=(parameter("a", Location.PATH), parameter("b", Location.HEADER)),
    )
    with pytest.raises(InvalidArguments) as caught:
        bind(binding, {"a": "..", "b": "a\nx"})
    assert [path for path, _ in reasons(caught)] == ["/a", "/b"]


SPREAD = [(where, key) for where in (Location.QUERY, Location.COOKIE) for key in ("team", "Team", "team[]", " team")]


@pytest.mark.parametrize(("location", "key"), [*SPREAD, (Location.QUERY, "action")])
def test_an_object_that_is_spread_sets_no_other_parameter(location: Location, key: str) -> None:
    """The other may be fixed in a toolbox; also where its own value is none."""
    parameters = (parameter("team", location), parameter("filter", location))
    binding = Binding(method="get", path="/api?action=list", parameters=parameters)
    for team in ("ENG", None):
        with pytest.raises(InvalidArguments) as caught:
            bind(binding, {"team": team, "filter": {key: "OPS"}})
        assert reasons(caught) == [("/filter", f"must not hold {key.strip(' []').lower()}, which is set apart from it")]
    sent = bind(binding, {"team": "ENG", "filter": {"filter": "a", "state": "open"}})
    assert {"team", "filter", "state"} <= {name for name, _ in (*sent.query, *sent.cookies)}


def test_members_in_brackets_are_their_own_parameters() -> None:
    deep = {"style": "deepObject", "explode": True}
    names = ("filter[a]", "filter[b]", "filter")
    parameters = tuple(parameter(name, Location.QUERY, **(deep if name == "filter" else {})) for name in names)
    sent = bind(Binding(method="get", path="/", parameters=parameters), {"filter[a]": 1, "filter": {"c": 2}})
    assert query(sent) == "filter%5Ba%5D=1&filter%5Bc%5D=2"
    with pytest.raises(InvalidArguments):
        bind(Binding(method="get", path="/", parameters=parameters), {"filter[a]": 1, "filter": {"a": 2}})


def query(request: BoundRequest) -> str:
    return "&".join(f"{name}={value}" for name, value in request.query)
