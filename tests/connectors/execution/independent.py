"""What an independent reader of a document, openapi-core, finds in a request that a server has received."""

import json
from io import BytesIO
from typing import Any
from urllib.parse import unquote, urlsplit

from jsonschema_path import SchemaPath
from openapi_core import V30RequestUnmarshaller, V31RequestUnmarshaller
from openapi_core.contrib.werkzeug import WerkzeugOpenAPIRequest
from openapi_core.unmarshalling.request.datatypes import RequestUnmarshalResult
from werkzeug.wrappers import Request

from tests.connectors.execution.upstream import Received

type Node = dict[str, Any]

# Of the answers, of who may ask, of what is told to people. Defaults are left out so that what was not sent is not
# there; `oneOf` stays a choice without the claim that no other member fits, which overlapping members break.
_NOT_OF_THE_REQUEST = frozenset({"responses", "security", "callbacks", "servers", "deprecated", "default", "example"})
# Those that would become something else than text, and those that no standard knows.
_FORMATS = ("date", "date-time", "uuid", "byte", "binary", "token", "url")
_NAMED_MEMBERS = frozenset({"properties", "schemas", "parameters", "requestBodies", "headers", "encoding", "content"})


def cleaned(node: Any, *, names: bool = False) -> Any:
    """The document without what is not of the request; `names` where the keys are the document's own names."""
    if isinstance(node, list):
        return [cleaned(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: value for key, value in node.items() if names or key not in _NOT_OF_THE_REQUEST}
    return {
        ("anyOf" if key == "oneOf" and not names else key): cleaned(value, names=not names and key in _NAMED_MEMBERS)
        for key, value in kept.items()
    }


def read(
    components: Node, *, version: str, method: str, path: str, path_item: Node, received: Received
) -> RequestUnmarshalResult:
    """`components` and `path_item` are cleaned; the request went to the server's root. Dates and ids stay text."""
    item = {key: value for key, value in path_item.items() if key in (method.lower(), "parameters")}
    document = {
        "openapi": version,
        "info": {"title": "", "version": ""},
        "servers": [{"url": "/"}],
        "paths": {path: item},
        "components": components,
    }
    unmarshaller = V30RequestUnmarshaller if version.startswith("3.0") else V31RequestUnmarshaller
    reader = unmarshaller(
        SchemaPath.from_dict(document),
        extra_format_unmarshallers=dict.fromkeys(_FORMATS, _as_it_is),
        extra_media_type_deserializers={"application/json-patch+json": json.loads},
    )
    return reader.unmarshal(WerkzeugOpenAPIRequest(_as_wsgi(received)))


def _as_it_is(value: Any) -> Any:
    return value


def _as_wsgi(received: Received) -> Request:
    """The request as any Python server would hand it to an application."""
    target = urlsplit(received.target)
    environ = {
        "REQUEST_METHOD": received.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote(target.path, "latin-1"),
        "QUERY_STRING": target.query,
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "CONTENT_LENGTH": str(len(received.body)),
        "CONTENT_TYPE": received.headers.get("content-type", ""),
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(received.body),
    }
    headers = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in received.headers.items()}
    return Request({**headers, **environ})
