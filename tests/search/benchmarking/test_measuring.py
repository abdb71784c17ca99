"""One measurement: what is timed, what is counted, and in which process."""

from pathlib import Path

import pytest

from search.benchmarking.apart import MeasurementError, measure_apart
from search.benchmarking.measuring import Job, Measurement, measure
from search.benchmarking.table import text_table
from search.benchmarking.timing import AT_LEAST, Latency, percentile, time_each
from tests.search.evaluation import shelves


@pytest.mark.parametrize(("percent", "value"), [(0, 1), (50, 5), (95, 10), (99, 10), (100, 10)])
def test_a_percentile_is_a_value_that_was_measured(percent: float, value: float) -> None:
    assert percentile(list(range(1, 11)), percent) == value


def test_latencies_are_in_milliseconds_and_in_any_order() -> None:
    assert Latency.of([0.003, 0.001, 0.002]) == Latency(n=3, median=2.0, p95=3.0, p99=3.0)


def test_each_query_is_asked_in_turn() -> None:
    asked: list[str] = []
    assert len(time_each(asked.append, "abcdefgh", budget=60)) == 8
    assert asked == list("abcdefgh")


def test_a_slow_ranker_is_asked_a_few_queries_whatever_the_budget() -> None:
    assert len(time_each(lambda query: None, "abcdefgh", budget=0)) == AT_LEAST


def test_a_profile_is_read_assembled_and_asked() -> None:
    measured = measure(Job(ranker="published", is_peer=False, size=30, queries=3))
    assert (measured.ranker, measured.tools) == ("published", 30)
    assert measured.assemble_ms is not None
    assert measured.connectors_mb is not None
    assert {style: latency.n for style, latency in measured.latency.items()} == {
        "short": 3,
        "guessed_name": 3,
        "sentence": 3,
        "all": 9,
    }


def test_a_peer_has_nothing_to_assemble() -> None:
    measured = measure(Job(ranker="fts5", is_peer=True, size=30, queries=2))
    assert (measured.assemble_ms, measured.connectors_mb) == (None, None)


def test_real_tools_are_measured_in_a_process_of_its_own(tmp_path: Path) -> None:
    tools = str(shelves.write(tmp_path / "tools.jsonl", shelves.TOOLS))
    measured = measure_apart(Job(ranker="default", is_peer=False, size=12, queries=2, tools=tools))
    assert isinstance(measured, Measurement)
    assert measured.tools == 12
    assert measured.latency["all"].n == 6


def test_a_process_that_fails_says_why_in_one_line(tmp_path: Path) -> None:
    job = Job(ranker="default", is_peer=False, size=5, queries=1, tools=str(tmp_path / "absent.jsonl"))
    with pytest.raises(MeasurementError) as raised:
        measure_apart(job)
    assert str(raised.value).startswith("default with 5 tools could not be measured: ")
    assert "no such file" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_table_marks_a_latency_of_fewer_queries_than_asked() -> None:
    some = {style: Latency(n=5, median=1, p95=2, p99=3) for style in ("short", "guessed_name", "sentence")}
    measured = Measurement(
        ranker="fastmcp",
        tools=100,
        build_s=1.5,
        assemble_ms=None,
        first_query_ms=3,
        documents_mb=1,
        connectors_mb=None,
        index_mb=2,
        latency={
            **some,
            "sentence": Latency(n=4, median=1, p95=2, p99=3),
            "all": Latency(n=14, median=1, p95=2, p99=3),
        },
    )
    line = text_table([measured], queries=5).splitlines()[1]
    assert line.split() == [
        *("100", "fastmcp", "1.500", "-", "3.0", "1.0", "-", "2.0"),
        *("1.00/2.00/3.00*", "1.00/2.00/3.00", "1.00/2.00/3.00", "1.00/2.00/3.00*"),
    ]
