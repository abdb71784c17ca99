"""Bodies that are stored files and forms, as a server's own parser reads them."""

from typing import Any
from urllib.parse import unquote

import pytest
from django.core.files.uploadedfile import UploadedFile
from django.core.handlers.wsgi import WSGIRequest
from django.test import RequestFactory
from hypothesis import given, settings
from hypothesis import strategies as st

from accesscontrol.exceptions import InvalidArguments, Refusal
from connectors.binding import Binding, Body, Encoding
from connectors.execution.arguments import BoundRequest, bind
from connectors.execution.errors import UnsupportedMediaType, UnusableTool
from connectors.execution.outgoing_file import NoFilesHere, OutgoingFile

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
PHOTO = OutgoingFile(name="photo.png", media_type="image/png", content=b"\x89PNG\r\n--\r\n\0")
NOTE = OutgoingFile(name="note.txt", media_type="text/plain; charset=utf-8", content="ü".encode())
STORED = {"photo": PHOTO, "note": NOTE}


def sent(body: Body, arguments: dict[str, Any], stored: dict[str, OutgoingFile] = STORED) -> BoundRequest:
    return bind(Binding(method="POST", path="/", body=body), arguments, files=stored.__getitem__)


def form(*names: str, media_type: str = MULTIPART, files: tuple[str, ...] = (), **more: Any) -> Body:
    pairs = tuple((name, name) for name in names)
    return Body(media_type=media_type, required=True, properties=pairs, files=files, **more)


def received(request: BoundRequest) -> WSGIRequest:
    """As Django reads it."""
    return RequestFactory().generic("POST", "/", request.content or b"", content_type=request.media_type)


def uploads(request: BoundRequest) -> list[tuple[str, str | None, str | None, bytes]]:
    files: list[tuple[str, UploadedFile[Any]]] = [
        (k, it) for k, found in received(request).FILES.lists() for it in found
    ]
    return [(field, it.name, it.content_type, it.read()) for field, it in files]


class TestWholeFiles:
    @pytest.mark.parametrize(
        ("offered", "media_type"),
        [
            ("image/png", "image/png"),
            ("application/octet-stream", "application/octet-stream"),
            ("image/jpeg, image/png", "image/png"),
            ("image/jpeg, image/gif", "image/jpeg"),
            ("image/*", "image/png"),
            ("*/*", "image/png"),
            ("audio/*", "image/png"),
        ],
    )
    def test_a_file_is_sent_as_what_it_is_where_the_document_admits_that(self, offered: str, media_type: str) -> None:
        body = Body(media_type=offered, required=True, argument="body", files=("body",))
        request = sent(body, {"body": "photo"})
        assert (request.content, request.media_type) == (PHOTO.content, media_type)

    @pytest.mark.parametrize("claimed", ["", "png", "text/html\r\nX-Evil: 1", "image/ü", "a/b c"])
    def test_a_media_type_that_is_none_becomes_plain_bytes(self, claimed: str) -> None:
        body = Body(media_type="*/*", required=True, argument="body", files=("body",))
        file = OutgoingFile(name="x", media_type=claimed, content=b"x")
        assert sent(body, {"body": "it"}, {"it": file}).media_type == "application/octet-stream"

    def test_a_file_that_may_be_left_out_is(self) -> None:
        assert sent(Body(media_type="image/png", required=False, argument="body", files=("body",)), {}).content is None

    def test_a_required_file_is_required(self) -> None:
        with pytest.raises(InvalidArguments):
            sent(Body(media_type="image/png", required=True, argument="body", files=("body",)), {})

    @pytest.mark.parametrize("value", [7, None, ["photo"], {"id": "photo"}])
    def test_what_is_no_id_is_refused(self, value: Any) -> None:
        with pytest.raises(InvalidArguments, match="stored file"):
            sent(Body(media_type="image/png", required=True, argument="body", files=("body",)), {"body": value})

    def test_where_nobody_s_files_are_at_hand_the_call_is_refused(self) -> None:
        body = Body(media_type="image/png", required=True, argument="body", files=("body",))
        with pytest.raises(NoFilesHere):
            bind(Binding(method="POST", path="/", body=body), {"body": "photo"})

    def test_the_refusal_of_a_file_stops_the_call(self) -> None:
        def refuse(file_id: str) -> OutgoingFile:
            raise Refusal("There is no such file.")

        body = form("file", files=("file",))
        with pytest.raises(Refusal, match="no such file"):
            bind(Binding(method="POST", path="/", body=body), {"file": "gone"}, files=refuse)


