"""What is ranked: a tool as its caller would see it."""

from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolDocument:
    """One advertised tool. `key` is opaque: it comes back with the hit and is never looked into."""

    key: Hashable
    name: str
    description: str
    connector_label: str
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AppName:
    """A product a query may name: its label, and what else people call it."""

    label: str
    aliases: tuple[str, ...] = ()
