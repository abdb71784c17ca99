"""A tool with some of its arguments set beforehand: what is left to advertise, and what a call then sends.

Two objects say what is set, shaped as the tool's arguments are. `fixed` holds values that a caller cannot set: they
leave the advertised schema, and sending one is refused even where the value is the same. `defaults` hold values that a
caller may replace: they stay in the schema as `default` and are required no longer. In an object of named members only
the given members are set; everything else is set whole, a list or an object of free names too.

The advertised schema says what a caller may send, and where taking members out of a rule would twist it (`if`, `not`,
counts), leaves that rule out: what is sent in the end is checked against the whole schema once more.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from accesscontrol.exceptions import Problem
from connectors.curation.declared import Schema, anchored, inlined, is_object, members, parts_of
from connectors.execution.problems import UNKNOWN, pointer
from connectors.execution.validation import validate

type Values = Mapping[str, Any]
type Tree = dict[str, "Tree | None"]
"""Which members are set whole (None), and which in part."""

_LEFT_TO_THE_WHOLE = (
    "if",
    "then",
    "else",
    "not",
    "dependentSchemas",
    "dependentRequired",
    "minProperties",
    "maxProperties",
)
_ALONE = "value"
_OF_THE_WHOLE = ("properties", "$defs", "definitions")
"""What a reference of a member can lead to."""


def frozen(schema: Schema, fixed: Values, defaults: Values) -> Schema:
    """The schema that a caller is shown. What it changes is written out; shared definitions stay as they are."""
    schema = anchored(schema) if fixed else schema
    shown = _without(schema, _tree(schema, fixed, schema), schema) if fixed else schema
    return _with_defaults(shown, defaults, shown) if defaults else shown


def merged(arguments: Values, fixed: Values, defaults: Values) -> dict[str, Any]:
    """What is sent: fixed over given over default, member by member."""
    return _over(fixed, _over(arguments, defaults))


def refused(schema: Schema, arguments: Values, fixed: Values) -> list[Problem]:
    """A problem for each argument that a caller gave and must not, at whatever depth."""
    return [
        Problem(pointer(path), "is fixed for this tool and cannot be set; leave it out")
        for path in _given(arguments, _tree(schema, fixed, schema), ())
    ]


def check(schema: Schema, fixed: Values, defaults: Values) -> list[Problem]:
    """What is wrong with values that are about to be saved, each by its path under `/fixed` or `/defaults`."""
    found = [
        *_misfits(schema, fixed, ("fixed",)),
        *_misfits(schema, defaults, ("defaults",)),
    ]
    overlapping = _given(defaults, _tree(schema, fixed, schema), ("defaults",))
    return found + [Problem(pointer(path), "is fixed already, so that no default can apply") for path in overlapping]


def leaves(schema: Schema, values: Values) -> Iterator[tuple[tuple[str, ...], Any, Schema | None]]:
    """Each value that is set whole, with its path and what the schema says of it; None where it says nothing."""
    return _leaves(schema, values, schema, ())


def _tree(node: Any, values: Values, root: Schema) -> Tree:
    """An object whose every member is fixed is fixed whole."""
    tree: Tree = {}
    declared = members(node, root)
    for name, value in values.items():
        tree[name] = None
        if name in declared and is_object(value, declared[name], root):
            inner = _tree(declared[name], value, root)
            if any(inner.get(member, inner) is not None for member in members(declared[name], root)):
                tree[name] = inner
    return tree


def _without(node: Any, tree: Tree, root: Schema) -> Schema:
    """The object's schema, and that of each of its parts, without what is fixed."""
    kept = {key: value for key, value in inlined(node, root).items() if key not in _LEFT_TO_THE_WHOLE}
    for keyword, parts in list(parts_of(kept)):
        del kept[keyword]
        if keyword == "allOf":
            kept["allOf"] = [_without(part, tree, root) for part in parts]
        else:
            _keep_choices(kept, [_without(part, tree, root) for part in parts if _can_hold(part, tree, root)])
    properties, optional = {}, set(tree)
    for name, member in kept.get("properties", {}).items():
        inner = tree.get(name, {})
        if inner is not None:
            properties[name] = _without(member, inner, root) if inner else member
        if inner and _requires(properties[name]):
            optional.discard(name)
    return _with_members(kept, properties, optional)


