"""What a frozen tool is called, and how its description says what is fixed."""

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from connectors.curation.names import MAX_LENGTH

NAME_PATTERN = r"^[a-z0-9_]{1,60}$"
OPERATION_PREFIX = "elaichi_"
TAKEN = frozenset({"search_tools", "execute_tool"})
"""The two tools through which every other is found and run."""

SHOWN = 40
"""A longer value is not written into a description or a name."""
_LISTED = 6


def name_problem(name: str) -> str:
    """Why a frozen tool cannot have this name; empty where it can."""
    if not re.fullmatch(NAME_PATTERN, name):
        return "must be 1 to 60 lower-case letters, digits and underscores"
    if name.startswith(OPERATION_PREFIX):
        return f"must not begin with {OPERATION_PREFIX}, as our own operations do"
    return "is the name of a tool that everybody has" if name in TAKEN else ""


def frozen_name(tool_name: str, fixed: Mapping[str, Any], toolbox: str) -> str:
    """`{connector}_{tool}_{suffix}` for one without a name of its own; `tool_name` is the advertised one.

    The suffix is made of the short fixed values, so that two that differ only by them are told apart by them, and of
    the toolbox's name where there are none. It depends on the frozen tool alone. A name that would be too long is cut,
    in the tool's part first, and ends in six hexadecimal digits of a hash.
    """
    said = [_text(value) for _, value in _scalars(fixed)]
    suffix = _words(" ".join(text for text in said if len(text) <= SHOWN)) or _words(toolbox) or "frozen"
    name = f"{tool_name}_{suffix}"
    if len(name) <= MAX_LENGTH:
        return name
    digest = sha256(name.encode()).hexdigest()[:6]
    suffix = suffix[: SHOWN // 2].rstrip("_")
    return f"{tool_name[: MAX_LENGTH - len(suffix) - 8].rstrip('_')}_{suffix}_{digest}"


def note(fixed: Mapping[str, Any]) -> str:
    """*(frozen: project=ENG)*: what a description ends with. Values that are long, or more than one, stay out."""
    found = [
        f"{path}={_text(value) if value is not None and len(_text(value)) <= SHOWN else '…'}"
        for path, value in _values(fixed)
    ]
    more = len(found) - _LISTED
    listed = ", ".join(found[:_LISTED])
    return f"(frozen: {listed} and {more} more)" if more > 0 else f"(frozen: {listed})" if found else ""


def _values(values: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Paths in dots; a list and an empty object come as None."""
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from _values(value, f"{path}{name}.")
        else:
            yield f"{path}{name}", None if isinstance(value, dict | list) else value


def _scalars(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((path, value) for path, value in _values(values) if value is not None)


def _text(value: Any) -> str:
    """On one line, as JSON writes it but for the quotes."""
    return " ".join(value.split()) if isinstance(value, str) else json.dumps(value)


def _words(text: str) -> str:
    return "_".join(re.findall(r"[a-z0-9]+", text.lower()))
