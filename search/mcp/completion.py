"""Suggestions for the arguments of prompts and resource templates, while a person types."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from accesscontrol.caller import Caller

MAX_VALUES = 100
"""The protocol's own limit."""

type Completer = Callable[[Caller, Mapping[str, str]], Iterable[str]]
"""Every value there is for this caller, best first; given the other arguments, as far as they are known."""


def no_suggestions(caller: Caller, known: Mapping[str, str]) -> Iterable[str]:
    """For free text."""
    return ()


def completion(values: Iterable[str], typed: str) -> dict[str, Any]:
    """Those that begin with what was typed, then those that hold it, case aside; in the shape of MCP's result."""
    wanted = typed.strip().casefold()
    beginning, holding = [], []
    for value in dict.fromkeys(values):
        folded = value.casefold()
        if folded.startswith(wanted):
            beginning.append(value)
        elif wanted in folded:
            holding.append(value)
    found = [*beginning, *holding]
    return {"values": found[:MAX_VALUES], "total": len(found), "hasMore": len(found) > MAX_VALUES}
