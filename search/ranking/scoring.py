"""How well each candidate answers: the score that orders them."""

import numpy as np
from numpy.typing import NDArray

from search.ranking.candidates import Candidates, Evidence, Floats
from search.ranking.postings import IN_LABEL

OTHER_VERB = 0.8
"""What is left of a score when the tool does something else to a record than the query asks."""


def plain_score(candidates: Candidates) -> Floats:
    """The published rule: the points of all terms, unweighted."""
    score = np.zeros(len(candidates.tools))
    points = candidates.table[:, 0].copy()
    for flags in candidates.found.flags:
        score += points.take(flags)
    return score


def close_score(candidates: Candidates) -> Floats:
    """Points × inverse document frequency, ÷ √(1 + name terms), × the share of the mass that the tool holds.

    The score of a list of clauses is that of the whole plus that of the clause a tool answers best.
    """
    score = _held_points(candidates.whole)
    if candidates.of_clauses:
        score += np.max([_held_points(clause) for clause in candidates.of_clauses], axis=0)
    score /= np.sqrt(1.0 + candidates.postings.name_lengths[candidates.tools])
    score[_does_otherwise(candidates)] *= OTHER_VERB
    score += candidates.table[IN_LABEL, 0] * candidates.scope_weight
    return score


def _held_points(evidence: Evidence) -> Floats:
    return evidence.points * (evidence.strong + evidence.weak) / (evidence.mass or 1.0)


def _does_otherwise(candidates: Candidates) -> NDArray[np.bool_]:
    asked, done = candidates.reading.verb_class, candidates.postings.verb_classes[candidates.tools]
    differs: NDArray[np.bool_] = (done != asked) & (done > 0) & (asked > 0)
    return differs
