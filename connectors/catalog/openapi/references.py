"""An OpenAPI document and the way through its own `$ref`s. Nothing outside the document is ever fetched."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote


class DanglingReferenceError(Exception):
    """A `$ref` that leads nowhere in this document: to nothing, to another document, or round in a circle."""

    def __init__(self, reference: str) -> None:
        super().__init__(f"the reference {reference!r} leads to nothing in this document")
        self.reference = reference


class Document:
    """Values as `load_document` returns them. `dangling` gathers the references that led nowhere.

    `moved` says which keys of the root stand elsewhere in it than the document's references say.
    """

    def __init__(self, root: dict[str, Any], *, moved: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self.root = root
        self._moved = moved or {}
        self.dangling: dict[str, None] = {}
        self.is_3_0 = str(root.get("openapi", "")).startswith("3.0")

    def follow(self, node: Any) -> Any:
        """The node itself, or what its `$ref` leads to in the end. Raises DanglingReferenceError."""
        reference = reference_of(node)
        return node if reference is None else self.target(reference)[1]

    def follow_or_none(self, node: Any) -> Any:
        """As `follow`, for places that can do without: notes a dangling reference and returns None."""
        try:
            return self.follow(node)
        except DanglingReferenceError as error:
            self.dangling[error.reference] = None
            return None

    def target(self, reference: str) -> tuple[tuple[str, ...], Any]:
        """Where a reference leads in the end: the keys to it and the node. Raises DanglingReferenceError."""
        seen = set()
        following: str | None = reference
        while following is not None:
            if following in seen:
                raise DanglingReferenceError(reference)
            seen.add(following)
            first, *rest = _path(following)
            path = (*self._moved.get(first, (first,)), *rest)
            node = self._at(path, reference)
            following = reference_of(node)
        return path, node

    def _at(self, path: tuple[str, ...], reference: str) -> Any:
        node: Any = self.root
        for key in path:
            try:
                node = node[int(key)] if isinstance(node, list) else node[key]
            except (KeyError, IndexError, ValueError, TypeError) as error:
                raise DanglingReferenceError(reference) from error
        return node


def reference_of(node: Any) -> str | None:
    """The `$ref` of a node; None where it has none, or where `$ref` is an ordinary property."""
    reference = node.get("$ref") if isinstance(node, dict) else None
    return reference if isinstance(reference, str) else None


def _path(reference: str) -> tuple[str, ...]:
    """The keys of a JSON pointer in a URI fragment (RFC 6901, section 6)."""
    document, _, fragment = reference.partition("#")
    pointer = unquote(fragment)
    if document or not pointer.startswith("/"):
        raise DanglingReferenceError(reference)
    return tuple(key.replace("~1", "/").replace("~0", "~") for key in pointer[1:].split("/"))
