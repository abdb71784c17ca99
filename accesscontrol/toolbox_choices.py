"""Which toolboxes a member may confine a client to, told by the package that keeps toolboxes."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from accesscontrol.models import Member


@dataclass(frozen=True, kw_only=True)
class ToolboxChoice:
    id: UUID
    name: str


type Provider = Callable[[Member], list[ToolboxChoice]]

_provider: Provider | None = None


def register(provider: Provider) -> None:
    """Called once, when the app that keeps toolboxes is ready."""
    global _provider
    _provider = provider


def choices_for(member: Member) -> list[ToolboxChoice]:
    """Those that the member can use, by name; empty where nobody keeps toolboxes."""
    return _provider(member) if _provider is not None else []
