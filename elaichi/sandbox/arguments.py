"""Reads an operation's arguments from a request and checks them against the document."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

from elaichi.sandbox.document import Operation, Parameter
from elaichi.sandbox.wire import Answer, Record, RefusalError, Request


@dataclass(frozen=True)
class Arguments:
    """Checked values by parameter name, defaults filled in; and the JSON body."""

    values: Mapping[str, Any]
    body: Record

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def get(self, name: str) -> Any:
        return self.values.get(name)


type Operate = Callable[[Arguments], Answer]


def read(operation: Operation, match: re.Match[str], request: Request) -> Arguments:
    """Everything that is wrong is told at once, with status 422."""
    values, problems = dict[str, Any](), list[Record]()
    for parameter in operation.parameters:
        raw = _raw(parameter, match, request)
        if raw is not None:
            values[parameter.name] = value = _converted(parameter.schema, raw)
            problems += _problems(parameter.validator, value, at=parameter.name)
        elif parameter.required:
            problems.append({"at": parameter.name, "reason": "is required"})
        elif "default" in parameter.schema:
            values[parameter.name] = parameter.schema["default"]
    body = _body(operation, request)
    if operation.body:
        problems += _problems(operation.body, body, at="body")
    if problems:
        raise RefusalError(422, "the request does not fit the document", details=problems)
    return Arguments(values, body)


def _raw(parameter: Parameter, match: re.Match[str], request: Request) -> list[str] | None:
    if parameter.place == "path":
        return [match[parameter.name]]
    if parameter.place == "header":
        header = request.headers.get(parameter.name.lower())
        return None if header is None else [header]
    return request.query.get(parameter.name)


def _converted(schema: Record, raw: list[str]) -> Any:
    """Text as the type that the schema wants; left as it is where it is not one, for the check to name."""
    kind = schema.get("type")
    if kind == "array":
        return raw
    text = raw[-1]
    if kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if kind == "integer":
        with suppress(ValueError):
            return int(text)
    return text


def _body(operation: Operation, request: Request) -> Any:
    if operation.body is None:
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise RefusalError(415, "the body has to be application/json")
    try:
        return json.loads(request.body)
    except ValueError as error:
        raise RefusalError(400, f"the body is not JSON: {error}") from None


def _problems(validator: jsonschema_rs.Validator, value: Any, *, at: str) -> Iterator[Record]:
    for error in validator.iter_errors(value):
        place = ".".join([at, *(str(step) for step in error.instance_path)])
        yield {"at": place, "reason": error.message}
