"""What an answer says beside its rows, so that its reader can rephrase or connect what is missing."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a search came to, in what its reader may know.

    `connectable` are labels that the caller could connect here; `unavailable` are products that nobody here can.
    """

    total_tools: int
    matched: int
    restricted: int
    unmatched: Sequence[str] = ()
    connectable: Sequence[str] = ()
    unavailable: Sequence[str] = ()
    cut: bool = False
    toolbox: bool = False
    """Whether one toolbox alone was searched."""


def note(outcome: Outcome) -> str:
    """One short paragraph, empty where the rows say all."""
    said = [] if outcome.matched else list(_empty(outcome))
    if outcome.cut:
        said.append("The query was too long: only its beginning was read.")
    return " ".join(said)


def _empty(outcome: Outcome) -> list[str]:
    if outcome.restricted:
        return ["Nothing that you may call does this; what would is restricted for you."]
    if outcome.toolbox and outcome.total_tools == 0:
        return ["Nothing in this toolbox can be called: its tools need an account that you have not connected."]
    if outcome.connectable:
        named, verb = _join(outcome.connectable)
        return [f"{named} can be connected here but {verb} not: elaichi__connection__connect starts it."]
    if outcome.unavailable:
        named, verb = _join(outcome.unavailable)
        return [f"{named} {verb} not connected, and cannot be connected here."]
    if outcome.total_tools == 0:
        return [
            "No tool can be called yet: you have no connected account.",
            "elaichi__connector__list names what can be connected, and elaichi__connection__connect starts it.",
        ]
    said = ["No tool of this toolbox does this." if outcome.toolbox else "No connected tool does this."]
    if outcome.unmatched:
        said.append(f"No tool holds the words: {', '.join(outcome.unmatched[:10])}.")
    return [*said, "Try fewer or other words, such as the action and the kind of thing it is done to."]


def _join(names: Sequence[str]) -> tuple[str, str]:
    """The names as a phrase, and the verb that goes with it."""
    return (names[0], "is") if len(names) == 1 else (f"{', '.join(names[:-1])} and {names[-1]}", "are")
