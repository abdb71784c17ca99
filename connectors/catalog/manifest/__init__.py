"""Our own catalog format: what `export_catalog` writes of a connector, and `import_catalog` reads anywhere."""

from connectors.catalog.manifest.reader import is_manifest, read_manifest
from connectors.catalog.manifest.writer import write_manifest

__all__ = ["is_manifest", "read_manifest", "write_manifest"]
