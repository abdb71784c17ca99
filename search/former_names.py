"""A call by a name that a tool had before its product renamed it is a call of the tool that it is now."""

from collections.abc import Iterator
from itertools import chain

from django.utils import timezone

from connectors.curation.names import advertised_name
from connectors.former_names import renamed_tool
from search.pool import Pool
from search.shelves import Shelf


def present_name(pool: Pool, name: str) -> str:
    """The name that this pool has for what is called; `name` itself where it is in the pool, or nothing ever was.

    Nothing is looked up unless the pool lacks the name. The tool may be among the restricted ones: a former name opens
    nothing.
    """
    if name in pool.tools or name in pool.restricted:
        return name
    connectors = {shelf.product.connector_id: shelf.product.slug for shelf in pool.shelves}
    found = renamed_tool(name, connectors, now=timezone.now())
    if found is None:
        return name
    connector, tool = found
    names = (_names_of(shelf, tool) for shelf in pool.shelves if shelf.product.connector_id == connector)
    return next(chain.from_iterable(names), name)


def _names_of(shelf: Shelf, tool: str) -> Iterator[str]:
    """As advertised, or told apart from another connector's; none where it was switched off."""
    plain = advertised_name(shelf.product.slug, tool)
    withheld = ((name, entry) for name, (entry, _) in shelf.stock.restricted.items())
    for name, entry in chain(shelf.stock.visible.items(), withheld):
        if entry.ref.tool == tool and entry.advertised_name == plain:
            yield name
