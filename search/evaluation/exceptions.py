"""What can be wrong with an evaluation's input. Each message is one line that a person can act on."""

from collections.abc import Iterable
from pathlib import Path


class EvaluationError(Exception):
    pass


class DatasetError(EvaluationError):
    """A file that cannot be read as tools or queries; `line` counts from 1, 0 for the whole file."""

    def __init__(self, path: Path, reason: str, *, line: int = 0) -> None:
        super().__init__(f"{path}, line {line}: {reason}" if line else f"{path}: {reason}")
        self.path, self.line, self.reason = path, line, reason


class UnknownChoiceError(EvaluationError):
    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"There is no {kind} {name!r}; choose from {', '.join(sorted(known))}.")


class PeerNotInstalledError(EvaluationError):
    def __init__(self, peer: str) -> None:
        super().__init__(f"{peer} is not installed here: install it beside elaichi, or leave it out of --peers.")
