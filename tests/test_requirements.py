"""The ledger and the tests agree in both directions."""

import re
from pathlib import Path

from tests.requirements import MET, TO_COME

MARK = re.compile(r'mark\.requirement\(\s*((?:"S\d+"(?:,\s*)?)+)\)')


def _proven() -> set[str]:
    found = set()
    for file in Path(__file__).parent.rglob("test_*.py"):
        for match in MARK.finditer(file.read_text()):
            found.update(re.findall(r"S\d+", match[1]))
    return found


def test_every_statement_that_is_met_has_a_test() -> None:
    assert set(MET) - _proven() == set()


def test_no_test_claims_a_statement_that_is_not_met_or_unknown() -> None:
    assert _proven() - set(MET) == set()


def test_the_ledger_holds_every_statement_once() -> None:
    assert sorted({*MET, *TO_COME}, key=lambda s: int(s[1:])) == [f"S{n}" for n in range(1, 31)]
    assert not set(MET) & set(TO_COME)
