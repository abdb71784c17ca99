"""Reads OpenAPI 2.0, 3.0 and 3.1 documents: bytes in, a `Catalog` out, nothing fetched and nothing stored."""

from connectors.catalog.openapi.reader import read_openapi

__all__ = ["read_openapi"]
