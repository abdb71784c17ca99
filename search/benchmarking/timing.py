"""Latency of one query after another."""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

AT_LEAST = 5
"""Queries that are asked however long they take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """In milliseconds; `n` queries were timed."""

    n: int
    median: float
    p95: float
    p99: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Latency":
        ordered = sorted(1000 * second for second in seconds)
        return cls(
            n=len(ordered),
            median=percentile(ordered, 50),
            p95=percentile(ordered, 95),
            p99=percentile(ordered, 99),
        )


def percentile(ordered: Sequence[float], percent: float) -> float:
    """The smallest value that so many percent do not exceed (nearest rank)."""
    return ordered[max(math.ceil(percent / 100 * len(ordered)), 1) - 1]


def timed[T](action: Callable[[], T]) -> tuple[float, T]:
    """Seconds it took, and what it gave."""
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result


def seconds_of(action: Callable[[], object]) -> float:
    return timed(action)[0]


def time_each(search: Callable[[str], object], queries: Iterable[str], *, budget: float) -> list[float]:
    """Seconds of each query. Stops early once `budget` seconds went by: a slow ranker is slow after few of them."""
    times: list[float] = []
    for query in queries:
        if len(times) >= AT_LEAST and sum(times) > budget:
            break
        times.append(seconds_of(partial(search, query)))
    return times
