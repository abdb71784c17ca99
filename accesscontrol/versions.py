"""An organization's version: it grows in the same transaction as every change to what members can reach."""

from django.db import transaction
from django.db.models import F

from accesscontrol.models import Organization


def bump(organization: Organization) -> None:
    """Marks everything cached for this organization as stale, when the surrounding transaction commits.

    Until then it holds the organization's row (FOR NO KEY UPDATE, which lets rows that refer to it be inserted), so
    changes of one organization that bump first happen one after another.

    Raises TransactionManagementError outside a transaction: a bump that commits before or after its change would leave
    a moment in which a cache of the old state is taken for the new one.
    """
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("A version is bumped in the transaction of its change.")
    Organization.objects.filter(pk=organization.pk).update(version=F("version") + 1)
