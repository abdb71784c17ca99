"""What a member leaves behind, told by the packages that know of it.

`accesscontrol` does not know connections or toolboxes; whoever does registers a provider. A holding that others use
needs a new owner before its owner can be removed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from accesscontrol.models import Member


@dataclass(frozen=True, kw_only=True)
class Holding:
    """One thing that a member owns. `used_by` says who would lose it, in words; empty where nobody would."""

    kind: str
    label: str
    used_by: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return f"{self.kind} {self.label}"


type Provider = Callable[[Member], list[Holding]]

_providers: list[Provider] = []


def register(provider: Provider) -> None:
    """Called once for each provider, when its app is ready."""
    if provider not in _providers:
        _providers.append(provider)


def holdings_of(member: Member) -> list[Holding]:
    """Everything the member owns, in the order of the providers."""
    return [holding for provider in _providers for holding in provider(member)]
