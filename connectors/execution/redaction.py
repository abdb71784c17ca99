"""Takes credentials out of what an upstream says, before anything else is done with it."""

from collections.abc import Callable, Iterable
from re import compile as compile_pattern
from re import escape

REDACTED = "[redacted]"

type Redact = Callable[[str], str]


def redactor(secrets: Iterable[str]) -> Redact:
    """A function that replaces every secret in a text, the longest first so that none is left in part."""
    forms = sorted(filter(None, set(secrets)), key=len, reverse=True)
    if not forms:
        return str
    pattern = compile_pattern("|".join(map(escape, forms)))
    return lambda text: pattern.sub(REDACTED, text)
