"""Every hit says why it is one, and the index and the explanation never disagree."""

import math

import pytest

from search.ranking import PROFILES, PoolIndex
from tests.search.ranking.pools import OFFICE, names, pool, tool

QUERIES = ["list", "create issue", "issues project key", "page comment folder", "list the leads", "fetch an issue"]


def test_a_hit_says_what_each_term_did() -> None:
    index = pool(*OFFICE, tool("trim_page", "Cuts a page to size.", "Scissors"))
    (hit, *_) = index.search("remove the pages block of trash").hits
    assert hit.document.name == "notion_delete_block"
    assert [(match.term, match.evidence, match.covered) for match in hit.terms] == [
        ("remove", ("verb",), 1.0),
        ("pages", (), 0.0),
        ("block", ("exact", "description", "parameter"), 1.0),
        ("trash", ("description",), 1.0),
    ]


@pytest.mark.parametrize("query", QUERIES)
def test_the_published_score_and_coverage_are_the_sum_of_what_is_explained(query: str) -> None:
    for hit in PoolIndex.build(OFFICE, profile=PROFILES["published"]).search(query).hits:
        assert hit.score == sum(match.points for match in hit.terms)
        mass = sum(match.weight for match in hit.terms)
        assert math.isclose(hit.coverage, sum(m.weight * m.covered for m in hit.terms) / mass)


@pytest.mark.parametrize("query", QUERIES)
def test_short_queries_of_the_default_profile_cover_what_is_explained(query: str) -> None:
    for hit in pool(*OFFICE).search(query).hits:
        mass = sum(match.weight for match in hit.terms)
        assert math.isclose(hit.coverage, sum(m.weight * m.covered for m in hit.terms) / mass)


def test_what_the_floor_refused_is_told_apart_nearest_first() -> None:
    index = pool(*OFFICE)
    refused = index.nearest_refused("create spaceship folders quickly", limit=2)
    assert [hit.document.name for hit in refused] == ["box_create_folder", "box_list_files"]
    assert refused[0].coverage > refused[1].coverage
    assert all(hit.coverage < 0.5 for hit in refused)
    assert not set(names(index.search("create spaceship folders quickly"))) & {h.document.name for h in refused}


def test_a_refused_app_tells_what_would_have_come_nearest() -> None:
    index = pool(*OFFICE, known=["Trello"])
    assert index.search("create page in Trello").hits == ()
    assert index.nearest_refused("create page in Trello")[0].document.name == "notion_create_page"
