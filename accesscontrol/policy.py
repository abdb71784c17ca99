"""The rule of precedence: which connectors and tools a member may reach, decided over plain values.

Two layers are asked, the role's rules and the member's own, and both must admit what is asked for. Within a layer:

1. A block that names the tool, its connector, or a connector that this one was forked from denies it. It names the
   tool by whatever name that has or had, here or where it was forked from: renaming a tool lifts no block.
2. Else, if the layer has no allow rule, it is admitted.
3. Else it is admitted only if an allow rule names the tool or its connector. An allow rule that names nothing still
   counts as one, so on its own it denies everything. Allows are not inherited by forks, and follow no tool that is
   renamed.

An exemption lifts the role layer's denial for what it names, and nothing else. A connector as a whole (no tool given)
is reachable where some tool of it could be: a tool named by an allow admits its connector for that tool alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property


@dataclass(frozen=True)
class ToolRef:
    """What is asked for. `lineage` holds the slugs it was forked from; without `tool` the connector itself is meant.

    `other_names` are what else the tool is or was called, here or in the connectors of its lineage.
    """

    connector: str
    lineage: tuple[str, ...] = ()
    tool: str | None = None
    other_names: tuple[str, ...] = ()


class Mode(StrEnum):
    ALLOW = "allow"
    BLOCK = "block"


class Layer(StrEnum):
    """Whose rules denied."""

    ROLE = "role"
    USER = "user"


class Scope(StrEnum):
    """What was denied: the connector whole, or this tool of it."""

    CONNECTOR = "connector"
    TOOL = "tool"


@dataclass(frozen=True)
class Decision:
    """An answer with its reason: `layer` and `scope` stand only where it is a denial."""

    allowed: bool
    layer: Layer | None = None
    scope: Scope | None = None


ALLOWED = Decision(allowed=True)


@dataclass(frozen=True)
class Names:
    """Connectors by slug, and tools as pairs of slug and name."""

    connectors: frozenset[str] = frozenset()
    tools: frozenset[tuple[str, str]] = frozenset()

    def __or__(self, other: "Names") -> "Names":
        return Names(self.connectors | other.connectors, self.tools | other.tools)

    def hold(self, ref: ToolRef) -> bool:
        return ref.connector in self.connectors or (ref.connector, ref.tool) in self.tools

    def touch(self, connector: str) -> bool:
        return connector in self.connectors or connector in self._tools_by_connector

    def about(self, connectors: tuple[str, ...]) -> "Names":
        """Those of these connectors alone."""
        mine = [self._tools_by_connector[slug] for slug in connectors if slug in self._tools_by_connector]
        return Names(self.connectors.intersection(connectors), frozenset().union(*mine))

    @cached_property
    def _tools_by_connector(self) -> dict[str, frozenset[tuple[str, str]]]:
        found: dict[str, set[tuple[str, str]]] = {}
        for pair in self.tools:
            found.setdefault(pair[0], set()).add(pair)
        return {connector: frozenset(pairs) for connector, pairs in found.items()}


@dataclass(frozen=True)
class Rule:
    """One restriction as a plain value."""

    mode: Mode
    names: Names = field(default_factory=Names)


@dataclass(frozen=True)
class CompiledLayer:
    """A layer's rules, united. `allows` is None where no allow rule exists."""

    allows: Names | None
    blocks: Names

    def denial(self, ref: ToolRef) -> Scope | None:
        for connector in (ref.connector, *ref.lineage):
            if connector in self.blocks.connectors:
                return Scope.CONNECTOR
            if (connector, ref.tool) in self.blocks.tools:
                return Scope.TOOL
            if any((connector, name) in self.blocks.tools for name in ref.other_names):
                return Scope.TOOL
        if self.allows is None or self.allows.hold(ref):
            return None
        if ref.tool is None:
            return None if self.allows.touch(ref.connector) else Scope.CONNECTOR
        return Scope.TOOL if self.allows.touch(ref.connector) else Scope.CONNECTOR

    def leaves_alone(self, connector: str, lineage: tuple[str, ...]) -> bool:
        """No rule of this layer can deny any tool of the connector."""
        return self.allows is None and not any(self.blocks.touch(slug) for slug in (connector, *lineage))

    def about(self, connector: str, lineage: tuple[str, ...]) -> "CompiledLayer":
        return CompiledLayer(
            allows=None if self.allows is None else self.allows.about((connector,)),
            blocks=self.blocks.about((connector, *lineage)),
        )


def compile_layer(rules: Iterable[Rule]) -> CompiledLayer:
    """Within a layer allows union and blocks union."""
    allows: list[Names] = []
    blocks: list[Names] = []
    for rule in rules:
        (blocks if rule.mode is Mode.BLOCK else allows).append(rule.names)
    return CompiledLayer(_united(allows) if allows else None, _united(blocks))


def _united(all_names: Sequence[Names]) -> Names:
    """In one pass each: uniting one by one would copy the growing sets once a rule."""
    return Names(
        connectors=frozenset().union(*(names.connectors for names in all_names)),
        tools=frozenset().union(*(names.tools for names in all_names)),
    )


@dataclass(frozen=True)
class Policy:
    """Everything that decides for one member."""

    role: CompiledLayer
    user: CompiledLayer
    exemptions: Names = field(default_factory=Names)

    def decide(self, ref: ToolRef) -> Decision:
        """Allowed only if both layers admit it. The member's own layer is asked first: no exemption lifts it."""
        scope = self.user.denial(ref)
        if scope is not None:
            return Decision(allowed=False, layer=Layer.USER, scope=scope)
        scope = self.role.denial(ref)
        if scope is not None and not self._exempt(ref):
            return Decision(allowed=False, layer=Layer.ROLE, scope=scope)
        return ALLOWED

    def leaves_alone(self, connector: str, lineage: tuple[str, ...]) -> bool:
        """Every tool of the connector is allowed, so that none of them need be asked about."""
        return self.user.leaves_alone(connector, lineage) and self.role.leaves_alone(connector, lineage)

    def about(self, connector: str, lineage: tuple[str, ...]) -> "Policy":
        """What decides on this connector alone: equal where the decisions on it and on all its tools must be."""
        if self.leaves_alone(connector, lineage):
            return UNRESTRICTED
        return Policy(
            role=self.role.about(connector, lineage),
            user=self.user.about(connector, lineage),
            exemptions=self.exemptions.about((connector,)),
        )

    def _exempt(self, ref: ToolRef) -> bool:
        return self.exemptions.touch(ref.connector) if ref.tool is None else self.exemptions.hold(ref)


UNRESTRICTED = Policy(role=compile_layer(()), user=compile_layer(()))
