"""Where a connector's calls go besides its own address: declared by the first import, and noted by each."""

from collections import Counter
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from connectors.catalog.document import Catalog, CatalogTool
from connectors.models import Connector


def declared_hosts(connector: Connector, catalog: Catalog) -> list[str]:
    """What a connector that is new may call: what the catalog says, or else every host that its tools name."""
    return sorted(_other_hosts(connector, catalog.tools) if catalog.hosts is None else catalog.hosts)


def notes_on_hosts(connector: Connector, tools: Iterable[CatalogTool]) -> Iterator[str]:
    """A sentence for each other host that the document sends this connector's calls to."""
    for host, number in _other_hosts(connector, tools).items():
        if host in connector.hosts:
            yield f"By the document, {number} of the tools call {host}, with the account's credential."
        else:
            yield f"{number} of the tools call {host}, which is refused until it is one of the connector's hosts."


def _other_hosts(connector: Connector, tools: Iterable[CatalogTool]) -> Counter[str]:
    """How many tools go to each host that is not the connector's own."""
    home = urlsplit(connector.base_url).netloc.lower()
    hosts = (urlsplit(url).netloc.lower() for tool in tools if (url := own_base_url(tool)))
    return Counter(host for host in hosts if host != home)


def own_base_url(tool: CatalogTool) -> str:
    """Empty where the tool goes to its connector's address."""
    return str(tool.binding.to_json().get("base_url", ""))
