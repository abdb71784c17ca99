"""How much memory a pool takes: `python -m benchmarks.ranking_memory`. One process a size, peak resident size.

Counts the interpreter with numpy apart, then what is added by the tools' own text, the parts that a server would
cache, and the assembled pool.
"""

import multiprocessing
import resource
import sys

from benchmarks.test_ranking_speed import catalog
from search.ranking import PROFILES, PoolIndex

SIZES = (1_000, 10_000, 100_000)
TOOLS_A_CONNECTOR = 100


def resident() -> float:
    """Peak so far, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024 if sys.platform != "darwin" else peak / 1024**2


def measure(size: int) -> None:
    profile, start = PROFILES["default"], resident()
    tools = catalog(size)
    text = resident()
    parts = [profile.extract(tools[at : at + TOOLS_A_CONNECTOR]) for at in range(0, size, TOOLS_A_CONNECTOR)]
    cached = resident()
    index = PoolIndex.assemble(parts)
    index.search("list something")
    whole = resident()
    print(
        f"{size:>7} tools: text {text - start:.0f}, cached parts {cached - text:.0f}, pool {whole - cached:.0f}, "
        f"process {whole:.0f} MiB",
        flush=True,
    )


if __name__ == "__main__":
    for size in SIZES:
        process = multiprocessing.get_context("spawn").Process(target=measure, args=(size,))
        process.start()
        process.join()
