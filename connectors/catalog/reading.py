"""Reads documents of any format that there is a reader for; a document says itself of which format it is."""

from collections.abc import Sequence

from connectors.catalog.document import Catalog
from connectors.catalog.joining import joined
from connectors.catalog.manifest import is_manifest, read_manifest
from connectors.catalog.openapi.loading import load_document
from connectors.catalog.openapi.reader import Progress, read_root


def read_catalog(data: bytes, *, source: str, progress: Progress = iter) -> Catalog:
    """The catalog of an OpenAPI document, or of one in our own format; JSON or YAML. Raises CatalogError.

    `source` is where the document came from: an OpenAPI document's servers may be relative to that.
    """
    root = load_document(data)
    return read_manifest(root) if is_manifest(root) else read_root(root, source=source, progress=progress)


def read_catalogs(documents: Sequence[tuple[str, bytes]], *, progress: Progress = iter) -> Catalog:
    """The catalog of several documents of one product, each with where it came from. Raises CatalogError."""
    return joined([read_catalog(data, source=source, progress=progress) for source, data in documents])
