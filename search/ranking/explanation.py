"""Why a tool came where it came: what each term of the query did for it."""

from collections.abc import Sequence

from search.ranking.documents import ToolDocument
from search.ranking.evidence import find_in
from search.ranking.postings import EXACT, IN_DESCRIPTION, IN_LABEL, IN_PARAMETER, PREFIX
from search.ranking.profiles import Profile
from search.ranking.reading import Reading
from search.ranking.results import Evidence, TermMatch

_NAMES: tuple[tuple[int, Evidence], ...] = (
    (EXACT, "exact"),
    (PREFIX, "prefix"),
    (IN_LABEL, "label"),
    (IN_DESCRIPTION, "description"),
    (IN_PARAMETER, "parameter"),
)


def explain(
    document: ToolDocument, reading: Reading, weights: Sequence[float], profile: Profile
) -> tuple[TermMatch, ...]:
    """Reads the tool anew instead of the index: only what is shown is ever explained."""
    held, _ = profile.analyze(document)
    cover, points = profile.cover, profile.points
    matches = []
    for term, spelling, weight in zip(reading.terms, reading.spellings, weights, strict=True):
        flags = find_in(held, term, spelling)
        matches.append(TermMatch(spelling, weight, _evidence(flags), points.of(flags), float(cover[flags])))
    return tuple(matches)


def _evidence(flags: int) -> tuple[Evidence, ...]:
    shown = flags & ~PREFIX if flags & EXACT else flags
    return tuple(name for flag, name in _NAMES if shown & flag)
