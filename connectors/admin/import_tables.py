"""What an import would do, as tables for people."""

from dataclasses import dataclass
from typing import Any

from connectors.admin.pages import table
from connectors.catalog.report import ImportReport


@dataclass(frozen=True)
class ImportTables:
    """Each is None where it would be empty."""

    report: ImportReport

    @property
    def removed(self) -> dict[str, Any] | None:
        used_by = self.report.used_by
        rows = [[name, str(used_by.get(name, "")) or "nobody"] for name in self.report.removed]
        return table(["Tool", "Used by"], rows) if rows else None

    @property
    def renamed(self) -> dict[str, Any] | None:
        return table(["Before", "Now"], [list(pair) for pair in self.report.renamed]) if self.report.renamed else None

    @property
    def changed(self) -> dict[str, Any] | None:
        rows = [[name, "; ".join(self.report.changes.get(name, ()))] for name in self.report.changed]
        return table(["Tool", "What is different"], rows) if rows else None

    @property
    def added(self) -> dict[str, Any] | None:
        return table(["Tool"], [[name] for name in self.report.added]) if self.report.added else None

    @property
    def skipped(self) -> dict[str, Any] | None:
        rows = [[it.operation, it.reason] for it in self.report.skipped]
        return table(["Operation", "Why it is left out"], rows) if rows else None

    @property
    def deprecated(self) -> dict[str, Any] | None:
        return table(["Tool"], [[name] for name in self.report.deprecated]) if self.report.deprecated else None
