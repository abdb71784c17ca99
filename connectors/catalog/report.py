"""What an import did, or with a dry run would do: as values, as JSON and as lines for people."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from connectors.catalog.document import SkippedOperation
from connectors.models import Connector


@dataclass(frozen=True, kw_only=True)
class Uses:
    """Who would miss a tool: rules as pairs of id and subject, and the names of toolboxes that hold it frozen."""

    restrictions: tuple[tuple[str, str], ...] = ()
    toolboxes: tuple[str, ...] = ()

    def __str__(self) -> str:
        rules = (f"rule {pk} for {subject}" for pk, subject in self.restrictions)
        return ", ".join([*rules, *(f"toolbox {name}" for name in self.toolboxes)])


@dataclass(frozen=True, kw_only=True)
class ImportReport:
    """Tools by name, each list in their order.

    `added`, `changed` and `unchanged` together are the connector's tools; a renamed one is among the changed, under the
    name it has now.
    """

    connector: Connector
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]
    skipped: tuple[SkippedOperation, ...]
    notes: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    """Pairs of the name before and the name now."""
    deprecated: tuple[str, ...] = ()
    """All that the catalog calls deprecated, since now or since before."""
    changes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What is different about each changed tool."""
    used_by: Mapping[str, Uses] = field(default_factory=dict)
    """Who would miss each removed tool, where somebody would."""
    refusal: str = ""
    """Of a dry run: why the import itself would be refused."""

    def as_json(self) -> dict[str, Any]:
        return {
            "connector": self.connector.slug,
            "added": list(self.added),
            "changed": list(self.changed),
            "removed": list(self.removed),
            "unchanged": list(self.unchanged),
            "skipped": [{"operation": it.operation, "reason": it.reason} for it in self.skipped],
            "renamed": [{"old": old, "new": new} for old, new in self.renamed],
            "deprecated": list(self.deprecated),
            "changes": {name: list(said) for name, said in self.changes.items()},
            "used_by": {name: _as_json(uses) for name, uses in self.used_by.items()},
            "refusal": self.refusal,
        }

    def as_text(self, *, dry_run: bool) -> Iterator[str]:
        """One line for each tool that is not as it was, and how many there are of each kind."""
        yield from (f"added     {name}" for name in self.added)
        yield from (f"changed   {name}: {'; '.join(self.changes.get(name, ()))}" for name in self.changed)
        for name in self.removed:
            yield f"removed   {name}{f' (used by {self.used_by[name]})' if name in self.used_by else ''}"
        yield from (f"skipped   {it.operation}: {it.reason}" for it in self.skipped)
        yield from (f"deprecated {name}" for name in self.deprecated)
        yield f"{self.connector.label}: {self.summary}{' (nothing was written)' if dry_run else ''}"

    @property
    def summary(self) -> str:
        counts = {
            "added": len(self.added),
            "changed": len(self.changed),
            "removed": len(self.removed),
            "unchanged": len(self.unchanged),
            "skipped": len(self.skipped),
        }
        extra = {"renamed": len(self.renamed), "deprecated": len(self.deprecated)}
        counts |= {word: number for word, number in extra.items() if number}
        return ", ".join(f"{number} {word}" for word, number in counts.items())


def _as_json(uses: Uses) -> dict[str, Any]:
    return {
        "restrictions": [{"id": pk, "subject": subject} for pk, subject in uses.restrictions],
        "toolboxes": list(uses.toolboxes),
    }
