"""Pools of any size: invented tools that look like those of real products, or real ones over and over."""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count

from search.benchmarking.vocabulary import COMMON, PARAMETERS, QUALIFIERS, VERBS, any_word, made_up, pick
from search.evaluation.dataset import LabelledTool
from search.evaluation.workspaces import Connector
from search.ranking import ToolDocument

SMALLEST, LARGEST = 12, 250
"""Tools of one product. Few products have many."""


def invented_pool(size: int) -> list[Connector]:
    """`size` tools, the same on every machine. A smaller pool is the beginning of a larger one."""
    return list(_first(size, map(_invent, count())))


def repeated_pool(tools: Sequence[LabelledTool], size: int) -> list[Connector]:
    """Real tools up to `size`: where there are too few, the same products again under numbered names."""
    by_app = defaultdict(list)
    for tool in tools:
        by_app[f"{tool.pool}:{tool.app}"].append(tool.document)
    originals = [Connector(app, tuple(documents)) for app, documents in by_app.items()]
    rounds = (_renamed(connector, number) for number in count() for connector in originals)
    return list(_first(size, rounds))


def documents_of(connectors: Iterable[Connector]) -> list[ToolDocument]:
    return [document for connector in connectors for document in connector.documents]


def _first(size: int, connectors: Iterable[Connector]) -> Iterator[Connector]:
    for connector in connectors:
        if size <= len(connector.documents):
            yield Connector(connector.app, connector.documents[:size])
            return
        size -= len(connector.documents)
        yield connector


def _renamed(connector: Connector, number: int) -> Connector:
    if not number:
        return connector
    return Connector(f"{connector.app}-{number}", tuple(_again(d, number) for d in connector.documents))


def _again(document: ToolDocument, number: int) -> ToolDocument:
    return replace(
        document,
        key=f"{document.key}-{number}",
        name=f"{document.name}_{number}",
        connector_label=f"{document.connector_label} {number}",
    )


def _invent(number: int) -> Connector:
    source = random.Random(f"product-{number}")
    label = made_up(source, 2 + number % 2).capitalize() + made_up(source, 1)
    nouns = [any_word(source) for _ in range(4 + int(source.random() * 20))]
    size = int(SMALLEST * (LARGEST / SMALLEST) ** source.random())
    names: dict[str, None] = {}
    while len(names) < size:
        names[_name(source, nouns)] = None
    slug = label.lower()
    return Connector(
        f"{slug}-{number}",
        tuple(_tool(source, f"{number}:{name}", f"{slug}_{name}", label, nouns) for name in names),
    )


def _name(source: random.Random, nouns: list[str]) -> str:
    parts = [pick(source, VERBS), pick(source, nouns)]
    chance = source.random()
    if chance < 0.5:
        parts.append(pick(source, nouns))
    if chance < 0.35:
        parts.append(pick(source, QUALIFIERS).replace("-", "_"))
    if chance > 0.8:
        parts.append(any_word(source))
    return "_".join(parts)


def _tool(source: random.Random, key: str, name: str, label: str, nouns: list[str]) -> ToolDocument:
    return ToolDocument(
        key=key,
        name=name,
        description=_description(source, name, nouns),
        connector_label=label,
        parameters=tuple(dict.fromkeys(_parameter(source, nouns) for _ in range(int(source.random() * 6)))),
    )


def _description(source: random.Random, name: str, nouns: list[str]) -> str:
    """What the name says as a sentence, then some more: mostly a dozen words, now and then a hundred."""
    said = name.split("_")[1:]
    length = int(4 * 25 ** source.random())
    more = (_description_word(source, nouns) for _ in range(length))
    return f"{' '.join(said).capitalize()} {' '.join(more)}."


def _description_word(source: random.Random, nouns: list[str]) -> str:
    chance = source.random()
    if chance < 0.4:
        return pick(source, COMMON)
    return pick(source, nouns) if chance < 0.8 else any_word(source)


def _parameter(source: random.Random, nouns: list[str]) -> str:
    return f"{pick(source, nouns)}_id" if source.random() < 0.4 else pick(source, PARAMETERS)
