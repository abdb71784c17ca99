"""A product's OpenAPI document and the operations in it: what is served is what is documented."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import jsonschema_rs
import yaml

from elaichi.sandbox.wire import Record

_FOLDER = Path(__file__).parent / "documents"
_METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True, kw_only=True)
class Parameter:
    name: str
    place: str
    required: bool
    schema: Record
    validator: jsonschema_rs.Validator


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One documented operation, ready to recognize and check requests."""

    id: str
    method: str
    path: re.Pattern[str]
    parameters: tuple[Parameter, ...]
    body: jsonschema_rs.Validator | None


class Document:
    """An OpenAPI document with the address under which it is served here."""

    def __init__(self, product: str, url: str) -> None:
        loaded = yaml.safe_load((_FOLDER / f"{product}.yaml").read_text())
        self.content = cast(Record, loaded)
        self.content["servers"] = [{"url": f"{url}/{product}"}]
        self.title = str(self.content["info"]["title"])
        # A fixed path comes before a templated one that would match it, too: /tickets/search,
        # /tickets/{ticket_id}.
        self.operations = sorted(self._operations(), key=lambda operation: operation.path.groups)

    def _operations(self) -> Iterator[Operation]:
        for path, item in self.content["paths"].items():
            for method in _METHODS:
                if operation := item.get(method):
                    declared = [*item.get("parameters", []), *operation.get("parameters", [])]
                    yield Operation(
                        id=operation["operationId"],
                        method=method.upper(),
                        path=_pattern(path),
                        parameters=tuple(self._parameter(entry) for entry in declared),
                        body=self._body(operation),
                    )

    def _parameter(self, entry: Record) -> Parameter:
        entry = self._resolved(entry)
        return Parameter(
            name=entry["name"],
            place=entry["in"],
            required=entry.get("required", False),
            schema=self._resolved(entry["schema"]),
            validator=self._validator(entry["schema"]),
        )

    def _body(self, operation: Record) -> jsonschema_rs.Validator | None:
        if "requestBody" not in operation:
            return None
        return self._validator(operation["requestBody"]["content"]["application/json"]["schema"])

    def _validator(self, schema: Record) -> jsonschema_rs.Validator:
        """References into `#/components` resolve because the schema is checked inside a copy of those."""
        whole = {**schema, "components": self.content["components"]}
        return jsonschema_rs.validator_for(whole, validate_formats=True)

    def _resolved(self, entry: Record) -> Record:
        if "$ref" not in entry:
            return entry
        found: Any = self.content
        for key in entry["$ref"].removeprefix("#/").split("/"):
            found = found[key]
        return cast(Record, found)


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))
