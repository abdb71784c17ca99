"""Prints the reach report: who reaches which tool through which account."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db.models import QuerySet

from accesscontrol.admin.applied import applied
from accesscontrol.management.arguments import member_by_email, organization_by_slug
from accesscontrol.models import Member, Organization
from search import reach_report
from search.models import ReachRow
from search.reach_export import records


class Command(BaseCommand):
    help = "Print who reaches which tool through which account, as the reach report has it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--member", default="", metavar="EMAIL")
        parser.add_argument("--connector", default="", metavar="SLUG")
        parser.add_argument("--tool", default="", metavar="X.Y")
        parser.add_argument("--organization", default="", metavar="SLUG")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        member = member_by_email(options["member"], options["organization"]) if options["member"] else None
        organization = member.organization if member else organization_by_slug(options["organization"])
        rows = _rows(organization, member, options["connector"], options["tool"])
        if options["json"]:
            self.stdout.write(json.dumps(_report(organization, rows), ensure_ascii=False))
            return
        for record in records(rows):
            account = f"{record['account']} of {record['account_of']}"
            if record["toolbox"]:
                account += f", through the toolbox {record['toolbox']}"
            self.stdout.write(
                f"{record['member']:<40} {record['connector']:<20} {account:<40} {', '.join(record['tools'])}"
            )
        self.stdout.write(f"The report was {applied(organization)}.".replace("was being", "is being"))


def _rows(organization: Organization, member: Member | None, connector: str, tool: str) -> QuerySet[ReachRow]:
    rows: QuerySet[ReachRow] = ReachRow.objects.of(organization)
    if member is not None:
        rows = rows.filter(member=member)
    if connector:
        rows = rows.filter(connector=connector)
    if tool:
        rows = reach_report.reaching(rows, tool)
    return rows.order_by("member__user__email", "connector", "label", "connection")


def _report(organization: Organization, rows: QuerySet[ReachRow]) -> dict[str, Any]:
    return {
        "organization": organization.slug,
        "version": organization.version,
        "applied_version": organization.applied_version,
        "applied_at": organization.applied_at.isoformat() if organization.applied_at else None,
        "rows": [{key: record[key] for key in _SHOWN} for record in records(rows)],
    }


_SHOWN = ("member", "connector", "connection", "account", "account_of", "toolbox", "tools")
