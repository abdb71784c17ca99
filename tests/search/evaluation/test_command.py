"""`evaluate_search`: a table or JSON alone on standard output, one line when its input is wrong."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.search.evaluation import shelves


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    tools = shelves.write(tmp_path / "tools.jsonl", shelves.TOOLS)
    queries = shelves.write(tmp_path / "queries.jsonl", shelves.QUERIES)
    return ["--tools", str(tools), "--queries", str(queries), "--sizes", "2"]


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("evaluate_search", *arguments, stdout=out)
    return out.getvalue()


def test_profiles_and_peers_are_compared_in_one_table(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(*files, "--profiles", "default,published", "--peers", "fts5").splitlines()
    assert lines[0].split()[:7] == ["set", "apps", "n", "ranker", "R@1", "R@5", "empty"]
    assert [line.split()[:4] for line in lines[1:4]] == [
        ["named", "2", "2", "default"],
        ["named", "2", "2", "published"],
        ["named", "2", "2", "fts5"],
    ]
    assert len(lines) == 1 + 3 * 3
    assert "queries" in capsys.readouterr().err, "progress goes to standard error"


def test_json_stands_alone_on_standard_output(files: list[str]) -> None:
    found: dict[str, Any] = json.loads(run(*files, "--profiles", "published", "--sets", "named", "--json"))
    [row] = found["measures"]
    assert (row["ranker"], row["set"], row["apps"], row["n"]) == ("published", "named", 2, 2)
    assert (row["r1"], row["false"]) == (1.0, 0.0)
    assert [curve["set"] for curve in found["curves"]] == ["named"]


def test_csv_and_html_are_written(files: list[str], tmp_path: Path) -> None:
    run(*files, "--csv", str(tmp_path / "out.csv"), "--html", str(tmp_path / "out.html"))
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 4
    page = (tmp_path / "out.html").read_text()
    assert "6 queries over 5 tools." in page
    assert page.count("<figure>") == 2


def test_queries_that_are_left_out_are_told(files: list[str], tmp_path: Path) -> None:
    shelves.write(tmp_path / "tools.jsonl", shelves.TOOLS[:4])
    err = StringIO()
    call_command("evaluate_search", *files, stdout=StringIO(), stderr=err)
    assert err.getvalue() == "1 queries left out: the tools do not hold their app.\n"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--profiles", "best"], "There is no profile 'best'; choose from default, published."),
        (["--peers", "lucene"], "There is no peer 'lucene'; choose from bm25s, fastmcp, fts5."),
        (["--sets", "rhymes"], "There is no set 'rhymes'; choose from named, offtopic, phrase."),
        (["--sizes", "0"], "'0' is not a number of apps: a whole number from 1 is."),
        (["--sizes", ","], "No number of apps given."),
        (["--profiles", ""], "Nothing to measure: name a profile or a peer."),
        (["--limit", "-1"], "--limit must be 0 or more."),
    ],
)
def test_what_is_wrong_on_the_command_line_is_said(files: list[str], wrong: list[str], said: str) -> None:
    with pytest.raises(CommandError) as raised:
        run(*files, *wrong)
    assert str(raised.value) == said


def test_a_malformed_line_is_said_with_file_and_number(files: list[str], tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text("nonsense\n")
    with pytest.raises(CommandError, match=r"queries\.jsonl, line 1: not JSON"):
        run(*files)


def test_a_report_that_cannot_be_written_is_said(files: list[str], tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"absent/out\.html: no such file or directory"):
        run(*files, "--html", str(tmp_path / "absent" / "out.html"))
