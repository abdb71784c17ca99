"""What is measured: anything that puts the tools of a workspace in order for a query."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from search.evaluation.workspaces import Connector
from search.ranking import ConnectorTerms, PoolIndex, Profile
from search.ranking.floor import FLOOR


class Ranked(NamedTuple):
    key: str
    strength: float
    """What a cut-off is compared with: coverage for a profile, the score for a ranker that has no floor."""


class Ranker(Protocol):
    def search(self, query: str, limit: int) -> list[Ranked]:
        """At most `limit` tools, best first; none if nothing answers the query."""
        ...


class RankerFactory(Protocol):
    name: str
    knows_labels: bool
    """Whether `known_labels` change its answers."""
    cuts: tuple[float, ...]
    """The cut-offs worth trying; none if they depend on the scores it gives."""

    def read(self, connectors: Iterable[Connector]) -> None:
        """What of the work of `build` can be done once for all pools, is done."""
        ...

    def build(self, connectors: Sequence[Connector], known_labels: Sequence[str]) -> Ranker: ...

    def without_floor(self) -> "RankerFactory | None":
        """The same, but refusing as little as it can, so that a cut-off can be chosen afterwards.

        None if its answers carry no strength.
        """
        ...


class ProfileFactory:
    """Our own ranking under one profile. Reads each connector's tools once, however many pools hold them."""

    knows_labels = True
    cuts = tuple(step / 20 for step in range(21))

    def __init__(self, name: str, profile: Profile) -> None:
        self.name, self.profile = name, profile
        self._lifted_by = 0.0
        self._terms: dict[Connector, ConnectorTerms] = {}

    def read(self, connectors: Iterable[Connector]) -> None:
        for connector in connectors:
            if connector not in self._terms:
                self._terms[connector] = self.profile.extract(connector.documents)

    def build(self, connectors: Sequence[Connector], known_labels: Sequence[str]) -> Ranker:
        self.read(connectors)
        parts = [self._terms[connector] for connector in connectors]
        index = PoolIndex.assemble(parts, profile=self.profile, known_labels=known_labels)
        return _ProfileRanker(index, self._lifted_by)

    def without_floor(self) -> "ProfileFactory":
        """Every coverage is lifted above the floor, and put back where it was when the hits have come.

        What refuses for another reason than the floor, such as an app that is not connected, still does.
        """
        lifted = ProfileFactory(self.name, replace(self.profile, coverage=_lifted(self.profile.coverage)))
        lifted._lifted_by, lifted._terms = FLOOR, self._terms
        return lifted


class _ProfileRanker:
    def __init__(self, index: PoolIndex, lifted_by: float) -> None:
        self._index, self._lifted_by = index, lifted_by

    def search(self, query: str, limit: int) -> list[Ranked]:
        hits = self._index.search(query, limit=limit).hits
        return [Ranked(str(hit.document.key), self._lowered(hit.coverage)) for hit in hits]

    def _lowered(self, coverage: float) -> float:
        return (coverage - self._lifted_by) / (1 - self._lifted_by)


def _lifted[**Q](coverage: Callable[Q, NDArray[np.float64]]) -> Callable[Q, NDArray[np.float64]]:
    def lifted(*args: Q.args, **options: Q.kwargs) -> NDArray[np.float64]:
        return FLOOR + (1 - FLOOR) * coverage(*args, **options)

    return lifted
