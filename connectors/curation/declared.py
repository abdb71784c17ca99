"""What an object's schema says of its members, however it says it: itself, by reference, or in parts."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

type Schema = dict[str, Any]

_DEPTH = 8
"""Parts of parts and references to references further down than this are a circle."""
_MEMBERS = "elaichi_members"
_NOTES = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"})


def inlined(node: Any, root: Schema) -> Schema:
    """The node, or what its local reference leads to, with what stands beside it; nothing outside is fetched."""
    for _ in range(_DEPTH):
        if not isinstance(node, dict):
            return {}
        if "$ref" not in node:
            return node
        beside = {key: value for key, value in node.items() if key != "$ref"}
        target = _at(root, str(node["$ref"]))
        # What stands beside a reference holds as well as what it leads to; notes replace those there.
        overlap = set(target) & set(beside) - _NOTES
        node = {**beside, "allOf": [*beside.get("allOf", ()), target]} if overlap else {**target, **beside}
    return {}


def anchored(root: Schema) -> Schema:
    """The same schema, with no reference into its own members: one of them can be taken out then."""
    text = json.dumps(root)
    if '"$ref": "#/properties/' not in text:
        return root
    moved = json.loads(text.replace('"$ref": "#/properties/', f'"$ref": "#/$defs/{_MEMBERS}/properties/'))
    return {**moved, "$defs": {**moved.get("$defs", {}), _MEMBERS: {"properties": moved["properties"]}}}


def members(node: Any, root: Schema, depth: int = _DEPTH) -> dict[str, Schema]:
    """By name, what holds for each declared member: where several parts speak of one, all of them together."""
    if depth == 0:
        return {}
    node = inlined(node, root)
    found: dict[str, list[Schema]] = defaultdict(list)
    _gather(found, [node.get("properties", {})])
    _gather(found, (members(part, root, depth - 1) for part in node.get("allOf", ())))
    for keyword in ("anyOf", "oneOf"):
        choices: dict[str, list[Schema]] = defaultdict(list)
        _gather(choices, (members(part, root, depth - 1) for part in node.get(keyword, ())))
        _gather(found, [{name: _joined(subs, "anyOf") for name, subs in choices.items()}])
    return {name: _joined(subs, "allOf") for name, subs in found.items()}


def is_object(value: Any, node: Any, root: Schema) -> bool:
    """Whether the value's members are set one by one: an object of named members. Everything else is set whole."""
    return isinstance(value, dict) and bool(value) and bool(members(node, root))


def parts_of(node: Schema) -> Iterator[tuple[str, list[Any]]]:
    for keyword in ("allOf", "anyOf", "oneOf"):
        if isinstance(node.get(keyword), list):
            yield keyword, node[keyword]


def _gather(found: dict[str, list[Schema]], several: Iterable[dict[str, Schema]]) -> None:
    for named in several:
        for name, schema in named.items():
            found[name].append(schema)


def _joined(schemas: list[Schema], keyword: str) -> Schema:
    return schemas[0] if len(schemas) == 1 else {keyword: schemas}


def _at(root: Schema, reference: str) -> Schema:
    """What a JSON pointer in a URI fragment leads to (RFC 6901, section 6); nothing where it leads nowhere."""
    node: Any = root
    if not reference.startswith("#"):
        return {}
    for part in filter(None, reference[1:].split("/")):
        key = part.replace("~1", "/").replace("~0", "~")
        node = node.get(key) if isinstance(node, dict) else None
    return node if isinstance(node, dict) else {}
