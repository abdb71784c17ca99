"""Recall, empty and false answers, on answers that are known beforehand."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from search.evaluation.curve import NOT_CONNECTED, OFFTOPIC, right_spans, sweep
from search.evaluation.dataset import load_queries, load_tools
from search.evaluation.rankers import ProfileFactory, Ranked, Ranker
from search.evaluation.scoring import Measures, evaluate
from search.evaluation.workspaces import Connector
from search.ranking import PROFILES
from tests.search.evaluation import shelves

PUBLISHED = ProfileFactory("published", PROFILES["published"])


class Scripted:
    """Gives the tools that a script names for a query, as far as they are connected."""

    name = "scripted"
    knows_labels = True
    cuts: tuple[float, ...] = (0.0, 0.5, 1.0)

    def __init__(self, script: Mapping[str, Sequence[tuple[str, float]]]) -> None:
        self.script = script
        self.read_connectors: list[Connector] = []

    def read(self, connectors: Iterable[Connector]) -> None:
        self.read_connectors.extend(connectors)

    def build(self, connectors: Sequence[Connector], known_labels: Sequence[str]) -> Ranker:
        return _ScriptedRanker(self.script, {str(d.key) for c in connectors for d in c.documents}, known_labels)

    def without_floor(self) -> "Scripted":
        return self


class _ScriptedRanker:
    def __init__(
        self, script: Mapping[str, Sequence[tuple[str, float]]], here: set[str], known_labels: Sequence[str]
    ) -> None:
        self.script, self.here, self.known = script, here, known_labels

    def search(self, query: str, limit: int) -> list[Ranked]:
        if query.startswith("slack") and "s1" not in self.here and "Slack" in self.known:
            return []
        return [Ranked(key, strength) for key, strength in self.script.get(query, ()) if key in self.here][:limit]


def by_set(rows: Iterable[Measures]) -> dict[str, Measures]:
    return {row.set: row for row in rows}


SCRIPT = {
    "create page": [("n2", 0.9), ("n1", 0.8)],
    "slack_send_message": [("s1", 1.0), ("n1", 0.4), ("j1", 0.4)],
    "send message": [("s1", 0.7), ("n1", 0.6), ("j1", 0.6)],
}


def test_a_right_tool_in_second_place_counts_for_five_and_not_for_one(tmp_path: Path) -> None:
    rows = by_set(evaluate(Scripted(SCRIPT), shelves.tools(tmp_path), shelves.queries(tmp_path), 1))
    phrase = rows["phrase"]
    assert (phrase.n, phrase.r1, phrase.r5, phrase.empty) == (2, 0.0, 0.5, 0.5)
    assert (phrase.false, phrase.alone) == (None, None)


def test_an_answer_without_the_named_app_is_false(tmp_path: Path) -> None:
    named = by_set(evaluate(Scripted(SCRIPT), shelves.tools(tmp_path), shelves.queries(tmp_path), 1))["named"]
    assert (named.r1, named.empty) == (0.5, 0.5)
    assert (named.false, named.alone) == (0.0, 0.5), "slack is known to the gateway, and unknown when it is alone"


def test_an_answer_to_an_off_topic_query_is_false(tmp_path: Path) -> None:
    rows = by_set(evaluate(Scripted(SCRIPT), shelves.tools(tmp_path), shelves.queries(tmp_path), 3))
    assert rows["offtopic"].false == 0.5
    assert (rows["offtopic"].r1, rows["offtopic"].empty, rows["offtopic"].alone) == (None, None, None)


def test_each_query_is_reported_once(tmp_path: Path) -> None:
    seen: list[None] = []
    evaluate(PUBLISHED, shelves.tools(tmp_path), shelves.queries(tmp_path), 1, advance=lambda: seen.append(None))
    assert len(seen) == len(shelves.QUERIES)


def test_tools_of_another_pool_are_not_there(tmp_path: Path) -> None:
    tools = shelves.tools(tmp_path)
    elsewhere = [{**shelves.QUERIES[0], "pool": "other"}]
    shelves.write(tmp_path / "tools.jsonl", [*shelves.TOOLS, {**shelves.TOOLS[1], "key": "o1", "pool": "other"}])
    tools = load_tools(tmp_path / "tools.jsonl")
    queries = load_queries(shelves.write(tmp_path / "other.jsonl", elsewhere))
    [row] = evaluate(PUBLISHED, tools, queries, 5)
    assert row.empty == 1.0


def test_a_cut_leaves_a_right_tool_among_five_while_fewer_than_five_better_ones_pass() -> None:
    found = [
        Ranked(key, strength) for key, strength in zip("abcdefg", (0.9, 0.8, 0.3, 0.7, 0.6, 0.5, 0.4), strict=True)
    ]
    assert right_spans(found, frozenset("g")) == [(0.5, 0.4)], "five better ones always pass where it does"
    assert right_spans(found, frozenset("f")) == [(0.3, 0.5)], "the third one blocks it only at low cut-offs"
    assert right_spans(found, frozenset("a")) == [(float("-inf"), 0.9)]
    assert right_spans(found, frozenset("z")) == []


def test_a_higher_cut_refuses_more_of_everything(tmp_path: Path) -> None:
    curves = sweep(Scripted(SCRIPT), shelves.tools(tmp_path), shelves.queries(tmp_path), 3)
    phrase = next(curve for curve in curves if curve.set == "phrase")
    assert phrase.unanswerable == OFFTOPIC
    assert [(p.r5, p.empty, p.false) for p in phrase.points] == [(0.5, 0.5, 0.5), (0.5, 0.5, 0.5), (0.0, 1.0, 0.0)]


def test_a_set_that_names_its_apps_is_held_against_workspaces_without_them(tmp_path: Path) -> None:
    curves = sweep(Scripted(SCRIPT), shelves.tools(tmp_path), shelves.queries(tmp_path), 2)
    named = next(curve for curve in curves if curve.set == "named")
    assert named.unanswerable == NOT_CONNECTED
    assert [point.false for point in named.points] == [0.5, 0.0, 0.0]


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_at_its_own_floor_the_curve_passes_through_the_profiles_own_measures(name: str, tmp_path: Path) -> None:
    data = (shelves.tools(tmp_path), shelves.queries(tmp_path), 2)
    factory = ProfileFactory(name, PROFILES[name])
    measured = by_set(evaluate(factory, *data))
    for curve in sweep(factory, *data):
        own = next(point for point in curve.points if point.cut == 0.5)
        row = measured[curve.set]
        assert (own.r5, own.empty) == (row.r5, row.empty)
        assert own.false == (row.alone if curve.unanswerable == NOT_CONNECTED else measured["offtopic"].false)


def test_no_curve_without_queries_that_nothing_answers(tmp_path: Path) -> None:
    queries = [query for query in shelves.queries(tmp_path) if query.set == "phrase"]
    assert sweep(PUBLISHED, shelves.tools(tmp_path), queries, 1) == []
