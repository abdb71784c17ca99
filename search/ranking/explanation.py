"""Why a tool came where it came: what each term of the query did for it."""

from collections.abc import Sequence

from search.ranking.documents import ToolDocument
from search.ranking.evidence import find_in
from search.ranking.postings import EXACT, IN_DESCRIPTION, IN_LABEL, IN_PARAMETER, OTHER_VERB, PREFIX
from search.ranking.profiles import Profile
from search.ranking.reading import Reading
from search.ranking.results import Evidence, TermMatch

_NAMES: tuple[tuple[int, Evidence], ...] = (
    (EXACT, "exact"),
    (PREFIX, "prefix"),
    (IN_LABEL, "label"),
    (IN_DESCRIPTION, "description"),
    (IN_PARAMETER, "parameter"),
    (OTHER_VERB, "verb"),
)


def explain(
    document: ToolDocument, reading: Reading, weights: Sequence[float], profile: Profile
) -> tuple[TermMatch, ...]:
    """Reads the tool anew instead of the index: only what is shown is ever explained."""
    held, traits = profile.analyze(document)
    cover, points = profile.cover, profile.points
    matches = []
    terms = zip(reading.terms, reading.spellings, reading.other_verbs, weights, strict=True)
    for term, spelling, other_verb, weight in terms:
        flags = find_in(held, traits, term, spelling, other_verb)
        matches.append(TermMatch(spelling, weight, _evidence(flags), points.of(flags), float(cover[flags])))
    return tuple(matches)


def _evidence(flags: int) -> tuple[Evidence, ...]:
    shown = flags & ~PREFIX if flags & EXACT else flags
    return tuple(name for flag, name in _NAMES if shown & flag)
