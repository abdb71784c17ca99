"""What JSON Schema finds wrong, told by path and rule: never by the value, which may be private."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from jsonschema_rs import ValidationError, ValidationErrorKind

from accesscontrol.exceptions import Problem

MAX_PROBLEMS = 10
UNKNOWN = "is not a known argument"
_MAX_PATH = 200
_MAX_OPTIONS = 20
_MAX_OPTION = 60

# By keyword; the placeholders are what jsonschema-rs says of the schema, never of the instance.
_RULES = {
    "exclusiveMaximum": "must be less than {limit}",
    "exclusiveMinimum": "must be more than {limit}",
    "falseSchema": "is not allowed here",
    "format": "must be a valid {format}",
    "maxItems": "must have at most {limit} items",
    "maxLength": "must have at most {limit} characters",
    "maxProperties": "must have at most {limit} properties",
    "maximum": "must be at most {limit}",
    "minItems": "must have at least {limit} items",
    "minLength": "must have at least {limit} characters",
    "minProperties": "must have at least {limit} properties",
    "minimum": "must be at least {limit}",
    "multipleOf": "must be a multiple of {multiple_of}",
    "oneOf": "fits several of the allowed forms and must fit exactly one",
    "pattern": "must match the pattern {pattern:.200}",
    "propertyNames": "has a property name that is not allowed",
    "uniqueItems": "must not repeat an item",
}


def describe(errors: Iterable[ValidationError]) -> list[Problem]:
    """At most ten problems, without repeats, in the order found."""
    found: dict[Problem, None] = {}
    for error in errors:
        for problem in _problems(error):
            found[problem] = None
            if len(found) == MAX_PROBLEMS:
                return list(found)
    return list(found)


def pointer(parts: Iterable[str | int]) -> str:
    """A JSON pointer (RFC 6901), cut where it grows long."""
    path = "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)
    return path if len(path) <= _MAX_PATH else path[: _MAX_PATH - 1] + "…"


def _problems(error: ValidationError) -> Iterator[Problem]:
    path = list(error.instance_path)
    kind = error.kind
    match kind:
        case ValidationErrorKind.Required():
            yield Problem(pointer([*path, kind.property]), "is required")
        case ValidationErrorKind.AdditionalProperties() | ValidationErrorKind.UnevaluatedProperties():
            yield from (Problem(pointer([*path, name]), UNKNOWN) for name in kind.unexpected)
        case ValidationErrorKind.AnyOf() | ValidationErrorKind.OneOfNotValid():
            yield from _closest(path, kind.context)
        case _:
            yield Problem(pointer(path), _reason(kind))


def _reason(kind: ValidationErrorKind) -> str:
    match kind:
        case ValidationErrorKind.Type():
            return f"must be {' or '.join(sorted(kind.types))}"
        case ValidationErrorKind.Enum():
            return f"must be one of {_options(kind.options)}"
        case ValidationErrorKind.Constant():
            return f"must be {_options([kind.expected_value])}"
    rule = _RULES.get(kind.name)
    return rule.format(**kind.as_dict()) if rule else f"breaks the rule {kind.name} of the tool's schema"


def _closest(path: list[str | int], forms: list[list[ValidationError]]) -> Iterator[Problem]:
    """The problems of the form that was most likely meant: of the right type, its mismatch the deepest."""
    wrong_types = [_wrong_type(path, errors) for errors in forms]
    if all(wrong_types):
        names = sorted({name for types in wrong_types for name in types})
        yield Problem(pointer(path), f"must be {' or '.join(names)}")
        return
    meant = [errors for errors, types in zip(forms, wrong_types, strict=True) if not types]
    for error in max(meant, key=_depth):
        yield from _problems(error)


def _wrong_type(path: list[str | int], errors: list[ValidationError]) -> list[str]:
    """The types that a form asks for, where the value is of another."""
    for error in errors:
        if isinstance(error.kind, ValidationErrorKind.Type) and list(error.instance_path) == path:
            return error.kind.types
    return []


def _depth(errors: list[ValidationError]) -> int:
    return max((len(error.instance_path) for error in errors), default=0)


def _options(values: list[Any]) -> str:
    """Values that the schema allows; they come from the catalog, not from the caller."""
    shown = ", ".join(json.dumps(value, ensure_ascii=False)[:_MAX_OPTION] for value in values[:_MAX_OPTIONS])
    return f"{shown} and {len(values) - _MAX_OPTIONS} more" if len(values) > _MAX_OPTIONS else shown
