"""What makes a tool's input schema unfit to check arguments with."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs

_DATA = frozenset({"const", "default", "enum", "example", "examples"})
"""Keywords that hold values, in which a `$ref` is just a key."""
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def flaw_of(schema: Any) -> str:
    """Empty where it compiles as JSON Schema 2020-12, with references into itself alone."""
    if foreign := next(_foreign_references(schema), ""):
        return f"it refers to {foreign[:100]}, which is outside of it"
    return why_uncompilable(schema)


def why_uncompilable(schema: Any) -> str:
    try:
        jsonschema_rs.Draft202012Validator(schema, retriever=_refuse)
    except ValueError as error:
        reason = str(error).partition("\n")[0]
        return f"its input schema is not valid: {reason[:200]}"
    return ""


def _foreign_references(schema: Any) -> Iterator[str]:
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            waiting += [value for key, value in node.items() if key not in _DATA]
            yield from (ref for key in _REFERENCES if isinstance(ref := node.get(key), str) and ref[:1] != "#")
        elif isinstance(node, list):
            waiting += node


def _refuse(uri: str) -> Any:
    raise ValueError(f"{uri} is outside the document")
