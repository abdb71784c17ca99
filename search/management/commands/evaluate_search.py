"""Measures how well search finds tools over labelled queries, profiles and peers side by side."""

import json
import sys
from argparse import SUPPRESS
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from accesscontrol.management.arguments import organization_by_slug
from search.evaluation.choices import choose, positive_numbers, split_names
from search.evaluation.curve import Curve, sweep
from search.evaluation.dataset import (
    LabelledQuery,
    LabelledTool,
    answerable_here,
    load_queries,
    load_tools,
    select,
)
from search.evaluation.exceptions import EvaluationError
from search.evaluation.logged import queries_of, tools_of
from search.evaluation.peers import PEERS, peer
from search.evaluation.rankers import ProfileFactory, RankerFactory
from search.evaluation.report import render_report, write_report
from search.evaluation.scoring import SEED, Measures, evaluate
from search.evaluation.tables import text_table, values, write_csv
from search.ranking import PROFILES


class Command(BaseCommand):
    help = "Measure how well search finds tools over labelled queries. docs/evaluating.md says what is measured."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tools", type=Path, metavar="FILE", help="Tools, as JSON Lines.")
        parser.add_argument("--queries", type=Path, metavar="FILE", help="Labelled queries, likewise.")
        parser.add_argument("--organization", metavar="SLUG", help="Instead of files: its tools and logged queries.")
        parser.add_argument("--profiles", default="default", help=f"From {', '.join(sorted(PROFILES))}.")
        parser.add_argument("--peers", default="", help=f"From {', '.join(PEERS)}.")
        parser.add_argument("--sizes", default="1,5,20", help="How many apps a member has connected.")
        parser.add_argument("--sets", default="", help="Only these sets of queries.")
        parser.add_argument("--limit", type=int, default=0, help="At most this many queries a set.")
        parser.add_argument("--seed", type=int, default=SEED, help=SUPPRESS)
        parser.add_argument("--csv", type=Path, metavar="FILE", help="Write the measures.")
        parser.add_argument("--html", type=Path, metavar="FILE", help="Write a report with the curves.")
        parser.add_argument("--json", action="store_true", help="Print measures and curves as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._evaluate(options)
        except EvaluationError as error:
            raise CommandError(str(error)) from None

    def _evaluate(self, options: dict[str, Any]) -> None:
        if options["limit"] < 0:
            raise EvaluationError("--limit must be 0 or more.")
        rankers = _rankers(options)
        sizes = positive_numbers(options["sizes"], kind="number of apps")
        tools, labelled = _data_set(options)
        chosen = select(labelled, sets=split_names(options["sets"]), limit=options["limit"])
        queries, left_out = answerable_here(chosen, tools)
        if left_out:
            self.stderr.write(f"{left_out} queries left out: the tools do not hold their app.")
        rows: list[Measures] = []
        curves: list[Curve] = []
        wants_curves = bool(options["json"] or options["html"])
        swept = sum(ranker.without_floor() is not None for ranker in rankers) if wants_curves else 0
        total = len(queries) * len(sizes) * (len(rankers) + swept)
        with tqdm(total=total, unit=" queries", file=sys.stderr, mininterval=1) as bar:
            for size in sizes:
                for ranker in rankers:
                    run = (ranker, tools, queries, size)
                    rows += evaluate(*run, seed=options["seed"], advance=bar.update)
                    curves += sweep(*run, seed=options["seed"], advance=bar.update) if wants_curves else []
        self._report(rows, curves, options, source=f"{len(queries)} queries over {len(tools)} tools.")

    def _report(self, rows: list[Measures], curves: list[Curve], options: dict[str, Any], *, source: str) -> None:
        if options["csv"]:
            write_csv(options["csv"], rows)
        if options["html"]:
            write_report(options["html"], render_report(rows, curves, source=source))
        if options["json"]:
            found = {"measures": [values(row) for row in rows], "curves": [asdict(curve) for curve in curves]}
            self.stdout.write(json.dumps(found, ensure_ascii=False))
        else:
            self.stdout.write(text_table(rows))


def _data_set(options: dict[str, Any]) -> tuple[list[LabelledTool], list[LabelledQuery]]:
    files = options["tools"], options["queries"]
    if options["organization"] and not any(files):
        organization = organization_by_slug(options["organization"])
        tools = tools_of(organization)
        return tools, queries_of(organization, tools)
    if options["organization"] or not all(files):
        raise EvaluationError("Say what to measure: --tools and --queries, or --organization alone.")
    return load_tools(options["tools"]), load_queries(options["queries"])


def _rankers(options: dict[str, Any]) -> list[RankerFactory]:
    profiles = choose(options["profiles"], PROFILES, kind="profile")
    peers = choose(options["peers"], PEERS, kind="peer")
    if not profiles and not peers:
        raise EvaluationError("Nothing to measure: name a profile or a peer.")
    return [*(ProfileFactory(name, PROFILES[name]) for name in profiles), *map(peer, peers)]
