"""A model field whose value is encrypted at rest, in memory and in dumps, and opened only when it is read."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models.query_utils import DeferredAttribute

from connectors.credentials import vault


class SealedMapping(Mapping[str, Any]):
    """A mapping of which the instance holds the ciphertext alone; each read decrypts.

    So loading, listing and saving a row need no key: with a lost one only reading the value raises
    CredentialUnreadable, and saving keeps the ciphertext as it was. `reveal()` gives the whole value
    at once. The empty mapping is stored as an empty string.
    """

    __slots__ = ("ciphertext",)

    def __init__(self, ciphertext: str = "") -> None:
        self.ciphertext = ciphertext

    @classmethod
    def seal(cls, value: Mapping[str, Any]) -> "SealedMapping":
        if isinstance(value, cls):
            return value
        return cls(vault.encrypt(value) if value else "")

    def reveal(self) -> dict[str, Any]:
        """Raises CredentialUnreadable."""
        return vault.decrypt(self.ciphertext) if self.ciphertext else {}

    def is_readable(self) -> bool:
        """Whether a configured key opens it."""
        try:
            self.reveal()
        except vault.CredentialUnreadable:
            return False
        return True

    def __getitem__(self, key: str) -> Any:
        return self.reveal()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.reveal())

    def __len__(self) -> int:
        return len(self.reveal())

    def __bool__(self) -> bool:
        return bool(self.ciphertext)

    def __eq__(self, other: object) -> bool:
        # Django compares a value with its empty values when it cleans a model; that must not need a key.
        if not isinstance(other, Mapping) or not self or not other:
            return isinstance(other, Mapping) and bool(self) == bool(other)
        return self.reveal() == dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "<sealed>" if self else "<sealed: empty>"


if TYPE_CHECKING:
    # What is assigned and what is read back; Django's fields take no type parameters when they run.
    _TextField = models.TextField[Mapping[str, Any], SealedMapping]
else:
    _TextField = models.TextField


class _SealingAttribute(DeferredAttribute):
    """Seals at assignment, so that no instance ever carries the plain value."""

    field: "EncryptedJSONField"

    def __set__(self, instance: models.Model, value: object) -> None:
        instance.__dict__[self.field.attname] = self.field.to_python(value)


class EncryptedJSONField(_TextField):
    """Takes a mapping of JSON values and gives back a `SealedMapping`. Every lookup on it is refused."""

    descriptor_class = _SealingAttribute

    def to_python(self, value: Any) -> Any:
        """A string is taken for ciphertext: it comes from the database or a fixture."""
        if isinstance(value, Mapping):
            return SealedMapping.seal(value)
        return SealedMapping(value) if isinstance(value, str) else value

    def from_db_value(self, value: str | None, *_: object) -> SealedMapping | None:
        return None if value is None else SealedMapping(value)

    def get_prep_value(self, value: Any) -> Any:
        sealed = self.to_python(value)
        return sealed.ciphertext if isinstance(sealed, SealedMapping) else sealed

    def value_to_string(self, obj: models.Model) -> str:
        return str(self.get_prep_value(self.value_from_object(obj)))

    def get_lookup(self, lookup_name: str) -> None:
        return None

    def get_transform(self, lookup_name: str) -> None:
        return None
