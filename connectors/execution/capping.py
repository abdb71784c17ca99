"""Cuts a JSON value to a size that a model can take in, and cleans it. A cut is told in the result."""

import math
from dataclasses import dataclass
from itertools import islice
from typing import Any

from connectors.execution.redaction import Redact

TRUNCATED = "elaichi_truncated"
FILE = "elaichi_file"
_OURS = (TRUNCATED, FILE)
TOO_DEEP = "[left out: nested too deeply]"


@dataclass(frozen=True, kw_only=True)
class Caps:
    """Of each string (characters), array (items) and object (keys); depth counts the levels of containers."""

    string: int = 32_000
    array: int = 200
    object: int = 200
    depth: int = 8


def cap(value: Any, caps: Caps, redact: Redact = str) -> dict[str, Any]:
    """The value as a JSON object: an object itself, anything else as `{"result": value}`.

    Where a cap fires, `elaichi_truncated: true` comes first. An upstream's own keys of our names at the
    top are left out, so that what they say is always ours. Strings come out as valid Unicode and redacted, keys too;
    NaN and infinite numbers, which JSON lacks, as strings.
    """
    pruner = _Pruner(caps, redact)
    if isinstance(value, dict):
        pruned = pruner.value({key: item for key, item in value.items() if key not in _OURS}, caps.depth)
    else:
        pruned = {"result": pruner.value(value, caps.depth)}
    return {TRUNCATED: True, **pruned} if pruner.fired else pruned


class _Pruner:
    def __init__(self, caps: Caps, redact: Redact) -> None:
        self.fired = False
        self._caps = caps
        self._redact = redact

    def value(self, value: Any, levels: int) -> Any:
        match value:
            case dict() | list() if levels == 0:
                self.fired = True
                return TOO_DEEP
            case dict():
                self.fired |= len(value) > self._caps.object
                kept = islice(value.items(), self._caps.object)
                return {self._text(key): self.value(item, levels - 1) for key, item in kept}
            case list():
                self.fired |= len(value) > self._caps.array
                return [self.value(item, levels - 1) for item in value[: self._caps.array]]
            case str():
                return self._text(value)
            case float() if not math.isfinite(value):
                return str(value)
            case _:
                return value

    def _text(self, value: str) -> str:
        # Redacted first: a cut could leave a part of a secret that nothing recognizes any more.
        clean = self._redact(valid_unicode(value))
        self.fired |= len(clean) > self._caps.string
        return clean[: self._caps.string]


def valid_unicode(text: str) -> str:
    """JSON can spell halves of surrogate pairs, which no encoding can carry: each becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
