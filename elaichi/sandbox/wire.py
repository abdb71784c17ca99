"""What the sandbox's parts hand each other: a request, an answer and a refusal."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

type Record = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Request:
    """One HTTP request; header names are in lower case."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True)
class Answer:
    """A status and what is sent as JSON, or as HTML where it is text."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


NO_CONTENT = Answer(None, 204)


class RefusalError(Exception):
    """A request that is answered with an error: a status, what was wrong, and where."""

    def __init__(self, status: int, message: str, *, details: list[Record] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.details = details or []

    def answer(self) -> Answer:
        error: Record = {"message": str(self)}
        if self.details:
            error["details"] = self.details
        return Answer({"error": error}, self.status)


def not_found(what: str, key: object) -> RefusalError:
    return RefusalError(404, f"there is no {what} {key}")
