"""The same pool and the same query give the same bytes: under any locale and any hash seed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = """
import json, locale
try:
    locale.setlocale(locale.LC_ALL, "")
except locale.Error:
    pass
from search.ranking import PROFILES, PoolIndex
from tests.search.ranking.pools import OFFICE
from tests.search.ranking.test_text import WORLD
queries = [
    "", "list", "create page", "İSTANBUL \\u0131ssue", "list the issues for me in Jira", "ページを作成", "delete",
    "page or file, issue", "list_all_cal_com_schedules", "ä page", "jira_get_issue box_share_file",
]
found = []
for name in sorted(PROFILES):
    index = PoolIndex.build([*OFFICE, *WORLD], profile=PROFILES[name], known_labels=["Cal.com", "Trello"])
    for query in queries:
        result = index.search(query, limit=50)
        found.append([
            [[hit.document.name, hit.score, hit.coverage, [str(term) for term in hit.terms]] for hit in result.hits],
            result.unmatched_terms, result.named_elsewhere, result.scope,
        ])
print(json.dumps(found))
"""


def run(**environment: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    ).stdout


@pytest.mark.requirement("S9")
def test_neither_locale_nor_hash_seed_changes_a_byte() -> None:
    first = run(LC_ALL="C", PYTHONHASHSEED="0")
    assert len(json.loads(first)) == 22
    for locale, seed in (("tr_TR.UTF-8", "1"), ("sv_SE.UTF-8", "4242"), ("C.UTF-8", "random")):
        assert run(LC_ALL=locale, PYTHONHASHSEED=seed) == first
