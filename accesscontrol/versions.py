"""An organization's version: it grows in the same transaction as every change to what members can reach."""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.dispatch import Signal

from accesscontrol.models import Organization
from accesscontrol.signals import reach_changed


def bump(organization: Organization, *, signal: Signal = reach_changed) -> None:
    """Marks everything cached for this organization as stale, when the surrounding transaction commits.

    Until then it holds the organization's row (FOR NO KEY UPDATE, which lets rows that refer to it be inserted), so
    changes of one organization that bump first happen one after another. After the commit it sends `signal`, once
    however often the transaction bumped; what a receiver raises is logged and fails nobody.

    Raises TransactionManagementError outside a transaction: a bump that commits before or after its change would leave
    a moment in which a cache of the old state is taken for the new one.
    """
    connection = transaction.get_connection()
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("A version is bumped in the transaction of its change.")
    Organization.objects.filter(pk=organization.pk).update(version=F("version") + 1)
    announcement = _Announcement(signal, organization.pk)
    # One that waits already is dropped only with a savepoint that this bump stands in too.
    if not any(waiting == announcement for _, waiting, _ in connection.run_on_commit):
        transaction.on_commit(announcement, robust=True)


@dataclass(frozen=True)
class _Announcement:
    signal: Signal
    organization_id: UUID

    def __call__(self) -> None:
        version = Organization.objects.filter(pk=self.organization_id).values_list("version", flat=True).first()
        if version is not None:
            self.signal.send_robust(Organization, organization_id=self.organization_id, version=version)
