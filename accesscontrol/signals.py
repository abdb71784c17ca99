"""What other packages react to. `accesscontrol` sends; it never learns who listens.

`membership_ending` is sent inside the transaction that suspends or removes a member, after the grants have ended: a
receiver takes part in it, and one that raises fails the whole change. The other two are sent when a change has
committed; a receiver must be able to run twice, and to be missed, since a sweep comes after it.
"""

from django.dispatch import Signal

membership_ending = Signal()
"""kwargs: `member` (locked), `status` (what the member becomes), `surface`, `actor`."""

membership_changed = Signal()
"""kwargs: `organization_id`, `member_ids` (a list), `version`."""

restrictions_changed = Signal()
"""kwargs: `organization_id`, `version`."""
