"""Checks arguments against a tool's schema: JSON Schema 2020-12, nothing fetched and no value echoed."""

import json
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Never

from jsonschema_rs import Draft202012Validator

from accesscontrol.exceptions import Problem
from connectors.execution.errors import UnusableTool
from connectors.execution.problems import UNKNOWN, describe

_MAX_DEPTH = 64

# Catalogs use these loosely: a strict check would refuse what the upstream takes.
_LOOSE_FORMATS = (
    "duration",
    "hostname",
    "idn-email",
    "idn-hostname",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
)


def validate(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[Problem]:
    """At most ten problems, none where the arguments fit. Raises UnusableTool for an invalid schema."""
    problem = unsendable(arguments)
    if problem:
        return [problem]
    problems = describe(_compiled(json.dumps(schema, sort_keys=True)).iter_errors(dict(arguments)))
    return [_with_suggestion(problem, schema.get("properties", {})) for problem in problems]


def unsendable(arguments: Mapping[str, Any]) -> Problem | None:
    """What Python's JSON parser lets through although no JSON text or URL can carry it further."""
    if _nests_beyond(arguments, _MAX_DEPTH):
        return Problem("", f"are nested more than {_MAX_DEPTH} levels deep")
    try:
        json.dumps(dict(arguments), ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        return Problem("", "hold half of a surrogate pair (\\ud800 to \\udfff), which is not a character")
    except (TypeError, ValueError):
        return Problem("", "hold a value that is not JSON, such as NaN or Infinity")
    return None


@lru_cache(maxsize=256)
def _compiled(schema: str) -> Draft202012Validator:
    """Keyed by the schema's canonical text, so that equal schemas share one validator."""
    try:
        return Draft202012Validator(
            schema,
            validate_formats=True,
            formats=dict.fromkeys(_LOOSE_FORMATS, _accept),
            retriever=_refuse_to_fetch,
        )
    except ValueError:
        # The cause quotes the schema at length; an administrator sees it when the catalog is imported.
        raise UnusableTool("its input schema is not valid") from None


def _accept(_: str) -> bool:
    return True


def _refuse_to_fetch(uri: str) -> Never:
    raise ValueError("A schema may only refer to itself.")


def _nests_beyond(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    items = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_nests_beyond(item, levels - 1) for item in items)


def _with_suggestion(problem: Problem, known: Mapping[str, Any]) -> Problem:
    close = get_close_matches(problem.path[1:], known, n=1) if problem.reason == UNKNOWN else []
    return Problem(problem.path, f"{problem.reason}; did you mean {close[0]}?") if close else problem
