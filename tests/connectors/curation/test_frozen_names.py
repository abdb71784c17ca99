"""Names of frozen tools, and what their descriptions say is fixed."""

import pytest

from connectors.curation.frozen_names import frozen_name, name_problem, note


@pytest.mark.parametrize(
    ("fixed", "name"),
    [
        ({"project": "ENG"}, "jira_create_issue_eng"),
        ({"project": "OPS"}, "jira_create_issue_ops"),
        ({"project": "ENG", "fields": {"type": "Bug"}}, "jira_create_issue_eng_bug"),
        ({"urgent": True}, "jira_create_issue_true"),
        ({"labels": ["a", "b"]}, "jira_create_issue_support_desk"),
        ({}, "jira_create_issue_support_desk"),
    ],
)
def test_the_fixed_values_tell_frozen_tools_apart(fixed: dict[str, object], name: str) -> None:
    assert frozen_name("jira_create_issue", fixed, "Support desk") == name


def test_a_long_name_is_cut_and_stays_apart() -> None:
    names = {frozen_name("a_tool_with_quite_a_long_name_of_its_own", {"x": f"{n} {'y' * 30}"}, "") for n in range(9)}
    assert len(names) == 9
    assert all(len(name) <= 60 and name_problem(name) == "" for name in names)


@pytest.mark.parametrize(
    ("fixed", "said"),
    [
        ({"project": "ENG"}, "(frozen: project=ENG)"),
        ({"project": "ENG", "fields": {"type": "Bug"}}, "(frozen: project=ENG, fields.type=Bug)"),
        ({"limit": 5, "open": True}, "(frozen: limit=5, open=true)"),
        ({"text": "x" * 41, "ids": [1]}, "(frozen: text=…, ids=…)"),
        ({f"a{n}": n for n in range(8)}, "(frozen: a0=0, a1=1, a2=2, a3=3, a4=4, a5=5 and 2 more)"),
        ({}, ""),
    ],
)
def test_short_values_are_said_and_others_only_named(fixed: dict[str, object], said: str) -> None:
    assert note(fixed) == said


@pytest.mark.parametrize("name", ["", "Big", "a-b", "a" * 61, "elaichi__toolbox__list", "search_tools", "execute_tool"])
def test_a_name_is_refused_that_a_client_could_not_spell_or_take_for_ours(name: str) -> None:
    assert name_problem(name)


def test_other_names_are_taken() -> None:
    assert name_problem("create_bug_2") == ""
