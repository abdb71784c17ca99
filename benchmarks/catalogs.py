"""Time and peak memory of reading real documents, and of importing all of them into PostgreSQL.

    .venv/bin/python benchmarks/catalogs.py FOLDER

Each document is read in a process of its own, so that its memory is its own. Then one more process imports them all,
one after another, into one organization of a database that is gone in the end. Prints a table each.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

MEASURE = """
import json, resource, sys, time
from pathlib import Path
from connectors.catalog.document import CatalogError
from connectors.catalog.openapi import read_openapi

path = Path(sys.argv[1])
started = time.perf_counter()
try:
    catalog = read_openapi(path.read_bytes(), source=str(path))
except CatalogError as error:
    print(json.dumps({"error": str(error)}))
    sys.exit()
seconds = time.perf_counter() - started
schemas = [json.dumps(tool.input_schema) for tool in catalog.tools]
print(json.dumps({
    "seconds": seconds,
    "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    "tools": len(catalog.tools),
    "skipped": len(catalog.skipped),
    "schemas": sum(map(len, schemas)) / 1e6,
    "largest": max(map(len, schemas)) / 1e3,
}))
"""


def measure(path: Path) -> dict[str, float | str]:
    command = [sys.executable, "-c", MEASURE, str(path.resolve())]
    result: dict[str, float | str] = json.loads(subprocess.check_output(command, cwd=ROOT))
    return result


IMPORT_ALL = """
import json, resource, sys, time
from pathlib import Path

sys.path.insert(0, "benchmarks")
from scratch import organization, scratch_database

with scratch_database():
    from django.db import connection

    from accesscontrol.models import Surface
    from connectors.catalog.importer import import_catalog
    from connectors.catalog.reading import read_catalog

    home = organization("acme")
    reading = writing = tools = skipped = 0
    for path in sorted(Path(sys.argv[1]).glob("*.[jy]*")):
        started = time.perf_counter()
        catalog = read_catalog(path.read_bytes(), source=str(path))
        read = time.perf_counter()
        report = import_catalog(
            organization=home,
            catalog=catalog,
            slug=path.stem.replace(".", "-"),
            label=path.stem,
            base_url=catalog.base_url or "https://example.com",
            surface=Surface.SYSTEM,
        )
        reading, writing = reading + read - started, writing + time.perf_counter() - read
        tools, skipped = tools + len(report.added), skipped + len(report.skipped)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_total_relation_size('connectors_tool')")
        size = cursor.fetchone()[0]
    print(json.dumps({
        "reading": reading,
        "writing": writing,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "tools": tools,
        "skipped": skipped,
        "stored": size / 2**20,
    }))
"""


def import_all(folder: Path) -> dict[str, float]:
    command = [sys.executable, "-c", IMPORT_ALL, str(folder.resolve())]
    result: dict[str, float] = json.loads(subprocess.check_output(command, cwd=ROOT))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    print(
        f"{'document':28}{'seconds':>8}{'peak MiB':>10}{'tools':>7}{'skipped':>9}{'schemas MB':>12}{'largest kB':>12}"
    )
    for path in sorted(folder.glob("*.[jy]*")):
        found = measure(path)
        if "error" in found:
            print(f"{path.name:28}{found['error']}")
            continue
        print(
            f"{path.name:28}{found['seconds']:8.2f}{found['peak']:10.0f}{found['tools']:7}{found['skipped']:9}"
            f"{found['schemas']:12.2f}{found['largest']:12.1f}"
        )
    found = import_all(folder)
    print(
        f"\nall, into PostgreSQL: {found['reading'] + found['writing']:.1f} s ({found['reading']:.1f} reading, "
        f"{found['writing']:.1f} writing), peak {found['peak']:.0f} MiB, {found['tools']} tools, "
        f"{found['skipped']} skipped, {found['stored']:.1f} MiB stored with indexes"
    )


if __name__ == "__main__":
    main()
