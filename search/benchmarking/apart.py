"""Runs one measurement in a process of its own, so that nothing before it is counted as its memory."""

import json
import os
import subprocess
import sys
from dataclasses import asdict
from typing import Any

from search.benchmarking.measuring import Job, Measurement, measure
from search.benchmarking.timing import Latency


class MeasurementError(Exception):
    """The process ended without a measurement."""


def measure_apart(job: Job) -> Measurement:
    """Raises MeasurementError."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", __name__, json.dumps(asdict(job))],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise MeasurementError(f"{job.ranker} with {job.size} tools could not be measured: {reason}")
    return _from_json(json.loads(done.stdout))


def _from_json(values: dict[str, Any]) -> Measurement:
    latency = {style: Latency(**one) for style, one in values.pop("latency").items()}
    return Measurement(**values, latency=latency)


if __name__ == "__main__":
    print(json.dumps(asdict(measure(Job(**json.loads(sys.argv[1]))))))
