"""Re-encrypting every stored credential under the newest key, so that an old key can be dropped."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from connectors.credentials.fields import SealedMapping
from connectors.credentials.vault import CredentialUnreadable, rotate
from connectors.models import Connection, OAuthApp

_BATCH = 200


type _Sealed = type[Connection] | type[OAuthApp]
_FIELDS: dict[_Sealed, str] = {Connection: "credential", OAuthApp: "client_secret"}
"""What is stored encrypted for longer than the minutes of a connect session."""


@dataclass(frozen=True)
class Rotation:
    """`unreadable` are accounts and OAuth applications that no configured key opens; they stay as they are."""

    rotated: int
    unreadable: tuple[str, ...]


def rotate_credentials() -> Rotation:
    """Goes through all of them in batches, each in a transaction of its own; safe to run again or to break off."""
    rotated, unreadable = 0, []
    for model, field in _FIELDS.items():
        keys = list(model._default_manager.order_by("pk").values_list("pk", flat=True))
        for start in range(0, len(keys), _BATCH):
            done, lost = _rotate_batch(model, field, keys[start : start + _BATCH])
            rotated += done
            unreadable += lost
    return Rotation(rotated, tuple(unreadable))


@transaction.atomic
def _rotate_batch(model: _Sealed, field: str, keys: list[UUID]) -> tuple[int, list[str]]:
    # Locked, so that a credential which is being replaced meanwhile is not put back.
    rows: QuerySet[Any] = model._default_manager.filter(pk__in=keys)
    rotated, unreadable = [], []
    for row in rows.select_for_update(of=("self",), no_key=True).select_related("connector"):
        sealed = getattr(row, field)
        if not sealed:
            continue
        try:
            setattr(row, field, SealedMapping(rotate(sealed.ciphertext)))
            rotated.append(row)
        except CredentialUnreadable:
            unreadable.append(str(row))
    model._default_manager.bulk_update(rotated, [field])
    return len(rotated), unreadable
