"""Measurements as a table for a terminal."""

from collections.abc import Iterable

from search.benchmarking.measuring import ALL, Measurement
from search.benchmarking.questions import STYLES
from search.benchmarking.timing import Latency

_LATENCIES = (ALL, *STYLES)
_NOTE = "Latencies are median/p95/p99 in ms, memory in MB; * where the time was up before all queries were asked."


def text_table(measurements: Iterable[Measurement], *, queries: int) -> str:
    return "\n".join([_heading(), *(_line(one, queries) for one in measurements), _NOTE])


def _heading() -> str:
    left = f"{'tools':>7}  {'ranker':<10}{'build s':>9}{'assemble ms':>13}{'first ms':>10}"
    memory = f"{'documents':>11}{'connectors':>12}{'index':>8}"
    return left + memory + "".join(f"{style:>25}" for style in _LATENCIES)


def _line(one: Measurement, queries: int) -> str:
    left = f"{one.tools:>7}  {one.ranker:<10}{one.build_s:>9.3f}{_cell(one.assemble_ms):>13}"
    memory = f"{one.documents_mb:>11.1f}{_cell(one.connectors_mb):>12}{one.index_mb:>8.1f}"
    asked = {style: queries * (len(STYLES) if style == ALL else 1) for style in _LATENCIES}
    latencies = "".join(f"{_latency(one.latency[style], asked[style]):>25}" for style in _LATENCIES)
    return f"{left}{one.first_query_ms:>10.1f}{memory}{latencies}"


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _latency(latency: Latency, asked: int) -> str:
    mark = "*" if latency.n < asked else ""
    return f"{latency.median:.2f}/{latency.p95:.2f}/{latency.p99:.2f}{mark}"
