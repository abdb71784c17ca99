"""Names for a tool's arguments, the schema that lists them, and the binding that sends them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from connectors.binding import Body, Parameter
from connectors.catalog.openapi.bodies import RequestBody
from connectors.catalog.openapi.parameters import Parameters
from connectors.catalog.openapi.schemas import Schema

MAX_NAME = 64
_ORDER = ("path", "query", "header", "cookie", "body")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    schema: Schema
    """Root `type: object`, every argument named; without its `$defs`."""
    parameters: tuple[Parameter, ...]
    body: Body | None


def bind(parameters: Parameters, body: RequestBody | None) -> Arguments:
    """Gives each input one argument. Where two share a name, the later by location is told apart by it."""
    inputs = sorted(parameters.inputs, key=lambda it: _ORDER.index(it.location))
    names = _names([(it.name, it.location.value) for it in inputs] + _in_body(body))
    bound = tuple(
        Parameter(
            argument=name,
            name=it.name,
            location=it.location,
            style=it.style,
            explode=it.explode,
            allow_reserved=it.allow_reserved,
            media_type=it.media_type,
        )
        for it, name in zip(inputs, names, strict=False)
    )
    properties = {it.argument: item.schema for it, item in zip(bound, inputs, strict=True)}
    required = [it.argument for it, item in zip(bound, inputs, strict=True) if item.required]
    in_body = names[len(inputs) :]
    for name, (schema, is_required) in zip(in_body, _body_inputs(body), strict=True):
        properties[name] = schema
        required += [name] if is_required else []
    return Arguments(
        schema=_object(properties, required),
        parameters=bound,
        body=_bound_body(body, in_body) if body else None,
    )


def _in_body(body: RequestBody | None) -> list[tuple[str, str]]:
    if body is None:
        return []
    return [("body", "body")] if body.whole is not None else [(it.name, "body") for it in body.properties]


def _body_inputs(body: RequestBody | None) -> Iterator[tuple[Schema, bool]]:
    """What a body requires is required even if the document forgets to say that the body is, as most do."""
    if body is None:
        return
    if body.whole is not None:
        yield body.whole, body.required
    for item in body.properties:
        yield item.schema, item.required


def _bound_body(body: RequestBody, names: list[str]) -> Body:
    if body.whole is not None:
        whole = (names[0],) if body.is_file else ()
        return Body(media_type=body.media_type, required=body.required, argument=names[0], files=whole)
    pairs = tuple((name, it.name) for name, it in zip(names, body.properties, strict=True))
    files = tuple(name for name, it in zip(names, body.properties, strict=True) if it.is_file)
    return Body(
        media_type=body.media_type, required=body.required, properties=pairs, files=files, encodings=body.encodings
    )


def _object(properties: dict[str, Schema], required: list[str]) -> Schema:
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return {**schema, "additionalProperties": False}


def _names(inputs: Iterable[tuple[str, str]]) -> list[str]:
    taken: set[str] = set()
    names = []
    for wire_name, location in inputs:
        name = _free_name(_valid_name(wire_name), location, taken)
        taken.add(name)
        names.append(name)
    return names


def _valid_name(wire_name: str) -> str:
    """`filter[status]` → `filter_status`: clients refuse a tool with property keys they cannot spell."""
    if re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", wire_name):
        return wire_name
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", wire_name).strip("_")[:MAX_NAME] or "argument"


def _free_name(name: str, location: str, taken: set[str]) -> str:
    return next(it for it in _candidates(name, location) if it not in taken)


def _candidates(name: str, location: str) -> Iterator[str]:
    yield name
    suffix = f"_in_{location}"
    yield name[: MAX_NAME - len(suffix)] + suffix
    number = 2
    while True:
        numbered = f"{suffix}_{number}"
        yield name[: MAX_NAME - len(numbered)] + numbered
        number += 1
