"""The operations of a document: found, named, and each made into a tool or skipped with the reason."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from connectors.binding import Binding
from connectors.catalog.annotations import annotations
from connectors.catalog.document import CatalogTool, SkippedOperation
from connectors.catalog.input_schemas import why_uncompilable
from connectors.catalog.naming import OperationId
from connectors.catalog.openapi.arguments import bind
from connectors.catalog.openapi.bodies import BodyReader, UnreadableBodyError
from connectors.catalog.openapi.parameters import ParameterReader
from connectors.catalog.openapi.references import DanglingReferenceError, Document
from connectors.catalog.openapi.schemas import Schema, Schemas
from connectors.catalog.openapi.security import secret_parameters
from connectors.catalog.openapi.servers import base_url
from connectors.catalog.text import plain_text

METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace"})
MAX_DESCRIPTION = 1024
MAX_TITLE = 120
MAX_OPERATION = 300


class UnusableOperationError(Exception):
    """The operation cannot become a tool; the message says why, for people."""


@dataclass(frozen=True, kw_only=True)
class FoundOperation:
    method: str
    path: str
    path_item: dict[str, Any]
    node: dict[str, Any]

    @property
    def label(self) -> str:
        """How the document names it: the operationId, or method and path."""
        operation_id = self.node.get("operationId")
        named = operation_id.strip() if isinstance(operation_id, str) else ""
        return (named or f"{self.method} {self.path}")[:MAX_OPERATION]

    @property
    def identity(self) -> OperationId:
        return OperationId(
            operation_id=_text(self.node.get("operationId")),
            method=self.method,
            path=self.path,
            summary=_text(self.node.get("summary")),
        )


def find_operations(document: Document) -> Iterator[FoundOperation | SkippedOperation]:
    """Every operation in the document's order; what is none, though it stands in its place, as skipped."""
    paths = document.root.get("paths")
    for path, entry in paths.items() if isinstance(paths, dict) else ():
        if path.startswith("x-"):
            continue
        try:
            path_item = document.follow(entry)
        except DanglingReferenceError as error:
            yield SkippedOperation(operation=path, reason=str(error))
            continue
        if not isinstance(path_item, dict):
            yield SkippedOperation(operation=path, reason="the path holds no mapping")
            continue
        yield from _in_path(path, path_item)


def _in_path(path: str, path_item: dict[str, Any]) -> Iterator[FoundOperation | SkippedOperation]:
    for method, node in path_item.items():
        if method.lower() not in METHODS:
            continue
        if isinstance(node, dict):
            yield FoundOperation(method=method.upper(), path=path, path_item=path_item, node=node)
        else:
            label = f"{method.upper()} {path}"[:MAX_OPERATION]
            yield SkippedOperation(operation=label, reason="the operation is no mapping")


class ToolReader:
    """Makes tools of the operations of one document, whose schemas it translates once for all of them."""

    def __init__(self, document: Document, source: str) -> None:
        self._source = source
        self._schemas = Schemas(document)
        self._parameters = ParameterReader(document, self._schemas, secret_parameters(document))
        self._bodies = BodyReader(document, self._schemas)

    def read(self, operation: FoundOperation, name: str) -> CatalogTool | SkippedOperation:
        try:
            return self._tool(operation, name)
        except (UnusableOperationError, UnreadableBodyError, DanglingReferenceError) as error:
            return SkippedOperation(operation=operation.label, reason=str(error))

    def _tool(self, operation: FoundOperation, name: str) -> CatalogTool:
        node = operation.node
        schema, binding = self._bind(operation)
        summary = plain_text(_text(node.get("summary")), MAX_TITLE)
        described = node.get("description") or node.get("summary")
        return CatalogTool(
            name=name,
            operation=operation.label,
            description=plain_text(_text(described), MAX_DESCRIPTION),
            input_schema=schema,
            annotations=annotations(operation.method, summary or name.replace("_", " ").capitalize()),
            binding=binding,
            deprecated=node.get("deprecated") is True,
        )

    def _bind(self, operation: FoundOperation) -> tuple[Schema, Binding]:
        path, query = _wire_path(operation.path)
        parameters = self._parameters.read(path, operation.path_item, operation.node)
        arguments = bind(parameters, self._bodies.read(operation.node))
        schema = self._schemas.with_definitions(arguments.schema)
        # Only a schema that can check arguments is advertised.
        if reason := why_uncompilable(schema):
            raise UnusableOperationError(reason)
        return schema, Binding(
            method=operation.method,
            path=path + query,
            parameters=arguments.parameters,
            body=arguments.body,
            headers=parameters.headers,
            base_url=base_url(operation.node, self._source) or base_url(operation.path_item, self._source),
        )


def _wire_path(path: str) -> tuple[str, str]:
    """The path template and, with its question mark, what it fixes of the query. Raises UnusableOperationError.

    Some documents tell operations of one path apart by a fragment, which never travels, or by a query. There a
    placeholder stands for a parameter that is declared as well.
    """
    path, _, query = path.partition("#")[0].partition("?")
    if not path.startswith("/"):
        raise UnusableOperationError("its path does not start with a slash")
    fixed = "&".join(pair for pair in query.split("&") if pair and "{" not in pair)
    return path, f"?{fixed}" if fixed else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
