"""What other packages react to. `accesscontrol` sends; it never learns who listens.

`membership_ending` is sent inside the transaction that suspends or removes a member, after the grants have ended: a
receiver takes part in it, and one that raises fails the whole change. The others are sent when a change has committed,
by `versions.bump`, at most once a transaction each; their kwargs are `organization_id` and `version`, the
organization's at that moment. A receiver must be able to run twice, and to be missed, since a sweep comes after it.
"""

from django.dispatch import Signal

membership_ending = Signal()
"""kwargs: `member` (locked), `status` (what the member becomes), `surface`, `actor`, `new_owner`."""

membership_changed = Signal()
"""A member joined or left, or has another role or status."""

restrictions_changed = Signal()
"""A rule was written, changed or lifted."""

reach_changed = Signal()
"""Anything else changed what members can reach: a connector, a tool, a connection, a share, a role's permissions."""
