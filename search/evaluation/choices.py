"""Comma-separated lists as they stand on a command line."""

from collections.abc import Collection

from search.evaluation.exceptions import EvaluationError, UnknownChoiceError


def split_names(text: str) -> tuple[str, ...]:
    """The names of a list, each once, in its order."""
    return tuple(dict.fromkeys(name for part in text.split(",") if (name := part.strip())))


def choose(text: str, known: Collection[str], *, kind: str) -> tuple[str, ...]:
    """The names of a list, all of them known. Raises UnknownChoiceError."""
    names = split_names(text)
    for name in names:
        if name not in known:
            raise UnknownChoiceError(kind, name, known)
    return names


def positive_numbers(text: str, *, kind: str) -> tuple[int, ...]:
    """The numbers of a list, each at least 1. Raises EvaluationError."""
    names = split_names(text)
    if not names:
        raise EvaluationError(f"No {kind} given.")
    for name in names:
        if not (name.isascii() and name.isdigit() and int(name)):
            raise EvaluationError(f"{name!r} is not a {kind}: a whole number from 1 is.")
    return tuple(map(int, names))
