"""Telling accounts apart that their owners gave the same label.

A label that only one account has stays as it is. Where several have it, none keeps it bare: each is told apart by its
remote account, where that is not enough by its owner's e-mail, then by both, and last by its id. What one owner writes
as a label may be what another's account would be told apart as; those two go one step further as well, so that no name
is ever that of two accounts. The names depend on which accounts there are, never on their order.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledAccount:
    """An account as its owner labelled it. The same owner labels no two accounts of a connector alike."""

    connection_id: UUID
    label: str
    remote_account: str
    owner: str

    @property
    def names(self) -> tuple[str, ...]:
        """From the shortest to one that no other account can have."""
        remote, owner = self.remote_account or self.owner, self.owner
        told_apart_by = (remote, owner, f"{remote}, {owner}", str(self.connection_id))
        return (self.label, *(f"{self.label} ({by})" for by in told_apart_by))


def distinct_labels(accounts: Sequence[LabelledAccount]) -> list[str]:
    """A name for each account, in their order; no two are equal."""
    if len({account.label for account in accounts}) == len(accounts):
        return [account.label for account in accounts]
    names = [account.names for account in accounts]
    steps = [0] * len(accounts)
    while True:
        chosen = [options[step] for options, step in zip(names, steps, strict=True)]
        count = Counter(chosen)
        # The last name ends in the account's own id, so of those who share a name at least one can go further.
        steps = [
            min(step + (count[name] > 1), len(options) - 1)
            for options, name, step in zip(names, chosen, steps, strict=True)
        ]
        if max(count.values()) == 1:
            return chosen
