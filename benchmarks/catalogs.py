"""Time and peak memory of reading real documents, without a database.

    .venv/bin/python benchmarks/catalogs.py FOLDER

Each document is read in a process of its own, so that its memory is its own. Prints a table.
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


def main() -> None:
    parser = argparse.ArgumentParser(description="Time and peak memory of reading each document in a folder.")
    parser.add_argument("folder", type=Path)
    print(
        f"{'document':28}{'seconds':>8}{'peak MiB':>10}{'tools':>7}{'skipped':>9}{'schemas MB':>12}{'largest kB':>12}"
    )
    for path in sorted(parser.parse_args().folder.glob("*.[jy]*")):
        found = measure(path)
        if "error" in found:
            print(f"{path.name:28}{found['error']}")
            continue
        print(
            f"{path.name:28}{found['seconds']:8.2f}{found['peak']:10.0f}{found['tools']:7}{found['skipped']:9}"
            f"{found['schemas']:12.2f}{found['largest']:12.1f}"
        )


if __name__ == "__main__":
    main()
