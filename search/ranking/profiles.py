"""The rules a pool can be ranked by."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from search.ranking import analysis, reading
from search.ranking.apps import Lexicon
from search.ranking.candidates import Candidates, Floats
from search.ranking.documents import ToolDocument
from search.ranking.evidence import Points
from search.ranking.floor import CLOSE_COVER, PLAIN_COVER, close_coverage, plain_coverage
from search.ranking.postings import Analyzer, ConnectorTerms, Postings
from search.ranking.reading import Reading
from search.ranking.scoring import close_score, plain_score


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How tools and queries are read, what makes a score, and what a tool must account for."""

    name: str
    points: Points
    analyze: Analyzer
    read: Callable[[str, Lexicon, Postings, Postings], Reading]
    score: Callable[[Candidates], Floats]
    coverage: Callable[[Candidates], Floats]
    cover: Floats
    """The share of a term's weight that is accounted for, by the flags of where it was found."""

    def extract(self, documents: Iterable[ToolDocument]) -> ConnectorTerms:
        """What the tools of one connector hold. The costly step of building a pool: keep the answer."""
        return ConnectorTerms.extract(documents, self.analyze)


PUBLISHED = Profile(
    name="published",
    points=Points(exact=5, inflected=5, prefix=3, label=2, description=1, parameter=0),
    analyze=analysis.read_plainly,
    read=reading.read_plainly,
    score=plain_score,
    coverage=plain_coverage,
    cover=PLAIN_COVER,
)
DEFAULT = Profile(
    name="default",
    points=Points(exact=5, inflected=3, prefix=3, label=2, description=1, parameter=1),
    analyze=analysis.read_closely,
    read=reading.read_closely,
    score=close_score,
    coverage=close_coverage,
    cover=CLOSE_COVER,
)
PROFILES = {profile.name: profile for profile in (PUBLISHED, DEFAULT)}