class TestMultipart:
    def test_every_field_is_a_part_in_the_document_s_order(self) -> None:
        request = sent(
            form("attributes", "title", "count", "tags", "file", files=("file",)),
            {"file": "photo", "title": "Ü b", "count": 7.0, "tags": ["a", True], "attributes": {"parent": {"id": "0"}}},
        )
        assert dict(received(request).POST.lists()) == {
            "attributes": ['{"parent":{"id":"0"}}'],
            "title": ["Ü b"],
            "count": ["7"],
            "tags": ["a", "true"],
        }
        assert uploads(request) == [("file", "photo.png", "image/png", PHOTO.content)]
        boundary = request.media_type.removeprefix("multipart/form-data; boundary=")
        lines = [it.split(b"\r\n\r\n")[0].decode() for it in (request.content or b"").split(f"--{boundary}".encode())]
        assert lines == [
            "",
            '\r\nContent-Disposition: form-data; name="attributes"\r\nContent-Type: application/json',
            '\r\nContent-Disposition: form-data; name="title"',
            '\r\nContent-Disposition: form-data; name="count"',
            '\r\nContent-Disposition: form-data; name="tags"',
            '\r\nContent-Disposition: form-data; name="tags"',
            '\r\nContent-Disposition: form-data; name="file"; filename="photo.png"\r\nContent-Type: image/png',
            "--\r\n",
        ]

    def test_several_files_of_one_field(self) -> None:
        request = sent(form("files", files=("files",)), {"files": ["photo", "note"]})
        assert uploads(request) == [
            ("files", "photo.png", "image/png", PHOTO.content),
            ("files", "note.txt", "text/plain", NOTE.content),
        ]

    def test_null_and_absent_fields_are_left_out(self) -> None:
        request = sent(form("a", "b", "file", files=("file",)), {"a": None, "file": None})
        assert dict(received(request).POST) == {}
        assert (request.content or b"").endswith(b"--\r\n")

    def test_a_field_s_media_type_and_headers_go_with_its_part(self) -> None:
        encodings = (
            Encoding(name="meta", media_type="application/vnd.x+json", headers=(("X-Kind", "scan"), ("Host", "evil"))),
            Encoding(name="note", media_type="text/csv"),
            Encoding(name="file", media_type="application/pdf, application/zip"),
        )
        body = form("meta", "note", "file", files=("file",), encodings=encodings)
        content = sent(body, {"meta": "x", "note": "a,b", "file": "photo"}).content or b""
        assert b'name="meta"\r\nX-Kind: scan\r\nContent-Type: application/vnd.x+json\r\n\r\n"x"\r\n' in content
        assert b'name="note"\r\nContent-Type: text/csv\r\n\r\na,b\r\n' in content
        assert b'filename="photo.png"\r\nContent-Type: application/pdf\r\n\r\n' in content
        assert b"evil" not in content

    def test_a_styled_field_of_3_1(self) -> None:
        encodings = (Encoding(name="a", style="deepObject", explode=True), Encoding(name="b", style="form"))
        request = sent(form("a", "b", encodings=encodings), {"a": {"x y": {"z": 1}}, "b": ["1", "2"]})
        assert dict(received(request).POST.lists()) == {"a[x y][z]": ["1"], "b": ["1,2"]}

    def test_an_object_that_must_be_xml_is_refused_by_name(self) -> None:
        encodings = (Encoding(name="a", media_type="application/xml"),)
        with pytest.raises(UnsupportedMediaType, match="application/xml"):
            sent(form("a", encodings=encodings), {"a": {}})

    @pytest.mark.parametrize(
        "encoding",
        [
            Encoding(name="a", headers=(("X-A", "a\r\nB: c"),)),
            Encoding(name="a", headers=(("X A", "a"),)),
            Encoding(name="a", media_type="text/plain\r\nX-Evil: 1"),
        ],
    )
    def test_a_part_s_header_that_http_does_not_allow_is_refused(self, encoding: Encoding) -> None:
        with pytest.raises(UnusableTool):
            sent(form("a", encodings=(encoding,)), {"a": "x"})

    @pytest.mark.parametrize(
        ("name", "written"),
        [
            ('a"; filename="b', b'filename="a%22; filename=%22b"'),
            ("a\r\nContent-Type: text/html\r\n\r\n<b>", b'filename="html%0D%0A%0D%0A<b>"'),
            ("a\r\nX-Evil: 1", b'filename="a%0D%0AX-Evil: 1"'),
            ("../../etc/passwd", b'filename="passwd"'),
            ("C:\\temp\\a.txt", b'filename="a.txt"'),
            ("a\\", b'filename="file"'),
            ("\0", b'filename="%00"'),
            ("", b'filename="file"'),
            ("Übersicht.pdf", 'filename="Übersicht.pdf"'.encode()),
        ],
    )
    def test_a_file_s_name_stays_in_its_quotes(self, name: str, written: bytes) -> None:
        file = OutgoingFile(name=name, media_type="text/plain", content=b"x")
        content = sent(form("f", files=("f",)), {"f": "it"}, {"it": file}).content or b""
        _, disposition, *_ = content.split(b"\r\n")
        assert disposition == b'Content-Disposition: form-data; name="f"; ' + written

    @settings(deadline=None, max_examples=60)
    @given(
        fields=st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
            st.text(st.characters(exclude_categories=["Cs"])),
            max_size=3,
        ),
        content=st.binary(max_size=40),
    )
    def test_whatever_they_hold_the_same_number_of_parts_arrives(self, fields: dict[str, str], content: bytes) -> None:
        body = Body(media_type=MULTIPART, required=True, argument="body")
        request = sent(body, {"body": fields})
        assert request == sent(body, {"body": fields})
        assert sorted(value for values in dict(received(request).POST.lists()).values() for value in values) == sorted(
            fields.values()
        )
        file = OutgoingFile(name="x", media_type="a/b", content=content)
        assert uploads(sent(form("f", files=("f",)), {"f": "it"}, {"it": file})) == [("f", "x", "a/b", content)]

    def test_a_file_that_holds_the_boundary_of_another_call_does_not_end_its_part(self) -> None:
        first = sent(form("f", files=("f",)), {"f": "photo"})
        forged = OutgoingFile(name="x", media_type="a/b", content=first.content or b"")
        assert uploads(sent(form("f", files=("f",)), {"f": "it"}, {"it": forged})) == [("f", "x", "a/b", first.content)]


