"""Data sets are read in the benchmark's format, and what is wrong in one is said with its file and line."""

import json
from pathlib import Path

import pytest

from search.evaluation.dataset import Kind, answerable_here, load_queries, load_tools, select
from search.evaluation.exceptions import DatasetError, EvaluationError, UnknownChoiceError
from search.ranking import ToolDocument
from tests.search.evaluation import shelves


def test_a_tool_needs_a_key_a_name_and_an_app(tmp_path: Path) -> None:
    path = shelves.write(tmp_path / "t.jsonl", [{"key": "k", "name": "close_issue", "app": "jira", "source": "x"}])
    [tool] = load_tools(path)
    assert (tool.app, tool.pool) == ("jira", "")
    assert tool.document == ToolDocument(key="k", name="close_issue", description="", connector_label="jira")


@pytest.mark.parametrize("kind", [Kind.OFFTOPIC, Kind.UNLABELLED])
def test_a_query_off_topic_or_unlabelled_needs_neither_app_nor_right_tool(tmp_path: Path, kind: Kind) -> None:
    path = shelves.write(tmp_path / "q.jsonl", [{"set": "o", "kind": kind, "query": "hello"}])
    [query] = load_queries(path)
    assert (query.kind, query.app, query.gold) == (kind, "", frozenset())


def test_blank_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("\n" + json.dumps(shelves.TOOLS[0]) + "\n\n", encoding="utf-8")
    assert len(load_tools(path)) == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"name": "a", "app": "b"}', "`key` is missing"),
        ('{"key": 1, "name": "a", "app": "b"}', "`key` is not a string"),
        ('{"key": "k", "name": "a", "app": "b", "parameters": "p"}', "`parameters` is not a list of strings"),
    ],
)
def test_a_line_that_is_no_tool_is_named(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(shelves.TOOLS[0]) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(DatasetError) as raised:
        load_tools(path)
    assert str(raised.value).startswith(f"{path}, line 2: {reason}")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"kind": "other"}, "`kind` is none of named, unnamed, offtopic, unlabelled"),
        ({"gold": []}, "`gold` names no tool, and the query's kind is neither offtopic nor unlabelled"),
        ({"app": None}, "`app` is missing"),
    ],
)
def test_a_line_that_is_no_query_is_named(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    path = shelves.write(tmp_path / "q.jsonl", [{**shelves.QUERIES[0], **change}])
    with pytest.raises(DatasetError) as raised:
        load_queries(path)
    assert str(raised.value) == f"{path}, line 1: {reason}"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no such file"):
        load_tools(tmp_path / "absent.jsonl")


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DatasetError, match="not UTF-8 text"):
        load_tools(tmp_path / "t.jsonl")


def test_a_key_stands_for_one_tool(tmp_path: Path) -> None:
    path = shelves.write(tmp_path / "t.jsonl", [shelves.TOOLS[0], shelves.TOOLS[0]])
    with pytest.raises(DatasetError, match="the key 'n1' stands 2 times"):
        load_tools(path)


@pytest.mark.parametrize(("load", "what"), [(load_tools, "tools"), (load_queries, "queries")])
def test_an_empty_file_is_refused(tmp_path: Path, load: object, what: str) -> None:
    with pytest.raises(DatasetError, match=f"it holds no {what}"):
        load(shelves.write(tmp_path / "empty.jsonl", []))  # type: ignore[operator]


def test_sets_can_be_chosen_and_cut(tmp_path: Path) -> None:
    chosen = select(shelves.queries(tmp_path), sets=["named", "offtopic"], limit=1)
    assert [query.query for query in chosen] == ["jira_close_issue", "recommend binoculars"]


def test_a_set_that_does_not_exist_is_refused_with_those_that_do(tmp_path: Path) -> None:
    with pytest.raises(UnknownChoiceError, match="no set 'x'; choose from named, offtopic, phrase"):
        select(shelves.queries(tmp_path), sets=["x"])


def test_queries_whose_app_has_no_tools_are_left_out_and_counted(tmp_path: Path) -> None:
    tools = [tool for tool in shelves.tools(tmp_path) if tool.app != "jira"]
    kept, left_out = answerable_here(shelves.queries(tmp_path), tools)
    assert left_out == 1
    assert "jira_close_issue" not in {query.query for query in kept}


def test_tools_that_serve_no_query_are_refused(tmp_path: Path) -> None:
    tools = [tool for tool in shelves.tools(tmp_path) if tool.app == "jira"]
    with pytest.raises(EvaluationError, match="No query is left"):
        answerable_here(select(shelves.queries(tmp_path), sets=["phrase"]), tools)
