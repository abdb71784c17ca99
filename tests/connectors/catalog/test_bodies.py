"""Bodies that are files, or forms that hold some, and how a form's fields are to be written."""

from typing import Any

import pytest

from connectors.binding import Binding, Body, Encoding
from connectors.catalog.document import CatalogTool
from connectors.catalog.openapi.files import FILE_ID, file_id
from tests.connectors.catalog.documents import Node, http, json_body, read_one

MULTIPART = "multipart/form-data"
FORM = "application/x-www-form-urlencoded"
TEXT: Node = {"type": "string"}
BINARY: Node = {"type": "string", "format": "binary"}


def form(properties: Node, *, media_type: str = MULTIPART, encoding: Node | None = None, **schema: Any) -> Node:
    media = {"schema": {"type": "object", "properties": properties, **schema}, "encoding": encoding or {}}
    return {"requestBody": {"content": {media_type: media}}}


def body_of(tool: CatalogTool) -> Body:
    binding = http(tool)
    assert Binding.from_json(binding.to_json()) == binding
    assert binding.body is not None
    return binding.body


def given(tool: CatalogTool) -> Node:
    properties: Node = tool.input_schema["properties"]
    return properties


class TestFilesOfAForm:
    def test_a_file_is_given_by_its_id_and_the_other_fields_as_they_are(self) -> None:
        tool = read_one(form({"title": TEXT, "file": {**BINARY, "description": "A <b>scan</b>."}}, required=["file"]))
        assert given(tool) == {
            "title": TEXT,
            "file": {"type": "string", "format": "uuid", "description": f"A scan. {FILE_ID}"},
        }
        assert tool.input_schema["required"] == ["file"]
        assert body_of(tool) == Body(
            media_type=MULTIPART, required=False, properties=(("title", "title"), ("file", "file")), files=("file",)
        )

    @pytest.mark.parametrize(
        "schema",
        [
            BINARY,
            {"format": "binary"},
            {"type": ["string", "null"], "format": "binary"},
            {"type": "string", "contentMediaType": "image/png"},
            {"contentMediaType": "application/octet-stream"},
            {"type": "file"},
            {"$ref": "#/components/schemas/Picture"},
            {"allOf": [{"$ref": "#/components/schemas/Picture"}]},
            {"anyOf": [BINARY, {"type": "null"}]},
        ],
    )
    def test_every_way_to_say_that_a_field_is_a_file(self, schema: Node) -> None:
        tool = read_one(form({"file": schema}), openapi="3.1.0", components={"schemas": {"Picture": BINARY}})
        assert given(tool) == {"file": file_id()}

    def test_several_files_are_a_list_of_ids(self) -> None:
        files = {"type": "array", "items": BINARY, "maxItems": 3, "description": "Scans."}
        tool = read_one(form({"files": files}))
        assert given(tool) == {"files": {"type": "array", "items": file_id(), "maxItems": 3, "description": "Scans."}}
        assert body_of(tool).files == ("files",)

    def test_one_file_or_several(self) -> None:
        tool = read_one(
            form({"image": {"anyOf": [BINARY, {"type": "array", "items": BINARY}], "description": "An image."}})
        )
        either = [file_id(), {"type": "array", "items": file_id()}]
        assert given(tool) == {"image": {"anyOf": either, "description": f"An image. {FILE_ID}"}}
        assert body_of(tool).files == ("image",)

    @pytest.mark.parametrize(
        "schema",
        [
            TEXT,
            {"type": "string", "format": "byte"},
            {"type": "string", "contentMediaType": "image/png", "contentEncoding": "base64"},
            {"type": "string", "contentMediaType": "application/json"},
            {"type": "object", "properties": {"inner": BINARY}},
            {"anyOf": [BINARY, {"type": "integer"}]},
            {"type": "array", "items": TEXT},
        ],
    )
    def test_what_is_no_file_stays_what_it_is(self, schema: Node) -> None:
        tool = read_one(form({"file": schema}), openapi="3.1.0")
        assert body_of(tool).files == ()
        assert given(tool)["file"] == schema

    @pytest.mark.parametrize(
        ("media_types", "is_file"),
        [("image/png, image/jpeg", True), ("application/pdf", True), ("text/csv", False), ("application/json", False)],
    )
    def test_a_media_type_makes_an_unmarked_field_a_file(self, media_types: str, is_file: bool) -> None:
        tool = read_one(form({"picture": TEXT}, encoding={"picture": {"contentType": media_types}}))
        assert body_of(tool).files == (("picture",) if is_file else ())
        assert body_of(tool).encodings == (Encoding(name="picture", media_type=media_types),)

    def test_an_object_that_travels_as_xml_is_given_as_text(self) -> None:
        tool = read_one(form({"meta": {"type": "object"}}, encoding={"meta": {"contentType": "application/xml"}}))
        assert given(tool) == {"meta": {"type": "string", "description": "The part's text, as application/xml."}}

    def test_a_form_that_takes_more_names_than_it_tells_still_takes_its_files(self) -> None:
        tool = read_one(form({"file": BINARY}, additionalProperties=True))
        assert body_of(tool).files == ("file",)

    def test_a_file_whose_name_is_taken_keeps_its_wire_name(self) -> None:
        tool = read_one({"parameters": [{"name": "file", "in": "query", "schema": TEXT}], **form({"file": BINARY})})
        assert body_of(tool).properties == (("file_in_body", "file"),)
        assert body_of(tool).files == ("file_in_body",)

    def test_bytes_in_json_go_as_a_form_where_one_is_offered(self) -> None:
        schema = {"type": "object", "properties": {"file": BINARY}}
        content = {it: {"schema": schema} for it in ("application/json", MULTIPART)}
        assert body_of(read_one({"requestBody": {"content": content}})).media_type == MULTIPART
        content["application/json"] = {"schema": {"type": "object", "properties": {"url": TEXT}}}
        assert body_of(read_one({"requestBody": {"content": content}})).media_type == "application/json"


