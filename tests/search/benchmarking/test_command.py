"""`benchmark_search`: one run over sizes and rankers, checked before anything is measured."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.search.evaluation import shelves

QUICK = ["--queries", "2", "--sizes", "20", "--profiles", "published"]


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("benchmark_search", *arguments, stdout=out)
    return out.getvalue()


def test_a_profile_and_a_peer_are_measured_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(*QUICK, "--peers", "fts5").splitlines()
    assert [line.split()[:2] for line in lines[1:3]] == [["20", "published"], ["20", "fts5"]]
    assert "published, 20 tools" in capsys.readouterr().err


def test_json_stands_alone_on_standard_output(tmp_path: Path) -> None:
    tools = shelves.write(tmp_path / "tools.jsonl", shelves.TOOLS)
    [measured] = json.loads(run(*QUICK, "--peers", "", "--tools", str(tools), "--json"))
    assert (measured["ranker"], measured["tools"]) == ("published", 20)
    assert set(measured["latency"]["short"]) == {"n", "median", "p95", "p99"}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--profiles", "best"], "There is no profile 'best'; choose from default, published."),
        (["--peers", "lucene"], "There is no peer 'lucene'; choose from bm25s, fastmcp, fts5."),
        (["--sizes", "many"], "'many' is not a number of tools: a whole number from 1 is."),
        (["--queries", "0"], "--queries must be at least 1."),
        (["--profiles", "", "--peers", ""], "Nothing to measure: name a profile or a peer."),
        (["--tools", "absent.jsonl"], "absent.jsonl: no such file or directory"),
    ],
)
def test_what_is_wrong_on_the_command_line_is_said(wrong: list[str], said: str) -> None:
    with pytest.raises(CommandError) as raised:
        run(*QUICK, *wrong)
    assert str(raised.value) == said
