"""How long a search takes: `pytest benchmarks/test_ranking_speed.py --benchmark-enable`.

The pools are made up, from a fixed seed, to resemble real catalogs: skewed words, dozens of tools a product.
Nothing is asserted on time.
"""

import random
from itertools import cycle

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from search.ranking import PROFILES, PoolIndex, ToolDocument

VERBS = ["get", "list", "create", "update", "delete", "search", "send", "add", "remove", "export"]
SYLLABLES = ["ac", "ber", "con", "dor", "el", "fin", "gra", "hol", "in", "jo", "ker", "lum", "mar", "nor"]


def catalog(size: int) -> list[ToolDocument]:
    rng = random.Random(size)
    words = ["".join(rng.choices(SYLLABLES, k=rng.randint(2, 3))) for _ in range(4000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    tools = []
    for number in range(size):
        label = words[-1 - number // 60 % 500].title()
        nouns = rng.choices(words, weights, k=rng.randint(1, 3))
        name = f"{label.lower()}_{rng.choice(VERBS)}_{'_'.join(nouns)}_{number}"
        text = " ".join(rng.choices(words, weights, k=rng.randint(8, 40)))
        tools.append(ToolDocument(number, name, text, label, tuple(rng.choices(words, weights, k=4))))
    return tools


def queries() -> list[str]:
    rng = random.Random(7)
    words = [word for tool in catalog(300) for word in tool.name.split("_")[1:-1]]
    return [" ".join([rng.choice(VERBS), *rng.choices(words, k=rng.randint(1, 5))]) for _ in range(200)]


@pytest.mark.parametrize("size", [1_000, 10_000, 100_000])
@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_search(benchmark: BenchmarkFixture, profile: str, size: int) -> None:
    index = PoolIndex.build(catalog(size), profile=PROFILES[profile])
    asked = cycle(queries())
    benchmark.pedantic(lambda: index.search(next(asked)), rounds=400, warmup_rounds=20)


@pytest.mark.parametrize("size", [1_000, 10_000, 100_000])
def test_assembling_a_pool_from_cached_connectors(benchmark: BenchmarkFixture, size: int) -> None:
    profile, tools = PROFILES["default"], catalog(size)
    parts = [profile.extract(tools[start : start + 100]) for start in range(0, size, 100)]
    benchmark.pedantic(lambda: PoolIndex.assemble(parts, profile=profile), rounds=10, warmup_rounds=1)
