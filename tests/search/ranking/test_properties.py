"""What holds for every pool and every query."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.ranking import PROFILES, Hit, PoolIndex, Profile, ToolDocument
from search.ranking.floor import FLOOR

VOCABULARY = """
    get list create delete issue issues page pages user comment com a of set connection Box box folder GitHub ページ
    invoice invoices zebra x1 Mail mailbox
"""
WORDS = st.sampled_from(VOCABULARY.split())
PLAIN_WORDS = WORDS.filter(lambda word: word not in {"Box", "box", "GitHub"})
"""None of them names an app that may be in the pool, which would then be asked instead."""
LABELS = st.sampled_from(["Jira", "Notion", "Box", "GitHub", "Close", "ノート"])
PHRASES = st.lists(WORDS, min_size=1, max_size=5)
DOCUMENTS = st.builds(
    lambda number, label, name, text, parameters: ToolDocument(
        key=number,
        name=f"{'_'.join(name)}_{number}",
        description=" ".join(text),
        connector_label=label,
        parameters=tuple(parameters),
    ),
    st.integers(0, 10**6),
    LABELS,
    PHRASES,
    st.lists(WORDS, max_size=8),
    st.lists(WORDS, max_size=3),
)
POOLS = st.lists(DOCUMENTS, max_size=12, unique_by=lambda document: document.name)
QUERIES = st.one_of(
    st.lists(WORDS, min_size=1, max_size=9).map(" ".join),
    st.lists(WORDS, min_size=1, max_size=5).map("_".join),
    st.lists(PHRASES.map(" ".join), min_size=2, max_size=3).map(", ".join),
    st.text(max_size=60),
)
FEW = settings(max_examples=40, deadline=None)
ALL_PROFILES = pytest.mark.parametrize("profile", [PROFILES[name] for name in sorted(PROFILES)], ids=sorted(PROFILES))


def keys(hits: tuple[Hit, ...]) -> list[object]:
    return [hit.document.key for hit in hits]


@ALL_PROFILES
@FEW
@given(pool=POOLS, query=QUERIES)
def test_nothing_below_the_floor_is_ever_returned(profile: Profile, pool: list[ToolDocument], query: str) -> None:
    index = PoolIndex.build(pool, profile=profile)
    result = index.search(query, limit=50)
    assert all(FLOOR - 1e-9 <= hit.coverage <= 1 for hit in result.hits)
    assert len(result.hits) == result.matched


@ALL_PROFILES
@FEW
@given(pool=POOLS, query=QUERIES)
def test_hits_come_by_score_and_then_by_name(profile: Profile, pool: list[ToolDocument], query: str) -> None:
    hits = PoolIndex.build(pool, profile=profile).search(query, limit=50).hits
    order = [(-hit.score, hit.document.name) for hit in hits]
    assert order == sorted(order)


@ALL_PROFILES
@FEW
@given(pool=POOLS, query=QUERIES, random=st.randoms(use_true_random=False))
def test_the_order_of_the_documents_changes_nothing(
    profile: Profile, pool: list[ToolDocument], query: str, random: Random
) -> None:
    shuffled = list(pool)
    random.shuffle(shuffled)
    one = PoolIndex.build(pool, profile=profile).search(query)
    assert one == PoolIndex.build(shuffled, profile=profile).search(query)


@ALL_PROFILES
@FEW
@given(pool=POOLS, query=QUERIES, split=st.integers(0, 12))
def test_a_pool_of_parts_answers_like_a_pool_built_whole(
    profile: Profile, pool: list[ToolDocument], query: str, split: int
) -> None:
    extract = profile.extract
    parts = [extract(pool[:split]), extract(pool[split:])]
    assembled = PoolIndex.assemble(parts, profile=profile)
    whole = PoolIndex.build(pool, profile=profile)
    assert assembled.search(query) == whole.search(query)


@ALL_PROFILES
@FEW
@given(pool=POOLS, hidden=POOLS, query=QUERIES)
def test_restricted_tools_change_nothing_for_the_visible(
    profile: Profile, pool: list[ToolDocument], hidden: list[ToolDocument], query: str
) -> None:
    with_hidden = PoolIndex.build(pool, profile=profile, restricted=hidden)
    assert with_hidden.search(query) == PoolIndex.build(pool, profile=profile).search(query)


@FEW
@given(pool=POOLS, query=QUERIES, taken=st.integers(0, 11))
def test_restricting_a_tool_keeps_the_published_order_of_the_others(
    pool: list[ToolDocument], query: str, taken: int
) -> None:
    """Scores of the published rule hold no statistics, so only the floor may add or drop a tool."""
    rest = [document for place, document in enumerate(pool) if place != taken]
    before = keys(PoolIndex.build(pool, profile=PROFILES["published"]).search(query, limit=50).hits)
    after = keys(PoolIndex.build(rest, profile=PROFILES["published"]).search(query, limit=50).hits)
    assert [key for key in before if key in after] == [key for key in after if key in before]


@FEW
@given(pool=POOLS, added=DOCUMENTS, verb=st.sampled_from(["list", "get", "create"]), noun=PLAIN_WORDS)
def test_no_unrelated_tool_turns_a_refused_app_into_an_answer(
    pool: list[ToolDocument], added: ToolDocument, verb: str, noun: str
) -> None:
    for query in (f"{verb}_cal_com_{noun}", f"{verb} {noun} in Cal.com", f"Please {verb} the {noun} in Cal.com"):
        for documents in (pool, [*pool, added]):
            assert PoolIndex.build(documents, known_labels=["Cal.com"]).search(query).hits == ()


@FEW
@given(pool=POOLS.filter(bool), which=st.integers(0, 11))
def test_a_query_equal_to_a_name_returns_it_first(pool: list[ToolDocument], which: int) -> None:
    document = pool[which % len(pool)]
    hits = PoolIndex.build(pool).search(document.name).hits
    assert hits[0].document.name.casefold() == document.name.casefold()


@ALL_PROFILES
@FEW
@given(pool=POOLS, query=QUERIES)
def test_the_explanation_agrees_with_the_index(profile: Profile, pool: list[ToolDocument], query: str) -> None:
    index = PoolIndex.build(pool, profile=profile)
    for hit in index.search(query, limit=50).hits:
        held = any(match.covered for match in hit.terms)
        assert held or hit.named or not hit.terms or index.search(query).scope


@FEW
@given(query=st.text(max_size=300))
def test_any_text_is_a_query(query: str) -> None:
    PoolIndex.build([], known_labels=["Cal.com", query[:20]]).search(query)
