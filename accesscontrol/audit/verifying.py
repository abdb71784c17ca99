"""Is an organization's audit trail whole?"""

from dataclasses import dataclass
from itertools import chain as joined

from accesscontrol.audit import stored
from accesscontrol.audit.chain import START, Break, Link, Mark, Problem, first_problem
from accesscontrol.audit.pruning import anchor_before
from accesscontrol.models import Organization


@dataclass(frozen=True)
class Verdict:
    """`begins_after` is where the last pruning ended; `head` is worth noting outside of this database."""

    begins_after: Mark
    head: Mark
    problem: Problem | None


def verify(organization: Organization, *, noted: Mark | None = None) -> Verdict:
    """Recomputes the chain from its first row to its end, in one pass and in constant memory.

    `noted` is a head that was printed earlier: whoever can rewrite the whole chain cannot rewrite that.
    """
    head, links = stored.head_and_links(organization)
    first = next(links, None)
    after = _beginning(organization, first)
    problem = first_problem(joined([first] if first else [], links), after=after, head=head, noted=noted)
    return Verdict(after, head, problem or _stray(organization))


def _beginning(organization: Organization, first: Link | None) -> Mark:
    """A chain begins with row 1, or where an event of pruning says that it does."""
    if first is None or first.sequence == 1:
        return START
    return anchor_before(organization, first.sequence) or START


def _stray(organization: Organization) -> Problem | None:
    event_id = stored.without_link(organization)
    if event_id is None:
        return None
    return Problem(Break.INSERTED, 0, event_id, "A row is in no chain: it was added while the triggers were off.")
