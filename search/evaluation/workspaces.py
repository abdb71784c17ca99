"""Workspaces: what one member has connected, drawn at random and the same on every run."""

import hashlib
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from search.evaluation.dataset import LabelledTool
from search.ranking import ToolDocument

ENOUGH_TOOLS = 9
"""Smaller apps are not drawn as company: a workspace of tiny ones would be too easy."""

SUITES = ("google",)
"""Apps whose names begin alike are one vendor's suite. A query for one of them is not asked beside its siblings,
which may serve it too."""


@dataclass(frozen=True, eq=False)
class Connector:
    """One app's tools. Compared by identity, so that what is read from them can be kept."""

    app: str
    documents: tuple[ToolDocument, ...]

    @cached_property
    def labels(self) -> frozenset[str]:
        return frozenset(document.connector_label for document in self.documents)


@dataclass(frozen=True, kw_only=True)
class Workspaces:
    """For each app a workspace that holds it and one that lacks it, as names of apps."""

    connectors: Mapping[str, Connector]
    holding: Mapping[str, tuple[str, ...]]
    lacking: Mapping[str, tuple[str, ...]]

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The brand of every app there is: what a gateway with this catalog has heard of."""
        return labels_of(self.connectors.values())

    def for_offtopic(self, query: str) -> tuple[str, ...]:
        """Any workspace, always the same for one query."""
        apps = sorted(self.holding)
        return self.holding[apps[hashlib.md5(query.encode(), usedforsecurity=False).digest()[0] % len(apps)]]


def draw(connectors: Mapping[str, Connector], size: int, seed: int) -> Workspaces:
    """Workspaces of `size` apps, or of all there are where there are fewer."""
    large = [app for app in sorted(connectors) if len(connectors[app].documents) >= ENOUGH_TOOLS]
    company = large or sorted(connectors)
    holding, lacking = {}, {}
    for app in sorted(connectors):
        others = [other for other in company if other != app and not _siblings(app, other)]
        random.Random(f"{seed}-{size}-{app}").shuffle(others)
        holding[app] = tuple(sorted({app, *others[: size - 1]}))
        lacking[app] = tuple(sorted(others[:size]))
    return Workspaces(connectors=connectors, holding=holding, lacking=lacking)


def connectors_of(tools: Iterable[LabelledTool]) -> dict[str, Connector]:
    """The tools of one pool, app by app."""
    documents = defaultdict(list)
    for tool in tools:
        documents[tool.app].append(tool.document)
    return {app: Connector(app, tuple(held)) for app, held in documents.items()}


def labels_of(connectors: Iterable[Connector]) -> tuple[str, ...]:
    return tuple(sorted(frozenset().union(*(connector.labels for connector in connectors))))


def _siblings(one: str, other: str) -> bool:
    return any(one.startswith(suite) and other.startswith(suite) for suite in SUITES)