class TestWholeFiles:
    @pytest.mark.parametrize(
        "media_type", ["application/octet-stream", "image/png", "application/pdf", "image/*", "application/zip"]
    )
    def test_a_body_that_is_no_text_is_a_file(self, media_type: str) -> None:
        tool = read_one(json_body(BINARY, media_type=media_type))
        assert given(tool) == {"body": file_id()}
        assert tool.input_schema["required"] == ["body"]
        assert body_of(tool) == Body(media_type=media_type, required=True, argument="body", files=("body",))

    def test_every_media_type_that_a_file_may_have_is_kept(self) -> None:
        content = {"image/png": {"schema": BINARY}, "text/plain": {"schema": TEXT}, "Image/JPEG; q=1": {}}
        tool = read_one({"requestBody": {"content": dict(list(content.items())[::2])}})
        assert body_of(tool).media_type == "image/png, image/jpeg"

    @pytest.mark.parametrize("schema", [BINARY, {}])
    def test_any_media_type_without_a_schema_of_its_own_is_a_file_of_any(self, schema: Node) -> None:
        assert body_of(read_one(json_body(schema, media_type="*/*"))) == Body(
            media_type="*/*", required=True, argument="body", files=("body",)
        )

    def test_text_that_is_marked_as_bytes_is_a_file(self) -> None:
        tool = read_one(json_body(BINARY, media_type="text/csv"))
        assert body_of(tool) == Body(media_type="text/csv", required=True, argument="body", files=("body",))

    def test_a_form_that_names_no_fields_gives_way_to_any_other_type(self) -> None:
        content = {it: {"schema": {"type": "array", "items": TEXT}} for it in (MULTIPART, "*/*")}
        assert body_of(read_one({"requestBody": {"content": content}})) == Body(
            media_type="application/json", required=False, argument="body"
        )

    def test_a_form_of_names_it_does_not_tell_is_one_object(self) -> None:
        tool = read_one(json_body({}, media_type=FORM))
        assert given(tool) == {"body": {"type": "object"}}
        assert body_of(tool) == Body(media_type=FORM, required=True, argument="body")


class TestEncodings:
    def test_a_style_is_kept_with_its_defaults(self) -> None:
        names = ["deep", "plain", "piped", "odd", "none"]
        encoding = {
            "deep": {"style": "deepObject", "explode": True},
            "plain": {"explode": False},
            "piped": {"style": "pipeDelimited", "allowReserved": True},
            "odd": {"style": "nonsense"},
            "none": {},
            "gone": {"style": "form"},
        }
        tool = read_one(form({name: {"type": "array"} for name in names}, media_type=FORM, encoding=encoding))
        assert body_of(tool).encodings == (
            Encoding(name="deep", style="deepObject", explode=True),
            Encoding(name="plain", style="form"),
            Encoding(name="piped", style="pipeDelimited", allow_reserved=True),
            Encoding(name="odd", style="form", explode=True),
        )

    @pytest.mark.parametrize(("version", "style"), [("3.0.3", ""), ("3.1.0", "deepObject")])
    def test_a_multipart_form_has_styles_from_3_1_on(self, version: str, style: str) -> None:
        encoding = {"a": {"style": "deepObject", "explode": True, "contentType": "text/plain"}}
        (found,) = body_of(read_one(form({"a": {}}, encoding=encoding), openapi=version)).encodings
        assert (found.style, found.media_type) == (style, "text/plain")

    def test_the_headers_of_a_part_that_have_one_value_go_with_it(self) -> None:
        headers = {
            "X-Kind": {"schema": {"type": "string", "enum": ["scan"]}},
            "X-Version": {"$ref": "#/components/headers/Version"},
            "X-Any": {"schema": TEXT},
            "Content-Type": {"schema": {"default": "text/html"}},
        }
        tool = read_one(
            form({"file": BINARY}, encoding={"file": {"headers": headers}}),
            components={"headers": {"Version": {"schema": {"default": 2}}}},
        )
        assert body_of(tool).encodings == (Encoding(name="file", headers=(("X-Kind", "scan"), ("X-Version", "2"))),)

    @pytest.mark.parametrize("nonsense", [[], "x", {"a": 7}, {"a": {"contentType": 7, "headers": []}}])
    def test_nonsense_says_nothing(self, nonsense: Any) -> None:
        media = {"schema": {"type": "object", "properties": {"a": TEXT}}, "encoding": nonsense}
        assert body_of(read_one({"requestBody": {"content": {MULTIPART: media}}})).encodings == ()


def test_a_binding_that_was_stored_before_there_were_files_can_be_read() -> None:
    stored = Binding(method="POST", path="/", body=Body(media_type="application/json", required=True)).to_json()
    del stored["body"]["files"], stored["body"]["encodings"]
    assert Binding.from_json(stored).body == Body(media_type="application/json", required=True)
