"""Names under which tools are advertised: the connector's and the tool's own, in one short identifier."""

import re
from collections.abc import Set
from hashlib import sha256
from itertools import chain, count

MAX_LENGTH = 60
_DIGITS = 6


def advertised_name(slug: str, tool_name: str) -> str:
    """`{connector}_{tool}` in `[a-z0-9_]`, at most 60 characters, from these two alone.

    The connector is not repeated where the tool's name already holds its words side by side. A longer name
    is cut and ends in six hexadecimal digits of the whole name's SHA-256, so that names that differ late
    stay apart. Words are parted by one underscore: no tool's name meets those of our own operations,
    `elaichi__domain__verb`.
    """
    product, tool = _words(slug), _words(tool_name)
    name = "_".join(tool if _holds(tool, product) else [*product, *tool])
    if len(name) <= MAX_LENGTH:
        return name
    digest = sha256(name.encode()).hexdigest()[:_DIGITS]
    return f"{name[: MAX_LENGTH - _DIGITS - 1].rstrip('_')}_{digest}"


def free_name(slug: str, tool_name: str, taken: Set[str]) -> str:
    """The tool's name, with a number if it would be advertised under one of the names that are taken."""
    names = chain([tool_name], (f"{tool_name}_{number}" for number in count(2)))
    return next(name for name in names if advertised_name(slug, name) not in taken)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def _holds(words: list[str], phrase: list[str]) -> bool:
    starts = range(len(words) - len(phrase) + 1)
    return bool(phrase) and any(words[start : start + len(phrase)] == phrase for start in starts)
