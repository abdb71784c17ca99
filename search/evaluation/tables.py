"""The measures as a table for a terminal, as CSV and as plain values for JSON."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from search.evaluation.exceptions import EvaluationError
from search.evaluation.scoring import Measures

COLUMNS = tuple(field.name for field in fields(Measures))
HEADINGS = {"r1": "R@1", "r5": "R@5", "empty": "empty", "false": "false", "alone": "alone"}


def side_by_side(rows: Iterable[Measures]) -> list[Measures]:
    """Rankers of one set and size next to each other, in the order they came."""
    return sorted(rows, key=lambda row: (row.set, row.apps))


def text_table(rows: Iterable[Measures]) -> str:
    lines = [f"{'set':<16} {'apps':>4} {'n':>5}  {'ranker':<12}" + "".join(f"{h:>7}" for h in HEADINGS.values())]
    lines[0] += f"{'p50 ms':>8}"
    lines += (_line(row) for row in side_by_side(rows))
    return "\n".join(lines)


def values(row: Measures) -> dict[str, Any]:
    """By column; shares to three digits."""
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in asdict(row).items()}


def write_csv(path: Path, rows: Sequence[Measures]) -> None:
    """Raises EvaluationError when the file cannot be written."""
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(values(row) for row in side_by_side(rows))
    except OSError as error:
        raise EvaluationError(f"{path}: {(error.strerror or str(error)).lower()}") from None


def share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _line(row: Measures) -> str:
    cells = "".join(f"{share(getattr(row, name)):>7}" for name in HEADINGS)
    return f"{row.set:<16} {row.apps:>4} {row.n:>5}  {row.ranker:<12}{cells}{row.p50_ms:>8.2f}"
