"""Re-encrypting every stored credential under the newest key, so that an old key can be dropped."""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from connectors.credentials.fields import SealedMapping
from connectors.credentials.vault import CredentialUnreadable, rotate
from connectors.models import Connection

_BATCH = 200


@dataclass(frozen=True)
class Rotation:
    """`unreadable` are accounts that no configured key opens; they stay as they are."""

    rotated: int
    unreadable: tuple[str, ...]


def rotate_credentials() -> Rotation:
    """Goes through all connections in batches, each in a transaction of its own; safe to run again or to break off."""
    rotated, unreadable = 0, []
    keys = list(Connection.objects.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), _BATCH):
        done, lost = _rotate_batch(keys[start : start + _BATCH])
        rotated += done
        unreadable += lost
    return Rotation(rotated, tuple(unreadable))


@transaction.atomic
def _rotate_batch(keys: list[UUID]) -> tuple[int, list[str]]:
    # Locked, so that a credential which is being replaced meanwhile is not put back.
    rows = Connection.objects.filter(pk__in=keys).select_for_update(of=("self",), no_key=True)
    rotated, unreadable = [], []
    for row in rows.select_related("connector"):
        if not row.credential:
            continue
        try:
            row.credential = SealedMapping(rotate(row.credential.ciphertext))
            rotated.append(row)
        except CredentialUnreadable:
            unreadable.append(str(row))
    Connection.objects.bulk_update(rotated, ["credential"])
    return len(rotated), unreadable
