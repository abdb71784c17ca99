"""Where each operation is over HTTP: derived from its domain, its verb and the input that names what it is about.

`list` and `create` are GET and POST of the collection; `get`, `update` and `delete` are GET, PATCH and DELETE of one
thing in it; every other verb is POST to its own name below the thing, or below the collection where it names none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from accesscontrol.operation import Operation, registry

PREFIX = "api/v1/"
_METHODS = {"list": "GET", "get": "GET", "create": "POST", "update": "PATCH", "delete": "DELETE"}
_PLURALS = {"audit": "audit-events", "toolbox": "toolboxes", "search": "search", "organization": "organization"}


@dataclass(frozen=True, kw_only=True)
class Route:
    """`path` is below /api/v1/, with `{name}` for the input that names the thing."""

    operation: Operation[Any]
    method: str
    path: str

    @property
    def takes_query(self) -> bool:
        """Its input is in the query string; else in a JSON body."""
        return self.method in ("GET", "DELETE")


def routes() -> Iterator[Route]:
    """One for each operation, in the order of the registry."""
    for operation in registry:
        standard = _METHODS.get(operation.verb)
        parts = [_PLURALS.get(operation.domain, f"{operation.domain.replace('_', '-')}s")]
        if operation.subject:
            parts.append(f"{{{operation.subject}}}")
        if standard is None:
            parts.append(operation.verb.replace("_", "-"))
        yield Route(operation=operation, method=standard or "POST", path="/".join(parts))
