"""What access control has to know about connectors, told by the package that knows them.

Restrictions and exemptions name connectors and tools by slug and name. Whoever keeps the connectors registers a
`Catalog`; without one, no name is known to be wrong and no connector to be a fork.
"""

from collections.abc import Iterable
from typing import Protocol

from accesscontrol.models import Organization


class Catalog(Protocol):
    def lineage(self, organization: Organization, connector: str) -> tuple[str, ...]:
        """The slugs that it was forked from, nearest first; empty where there is no such connector."""
        ...

    def unknown(self, organization: Organization, connectors: Iterable[str], tools: Iterable[str]) -> list[str]:
        """Those that the organization does not have now, in the order given; tools as `connector.tool_name`."""
        ...


class _NoCatalog:
    def lineage(self, organization: Organization, connector: str) -> tuple[str, ...]:
        return ()

    def unknown(self, organization: Organization, connectors: Iterable[str], tools: Iterable[str]) -> list[str]:
        return []


_catalog: Catalog = _NoCatalog()


def register(catalog: Catalog) -> None:
    """Called once, when the app that keeps the connectors is ready."""
    global _catalog
    _catalog = catalog


def lineage(organization: Organization, connector: str) -> tuple[str, ...]:
    return _catalog.lineage(organization, connector)


def warnings(organization: Organization, connectors: Iterable[str], tools: Iterable[str]) -> list[str]:
    """One sentence for each name that nothing has now. It is no error: rules outlive what catalogs hold."""
    return [
        f"Nothing here is called {name} at present. The rule is kept, and holds as soon as something is."
        for name in unknown(organization, connectors, tools)
    ]


def unknown(organization: Organization, connectors: Iterable[str], tools: Iterable[str]) -> list[str]:
    return _catalog.unknown(organization, connectors, tools)
