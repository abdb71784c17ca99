"""Measures what search costs at several pool sizes: building, memory and latency, with peers beside it."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from search.benchmarking.apart import MeasurementError, measure_apart
from search.benchmarking.measuring import Job, Measurement
from search.benchmarking.table import text_table
from search.evaluation.choices import choose, positive_numbers
from search.evaluation.dataset import load_tools
from search.evaluation.exceptions import EvaluationError
from search.evaluation.peers import PEERS, installed_peers, peer
from search.ranking import PROFILES


class Command(BaseCommand):
    help = "Measure what search costs at several pool sizes. docs/evaluating.md says how."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--sizes", default="100,1000,10000,100000", help="Tools in a pool.")
        parser.add_argument("--profiles", default="default", help=f"From {', '.join(sorted(PROFILES))}.")
        parser.add_argument("--peers", help=f"From {', '.join(PEERS)}; else those that are installed.")
        parser.add_argument("--queries", type=int, default=200, help="How many of each style.")
        parser.add_argument("--tools", type=Path, metavar="FILE", help="Real tools, as JSON Lines; else invented ones.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            measured = self._measure(_jobs(options))
        except (EvaluationError, MeasurementError) as error:
            raise CommandError(str(error)) from None
        if options["json"]:
            self.stdout.write(json.dumps([asdict(one) for one in measured]))
        else:
            self.stdout.write(text_table(measured, queries=options["queries"]))

    def _measure(self, jobs: list[Job]) -> list[Measurement]:
        measured = []
        with tqdm(jobs, unit=" measurements", file=sys.stderr) as bar:
            for job in bar:
                bar.set_description(f"{job.ranker}, {job.size} tools")
                measured.append(measure_apart(job))
        return measured


def _jobs(options: dict[str, Any]) -> list[Job]:
    """Raises EvaluationError for whatever is wrong with the options, before anything is measured."""
    if options["queries"] < 1:
        raise EvaluationError("--queries must be at least 1.")
    if options["tools"]:
        load_tools(options["tools"])
    given = options["peers"]
    peers = installed_peers() if given is None else choose(given, PEERS, kind="peer")
    rankers = [*choose(options["profiles"], PROFILES, kind="profile"), *(peer(name).name for name in peers)]
    if not rankers:
        raise EvaluationError("Nothing to measure: name a profile or a peer.")
    return [
        Job(
            ranker=ranker,
            is_peer=ranker in PEERS,
            size=size,
            queries=options["queries"],
            tools=str(options["tools"].absolute()) if options["tools"] else "",
        )
        for size in positive_numbers(options["sizes"], kind="number of tools")
        for ranker in rankers
    ]
