"""Our measures agree with those of the benchmark's own script on the same data."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from search.evaluation.dataset import load_queries, load_tools, select
from search.evaluation.peers import installed_peers, peer
from search.evaluation.rankers import ProfileFactory, RankerFactory
from search.evaluation.scoring import evaluate
from search.evaluation.tables import values
from search.ranking import PROFILES

CHECKOUT = Path(__file__).resolve().parents[3]
BENCHMARK = CHECKOUT.parent / "shared" / "searchbench"
LIMIT, SIZE = 6, 3
MEASURED = ("set", "apps", "n", "r1", "r5", "empty", "false", "alone")

pytestmark = pytest.mark.skipif(
    not (BENCHMARK / "score.py").exists(), reason="the search benchmark does not lie beside this checkout"
)


def reference(folder: Path, *arguments: str) -> dict[str, list[dict[str, object]]]:
    out = folder / "reference.json"
    script = [sys.executable, str(BENCHMARK / "score.py"), "--json", str(out)]
    limits = ["--limit", str(LIMIT), "--sizes", str(SIZE)]
    subprocess.run([*script, *limits, *arguments], cwd=CHECKOUT, capture_output=True, check=True)
    found: dict[str, list[dict[str, object]]] = {}
    for row in json.loads(out.read_text()):
        ours = {name: row.get(name) for name in MEASURED}
        found.setdefault(row["ranker"].removeprefix("elaichi:"), []).append(ours)
    return {ranker: sorted(rows, key=lambda row: str(row["set"])) for ranker, rows in found.items()}


def measured(factory: RankerFactory) -> list[dict[str, object]]:
    queries = select(load_queries(BENCHMARK / "queries.jsonl"), limit=LIMIT)
    rows = map(values, evaluate(factory, load_tools(BENCHMARK / "tools.jsonl"), queries, SIZE))
    return [{name: row[name] for name in MEASURED} for row in rows]


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_a_profile_is_measured_as_the_benchmark_measures_it(profile: str, tmp_path: Path) -> None:
    expected = reference(tmp_path, "--profile", profile)
    assert measured(ProfileFactory(profile, PROFILES[profile])) == expected[profile]


def test_peers_are_measured_as_the_benchmark_measures_them(tmp_path: Path) -> None:
    expected = reference(tmp_path, "--only-peers", "--peers", ",".join(installed_peers()))
    assert {name: measured(peer(name)) for name in installed_peers()} == expected
