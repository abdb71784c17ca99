"""What access control has to know about connectors, told by the package that knows them.

Restrictions and exemptions name connectors and tools by slug and name. Whoever keeps the connectors registers a
`Catalog`; without one, no name is known to be wrong and no connector to be a fork.
"""

from collections.abc import Iterable
from typing import Protocol

from accesscontrol.models import Organization
from accesscontrol.policy import ToolRef


class Catalog(Protocol):
    def ref(self, organization: Organization, connector: str, tool: str) -> ToolRef:
        """What the resolver is asked about, with what the two were forked from or called before where they exist."""
        ...

    def unknown(self, organization: Organization, connectors: Iterable[str], tools: Iterable[str]) -> list[str]:
        """Those that the organization does not have now, in the order given; tools as `connector.tool_name`."""
        ...


class _NoCatalog:
    def ref(self, organization: Organization, connector: str, tool: str) -> ToolRef:
        return ToolRef(connector, (), tool)

    def unknown(self, organization: Organization, connectors: Iterable[str], tools: Iterable[str]) -> list[str]:
        return []


_catalog: Catalog = _NoCatalog()


def register(catalog: Catalog) -> None:
    """Called once, when the app that keeps the connectors is ready."""
    global _catalog
    _catalog = catalog


def ref(organization: Organization, connector: str, tool: str) -> ToolRef:
    return _catalog.ref(organization, connector, tool)


def warnings(organization: Organization, connectors: Iterable[str], tools: Iterable[str]) -> list[str]:
    """One sentence for each name that nothing has now. It is no error: rules outlive what catalogs hold."""
    return [
        f"Nothing here is called {name} at present. The rule is kept, and holds as soon as something is."
        for name in unknown(organization, connectors, tools)
    ]


def unknown(organization: Organization, connectors: Iterable[str], tools: Iterable[str]) -> list[str]:
    return _catalog.unknown(organization, connectors, tools)
