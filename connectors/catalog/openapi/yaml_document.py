"""YAML as OpenAPI means it: the scalars of YAML 1.2, and no document that explodes as its aliases expand."""

import re
from itertools import islice
from typing import Any

import yaml

from connectors.catalog.document import CatalogError


def load_yaml(text: str, *, max_nodes: int, max_depth: int) -> Any:
    """Raises CatalogError for a document over the limits, YAMLError and ValueError for what is not YAML."""
    _refuse_too_many(text, max_nodes)
    loader = _Loader(text)
    try:
        root = loader.get_single_node()
        if root is None:
            return None
        # Measured before anything is built: merge keys (`<<`) expand while PyYAML constructs.
        _Measure(max_nodes, max_depth).expanded_size(root)
        return loader.construct_document(root)
    finally:
        loader.dispose()


def _refuse_too_many(text: str, max_nodes: int) -> None:
    """A node takes some 400 bytes, so a text that may hold too many is counted before it is composed.

    No node is written without one of these characters; a mapping's first line makes three nodes of two of them.
    """
    if 2 * sum(map(text.count, "\n:-,[{?")) < max_nodes:
        return
    # A node is one event or two, its start and its end; the document and the stream have theirs too.
    events = islice(yaml.parse(text, _Loader), 2 * max_nodes + 4)
    nodes = sum(isinstance(event, yaml.NodeEvent) for event in events)
    if nodes > max_nodes:
        raise CatalogError(f"The document holds more than {max_nodes:,} values.")


class _Loader(yaml.CSafeLoader):
    """PyYAML reads YAML 1.1, where `no` is false, `12:30` is 750 and `2024-08-13` a date. Not here."""

    # A resolver of its own, not the parent's to add to.
    yaml_implicit_resolvers = {}  # noqa: RUF012


_SCALARS = (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^[-+]?(?:0|[1-9][0-9]*)$", "-+0123456789"),
    (
        "float",
        r"^(?:[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$",
        "-+.0123456789",
    ),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("merge", r"^<<$", "<"),
)
for _tag, _pattern, _first in _SCALARS:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first))


class _Measure:
    """Counts the nodes a document has once every alias is expanded, in time linear in what is written."""

    def __init__(self, max_nodes: int, max_depth: int) -> None:
        self._max_nodes = max_nodes
        self._max_depth = max_depth
        self._sizes: dict[int, int] = {}
        self._open: set[int] = set()

    def expanded_size(self, node: yaml.Node, depth: int = 0) -> int:
        key = id(node)
        if key in self._open:
            raise CatalogError(f"The document holds itself: the alias at line {node.start_mark.line + 1}.")
        if key in self._sizes:
            return self._sizes[key]
        if depth > self._max_depth:
            raise CatalogError(f"The document is nested more than {self._max_depth} levels deep.")
        self._open.add(key)
        size = 1 + sum(self.expanded_size(child, depth + 1) for child in _children(node))
        self._open.remove(key)
        if size > self._max_nodes:
            raise CatalogError(
                f"The document holds more than {self._max_nodes:,} values once its aliases are expanded."
            )
        self._sizes[key] = size
        return size


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []
