"""Shows what a member's model would see for a query."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accesscontrol.caller import caller_of
from accesscontrol.management.arguments import member_by_email
from accesscontrol.models import Member, Surface
from search.explanation import explain
from search.ranking import PROFILES
from search.service import DEFAULT_LIMIT, MAX_LIMIT, Question, search_tools


class Command(BaseCommand):
    help = "Show what a member's model would see for a query."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("query", metavar="QUERY")
        parser.add_argument("--member", required=True, metavar="EMAIL")
        parser.add_argument("--organization", default="", metavar="SLUG")
        parser.add_argument("--profile", choices=sorted(PROFILES), help="The ranking profile; else the one in use.")
        parser.add_argument("--limit", type=int, default=DEFAULT_LIMIT)
        shown = parser.add_mutually_exclusive_group()
        shown.add_argument("--json", action="store_true", help="Print search_tools' structured content.")
        shown.add_argument("--explain", action="store_true", help="Say what each word did, and what was refused.")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["limit"] <= MAX_LIMIT:
            raise CommandError(f"--limit must be from 1 to {MAX_LIMIT}.")
        member = member_by_email(options["member"], options["organization"])
        if member.status != Member.Status.ACTIVE:
            raise CommandError(f"{member.user.email} is {member.status} and sees nothing.")
        caller = caller_of(member, surface=Surface.SYSTEM, client="manage.py search")
        query, limit, profile = options["query"], options["limit"], options["profile"]
        if options["explain"]:
            self.stdout.write(explain(caller, query, limit=limit, profile=profile))
            return
        found = search_tools(caller, Question(query=query, limit=limit, profile=profile))
        self.stdout.write(json.dumps(found, ensure_ascii=False) if options["json"] else _table(found))


def _table(found: dict[str, Any]) -> str:
    lines = [_line(row) for row in found["result"]]
    lines.append(f"{found['matched']} of {found['total_tools']} tools matched; {found['restricted_count']} restricted.")
    if "note" in found:
        lines.append(found["note"])
    return "\n".join(lines)


def _line(row: dict[str, Any]) -> str:
    said = f"restricted for the {row['restricted']['by']}" if "restricted" in row else row["description"].split("\n")[0]
    return f"{row['connector_label']:<20.20} {row['name']:<60} {said:.100}"
