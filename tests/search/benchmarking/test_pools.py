"""Benchmark pools are of the size asked for, look like real catalogs, and are the same on every machine."""

import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from search.benchmarking.pools import documents_of, invented_pool, repeated_pool
from search.benchmarking.questions import STYLES, questions
from search.evaluation.dataset import LabelledTool
from search.ranking import ToolDocument

TOOLS = [
    LabelledTool(document=ToolDocument("a1", "box_get_file", "Gets a file.", "Box"), app="box", pool="p"),
    LabelledTool(document=ToolDocument("a2", "box_list_files", "Lists files.", "Box"), app="box", pool="p"),
    LabelledTool(document=ToolDocument("b1", "jira_get_issue", "Gets an issue.", "Jira"), app="jira", pool="p"),
]


@pytest.mark.parametrize("size", [1, 30, 700])
def test_an_invented_pool_has_the_size_asked_for_and_unique_names(size: int) -> None:
    documents = documents_of(invented_pool(size))
    assert len(documents) == size
    assert len({document.key for document in documents}) == size
    assert len({document.name for document in documents}) == size


def test_a_smaller_pool_is_the_beginning_of_a_larger_one() -> None:
    assert documents_of(invented_pool(500))[:200] == documents_of(invented_pool(200))


def test_few_words_are_frequent_and_most_are_rare() -> None:
    texts = (document.description.lower().split() for document in documents_of(invented_pool(2000)))
    counts = [count for _, count in Counter(word for text in texts for word in text).most_common()]
    assert sum(counts[:100]) > sum(counts) / 2
    assert sum(count < 5 for count in counts) > len(counts) / 2


def test_an_invented_pool_is_the_same_under_another_hash_seed() -> None:
    code = (
        "import json; from search.benchmarking.pools import documents_of, invented_pool;"
        "print(json.dumps([[d.name, d.description] for d in documents_of(invented_pool(40))]))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    here = [[document.name, document.description] for document in documents_of(invented_pool(40))]
    assert json.loads(done.stdout) == here


def test_real_tools_come_again_under_numbered_names_until_there_are_enough() -> None:
    pool = repeated_pool(TOOLS, 5)
    assert [(d.key, d.name, d.connector_label) for d in documents_of(pool)] == [
        ("a1", "box_get_file", "Box"),
        ("a2", "box_list_files", "Box"),
        ("b1", "jira_get_issue", "Jira"),
        ("a1-1", "box_get_file_1", "Box 1"),
        ("a2-1", "box_list_files_1", "Box 1"),
    ]


@pytest.mark.parametrize("style", STYLES)
def test_questions_are_as_many_as_asked_and_the_same_again(style: str) -> None:
    documents = documents_of(invented_pool(50))
    asked = questions(documents, style, 7)
    assert len(asked) == 7
    assert asked == questions(documents, style, 7)


def test_a_short_question_is_words_of_the_name_without_the_label() -> None:
    [document] = documents_of(repeated_pool(TOOLS[2:], 1))
    assert questions([document], "short", 3) == ["get issue"] * 3


def test_a_guessed_name_begins_with_the_product() -> None:
    [document] = documents_of(repeated_pool(TOOLS[2:], 1))
    assert questions([document], "guessed_name", 1) == ["jira_get_issue_details"]


def test_a_sentence_names_the_product() -> None:
    [document] = documents_of(repeated_pool(TOOLS[2:], 1))
    [sentence] = questions([document], "sentence", 1)
    assert sentence.startswith("Can you please get issue for me in Jira ")