class TestUrlencoded:
    @pytest.mark.parametrize(
        ("encoding", "value", "written"),
        [
            (None, ["1", "2"], "a=1&a=2"),
            (None, {"b": {"c": 1}}, "a[b][c]=1"),
            (Encoding(name="a", style="deepObject", explode=True), ["1", "2"], "a[0]=1&a[1]=2"),
            (Encoding(name="a", style="deepObject", explode=True), {"b": [{"c": 1}]}, "a[b][0][c]=1"),
            (Encoding(name="a", style="deepObject", explode=True), "", "a="),
            (Encoding(name="a", style="form"), ["1", "2"], "a=1,2"),
            (Encoding(name="a", style="form", explode=True), {"b": 1, "c": 2}, "b=1&c=2"),
            (Encoding(name="a", style="form", explode=True), [{"b": 1}], "a[0][b]=1"),
            (Encoding(name="a", style="pipeDelimited"), ["1", "2"], "a=1|2"),
            (Encoding(name="a", style="spaceDelimited"), ["1", "2"], "a=1 2"),
            (Encoding(name="a", media_type="application/json"), {"b": [1]}, 'a={"b":[1]}'),
            (Encoding(name="a", media_type="application/json"), None, ""),
            (Encoding(name="a", media_type="text/plain"), "x", "a=x"),
        ],
    )
    def test_a_field_is_written_as_the_document_says(self, encoding: Encoding | None, value: Any, written: str) -> None:
        body = form("a", media_type=FORM, encodings=(encoding,) if encoding else ())
        assert unquote((sent(body, {"a": value}).content or b"").decode()) == written

    def test_reserved_characters_stay_where_allowed_but_for_those_that_leave_the_field(self) -> None:
        body = form("a", media_type=FORM, encodings=(Encoding(name="a", style="form", allow_reserved=True),))
        assert sent(body, {"a": "x/y?b=1&c+d"}).content == b"a=x/y?b%3D1%26c%2Bd"

    def test_a_form_that_is_no_object_is_refused(self) -> None:
        with pytest.raises(UnsupportedMediaType):
            sent(Body(media_type=FORM, required=True, argument="body"), {"body": "a=1"})


@pytest.mark.parametrize("media_type", [FORM, MULTIPART])
def test_a_field_that_is_spread_sets_no_other_field(media_type: str) -> None:
    spread = (Encoding(name="more", style="form", explode=True),)
    body = form("team", "more", media_type=media_type, encodings=spread)
    with pytest.raises(InvalidArguments, match="more"):
        sent(body, {"team": "ENG", "more": {"Team": "OPS"}})
    assert received(sent(body, {"team": "ENG", "more": {"state": "open"}})).POST.dict() == {
        "team": "ENG",
        "state": "open",
    }
