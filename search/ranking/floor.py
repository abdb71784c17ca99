"""How much of the query each candidate accounts for. Half is asked, whatever the score is."""

import numpy as np

from search.ranking.candidates import Candidates, Evidence, Floats
from search.ranking.evidence import FLAGS, HELD
from search.ranking.postings import PREFIX

FLOOR = 0.5
"""The share of the query's mass that a tool must account for."""
ROUNDING = 1e-9

PREFIX_SHARE = 0.6
"""Published: a term matched by prefix alone counts three fifths, as its score does."""

STRETCH = 2.0
"""In a long query a term found in the name or label counts up to 1 + STRETCH times."""
SHORT, LONG = 4, 8
"""Informative terms: up to SHORT nothing is stretched, from LONG on all of it."""
LIST_STRETCH = 0.5
"""A list of keywords is stretched at least this far: its words are alternatives, and no tool answers them all."""
LONE_DESCRIPTION = 0.75
"""In a sentence, what a description counts for when the tool's name holds nothing of the query."""

PLAIN_COVER = np.array([1.0 if f & HELD else PREFIX_SHARE if f & PREFIX else 0.0 for f in range(FLAGS)])
"""The share of a term's weight that is accounted for, by the flags of where it was found."""
CLOSE_COVER = np.array([1.0 if f & HELD else 0.0 for f in range(FLAGS)])


def plain_coverage(candidates: Candidates) -> Floats:
    """The published rule: the weight of the terms that a tool matched over the weight of all terms."""
    covered = np.zeros(len(candidates.tools))
    for flags, weight in zip(candidates.found.flags, candidates.weights, strict=True):
        covered += (PLAIN_COVER * weight).take(flags)
    return np.minimum(covered / (sum(candidates.weights) or 1.0), 1.0)


def close_coverage(candidates: Candidates) -> Floats:
    """The same for short queries, without prefixes; in longer ones it weighs where the evidence stands.

    A sentence is full of words that no tool holds, and each is as heavy as a word can be. So the longer the
    query, the more a term counts that the tool's name holds; a description, which says a lot, holds words by
    accident. A list of keywords is asked clause by clause as well, and the best answer counts.
    """
    clauses = candidates.reading.clauses
    least = LIST_STRETCH if clauses else 0.0
    length = len(candidates.weights)
    coverage = _coverage(candidates, candidates.whole, max(least, stretch(length)))
    for clause, evidence in zip(clauses, candidates.of_clauses, strict=True):
        stretched = max(least if len(clause) >= SHORT - 1 else 0.0, stretch(len(clause)))
        np.maximum(coverage, _coverage(candidates, evidence, stretched), out=coverage)
    return np.minimum(coverage, 1.0)


def stretch(length: int) -> float:
    """How far name evidence is stretched for that many informative terms: from 0 to 1."""
    return min(1.0, max(0.0, (length - SHORT) / (LONG - SHORT)))


def _coverage(candidates: Candidates, evidence: Evidence, stretched: float) -> Floats:
    weak = evidence.weak
    if candidates.reading.is_sentence:
        weak = np.where(evidence.strong == 0.0, weak * LONE_DESCRIPTION, weak)
    scope = candidates.scope_weight
    strong = (evidence.strong + scope) * (1.0 + STRETCH * stretched)
    return (strong + weak) / ((evidence.mass + scope) or 1.0)
