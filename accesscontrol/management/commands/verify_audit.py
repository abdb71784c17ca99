"""Recomputes the chain of the audit trail and names the first row where it is not whole."""

import json
import re
from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accesscontrol.audit.chain import Mark
from accesscontrol.audit.verifying import Verdict, verify
from accesscontrol.management.arguments import organization_by_slug
from accesscontrol.models import Organization


class Command(BaseCommand):
    help = "Check that no row of the audit trail was altered, removed or put in between. Exits with 1 where one was."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--organization", default="", metavar="SLUG", help="Only this one; else all.")
        parser.add_argument(
            "--noted", type=_mark, metavar="ROW:HASH", help="A head that was printed earlier and kept elsewhere."
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        slug, noted = options["organization"], options["noted"]
        if noted and not slug:
            raise CommandError("--noted is a row of one organization: say which with --organization SLUG.")
        organizations = [organization_by_slug(slug)] if slug else list(Organization.objects.order_by("slug"))
        verdicts = {organization.slug: verify(organization, noted=noted) for organization in organizations}
        if options["json"]:
            self.stdout.write(json.dumps({"organizations": [_json(*item) for item in verdicts.items()]}))
        else:
            for item in verdicts.items():
                self.stdout.write(_line(*item))
        if noted and noted.sequence < verdicts[slug].begins_after.sequence:
            raise CommandError(f"Row {noted.sequence} was pruned, so it proves nothing any more: note the head anew.")
        broken = [name for name, verdict in verdicts.items() if verdict.problem]
        if broken:
            raise CommandError(f"The audit trail is not whole: {', '.join(broken)}.")


def _mark(text: str) -> Mark:
    found = re.fullmatch(r"(\d{1,18}):([0-9a-f]{64})", text)
    if found is None:
        raise ArgumentTypeError(f"{text} is no head: write ROW:HASH as verify_audit prints it")
    return Mark(int(found[1]), bytes.fromhex(found[2]))


def _line(slug: str, verdict: Verdict) -> str:
    if verdict.problem:
        event = f" (event {verdict.problem.event_id})" if verdict.problem.event_id else ""
        return f"{slug}: {verdict.problem.kind}: {verdict.problem.message}{event}"
    rows = verdict.head.sequence - verdict.begins_after.sequence
    return f"{slug}: whole, {rows} rows, head {verdict.head}"


def _json(slug: str, verdict: Verdict) -> dict[str, Any]:
    problem = verdict.problem
    return {
        "organization": slug,
        "whole": problem is None,
        "first_row": verdict.begins_after.sequence + 1,
        "last_row": verdict.head.sequence,
        "head": str(verdict.head),
        "problem": problem
        and {
            "kind": problem.kind,
            "row": problem.sequence or None,
            "event": str(problem.event_id) if problem.event_id else None,
            "message": problem.message,
        },
    }