def _keep_choices(kept: Schema, choices: list[Schema]) -> None:
    """`oneOf` becomes `anyOf`: without what told them apart, a caller's arguments may fit several."""
    if not choices:
        return
    if len(choices) == 1 and not set(choices[0]) & set(kept):
        kept.update(choices[0])
    elif "anyOf" in kept:
        kept["allOf"] = [*kept.get("allOf", ()), {"anyOf": choices}]
    else:
        kept["anyOf"] = choices


def _can_hold(part: Any, tree: Tree, root: Schema) -> bool:
    """Whether a choice leaves room for what is fixed: not where it is no object, or a closed one without them."""
    part = inlined(part, root)
    types = part.get("type", "object")
    if "object" not in ([types] if isinstance(types, str) else types):
        return False
    return part.get("additionalProperties") is not False or set(tree) <= set(part.get("properties", ()))


def _with_members(node: Schema, properties: Schema, optional: set[str]) -> Schema:
    """The object's schema with these members, of which `optional` need not be given."""
    found = {**node, "properties": properties} if "properties" in node else dict(node)
    required = [name for name in found.pop("required", ()) if name not in optional]
    if isinstance(found.get("type"), list):
        # Something of it is set, so it is there and an object: no null.
        found["type"] = "object"
    return {**found, "required": required} if required else found


def _requires(node: Schema) -> bool:
    return bool(node.get("required")) or any(_requires(part) for part in node.get("allOf", ()))


def _with_defaults(node: Any, values: Values, root: Schema) -> Schema:
    kept = dict(inlined(node, root))
    for keyword, parts in list(parts_of(kept)):
        kept[keyword] = [_with_defaults(part, values, root) if members(part, root) else part for part in parts]
    properties, optional = dict(kept.get("properties", {})), set(values)
    for name, value in values.items():
        if name not in properties:
            continue
        if not is_object(value, properties[name], root):
            properties[name] = {**properties[name], "default": value}
            continue
        properties[name] = _with_defaults(properties[name], value, root)
        if _requires(properties[name]):
            optional.discard(name)
    found = {**kept, "properties": properties} if "properties" in kept else kept
    required = [name for name in found.pop("required", ()) if name not in optional]
    return {**found, "required": required} if required else found


def _over(upper: Values, lower: Values) -> dict[str, Any]:
    found = dict(lower)
    for name, value in upper.items():
        below = found.get(name)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            value = _over(value, below)
        found[name] = value
    return found


def _given(arguments: Values, tree: Tree, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for name, inner in tree.items():
        if name not in arguments:
            continue
        if inner is None:
            yield (*path, name)
        elif isinstance(arguments[name], Mapping):
            yield from _given(arguments[name], inner, (*path, name))


def _leaves(
    node: Any, values: Values, root: Schema, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any, Schema | None]]:
    declared = members(node, root)
    for name, value in values.items():
        member = declared.get(name)
        if member is not None and is_object(value, member, root):
            yield from _leaves(member, value, root, (*path, name))
        else:
            yield (*path, name), value, member


def _misfits(schema: Schema, values: Values, place: tuple[str, ...]) -> Iterator[Problem]:
    for path, value, member in _leaves(schema, values, schema, ()):
        if member is None:
            yield Problem(pointer((*place, *path)), UNKNOWN)
            continue
        # The rules of one member, asked alone: what else the tool requires is not set yet.
        alone = {**schema, "properties": {**schema.get("properties", {}), _ALONE: member}}
        for problem in validate({key: alone[key] for key in alone if key in _OF_THE_WHOLE}, {_ALONE: value}):
            inside = problem.path.removeprefix(f"/{_ALONE}")
            yield Problem(pointer((*place, *path)) + inside, problem.reason)
