"""What a schema cannot say of a document in our format; a document may come from anybody.

A tool's input schema must compile without anything from elsewhere, its binding must send each argument exactly once,
and no header of it may be one that is ours to set, such as the one that carries the account's credential.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from connectors.catalog.document import CatalogError
from connectors.catalog.input_schemas import flaw_of
from connectors.catalog.manifest.published import validator
from connectors.execution.headers import RESERVED_HEADERS
from connectors.execution.problems import UNKNOWN, describe

_PLACEHOLDER = re.compile(r"\{([^{}/]+)\}")

type Node = Mapping[str, Any]


def check(document: Node) -> None:
    """Raises CatalogError, which names the place of what is wrong."""
    if problems := describe(validator().iter_errors(document)):
        first = problems[0]
        raise _error(
            first.path or "its root", "the format knows no such member" if first.reason == UNKNOWN else first.reason
        )
    for place, flaw in _flaws(document):
        raise _error(place, flaw)


def _error(place: str, flaw: str) -> CatalogError:
    return CatalogError(f"The catalog is not valid at {place}: {flaw}.")


def _flaws(document: Node) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for index, tool in enumerate(document["tools"]):
        place = f"/tools/{index}"
        if tool["name"] in seen:
            yield f"{place}/name", f"there is another tool {tool['name']}"
        seen.add(tool["name"])
        if flaw := flaw_of(tool["input_schema"]):
            yield f"{place}/input_schema", flaw
        is_mcp = "kind" in tool["binding"]
        if is_mcp != (document["connector"]["kind"] == "mcp"):
            yield f"{place}/binding", "it is for a connector of another kind"
        if not is_mcp:
            yield from _binding_flaws(f"{place}/binding", tool["binding"], tool["input_schema"]["properties"])


def _binding_flaws(place: str, binding: Node, properties: Node) -> Iterator[tuple[str, str]]:
    parameters, body = binding.get("parameters", ()), binding.get("body") or {}
    bound = Counter([*(it["argument"] for it in parameters), *_arguments_of(body)])
    for argument in bound.keys() | properties.keys():
        if bound[argument] != 1 or argument not in properties:
            yield place, f"the argument {argument} must be in the input schema and be sent once"
    for argument in body.get("files", ()):
        if argument not in _arguments_of(body):
            yield f"{place}/body/files", f"{argument} is no argument of the body"
    named = Counter(it["name"] for it in parameters if it["location"] == "path")
    placeholders = set(_PLACEHOLDER.findall(binding["path"].partition("?")[0]))
    if set(named) != placeholders or any(number > 1 for number in named.values()):
        yield f"{place}/path", "its placeholders are not its parameters in the path"
    for name in _header_names(binding):
        if name.lower() in RESERVED_HEADERS:
            yield place, f"the header {name} is not for a catalog to set"


def _arguments_of(body: Node) -> list[str]:
    if body.get("argument"):
        return [body["argument"]]
    return [argument for argument, _ in body.get("properties", ())]


def _header_names(binding: Node) -> Iterator[str]:
    yield from (name for name, _ in binding.get("headers", ()))
    yield from (it["name"] for it in binding.get("parameters", ()) if it["location"] == "header")
