"""The reach report and the query log in the admin: both are read there and changed nowhere."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from unfold.contrib.filters.admin import FieldTextFilter, TextFilter
from unfold.decorators import display

from accesscontrol.admin.applied import AppliedColumn
from accesscontrol.admin.tenant import TenantAdmin, organizations_where
from accesscontrol.permissions import Permission
from search import reach_report
from search.models import LoggedQuery, ReachConnection, ReachRow
from search.reach_export import csv_lines, json_lines

_SHOWN = 3
_FIRST_ROWS = 5


class ConnectorFilter(admin.SimpleListFilter):
    title = "connector"
    parameter_name = "connector"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        mine = organizations_where(request.user, model_admin.view_permission)
        slugs = ReachConnection.objects.filter(organization__in=mine).order_by("connector")
        return [(slug, slug) for slug in slugs.values_list("connector", flat=True).distinct()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ReachRow]) -> QuerySet[ReachRow]:
        return queryset.filter(connector=self.value()) if self.value() else queryset


class ToolFilter(TextFilter):
    title = "tool (connector.tool_name)"
    parameter_name = "tool"

    def queryset(self, request: HttpRequest, queryset: QuerySet[ReachRow]) -> QuerySet[ReachRow]:
        tool = self.value()
        return reach_report.reaching(queryset, tool) if tool else queryset


@admin.register(ReachRow)
class ReachAdmin(AppliedColumn, TenantAdmin[ReachRow]):
    """Who reaches what. It is read, searched and exported; rules and shares are what changes it."""

    view_permission = Permission.RESTRICTION_VIEW
    list_display = ("member", "connector", "label", "owner", "toolbox", "tool_count", "first_tools", "applied")
    list_filter = (ConnectorFilter, ToolFilter, ("member__user__email", FieldTextFilter), "organization")
    list_select_related = ("organization", "member__user")
    search_fields = ("member__user__email", "=connector", "label", "toolbox")
    ordering = ("member__user__email", "connector", "label")
    fields = ("organization", "member", "connector", "label", "owner", "toolbox", "connection", "all_tools", "applied")
    readonly_fields = fields
    actions = ("export_jsonl", "export_csv")

    @display(description="Some of them")
    def first_tools(self, obj: ReachRow) -> str:
        more = obj.tool_count - _SHOWN
        return ", ".join(obj.tools[:_SHOWN]) + (f" and {more} more" if more > 0 else "")

    @display(description="Tools")
    def all_tools(self, obj: ReachRow) -> str:
        return ", ".join(obj.tools)

    @admin.action(description="Export as JSON lines", permissions=["view"])
    def export_jsonl(self, request: HttpRequest, queryset: QuerySet[ReachRow]) -> StreamingHttpResponse:
        return _file(json_lines(queryset), "reach.jsonl", "application/jsonl")

    @admin.action(description="Export as CSV, one line a tool", permissions=["view"])
    def export_csv(self, request: HttpRequest, queryset: QuerySet[ReachRow]) -> StreamingHttpResponse:
        return _file(csv_lines(queryset), "reach.csv", "text/csv; charset=utf-8")


@admin.register(LoggedQuery)
class LoggedQueryAdmin(TenantAdmin[LoggedQuery]):
    """What members searched for, where their organization keeps it. It is not exported: it is words of theirs."""

    view_permission = Permission.AUDIT_VIEW
    list_display = ("at", "member", "query", "matched", "first_returned", "chosen")
    list_filter = ("organization",)
    list_select_related = ("organization", "member__user")
    search_fields = ("query", "chosen", "member__user__email")
    date_hierarchy = "at"
    fields = ("organization", "member", "at", "query", "matched", "all_returned", "chosen")
    readonly_fields = fields

    @display(description="First of them")
    def first_returned(self, obj: LoggedQuery) -> str:
        return ", ".join(obj.returned[:_FIRST_ROWS])

    @display(description="Shown")
    def all_returned(self, obj: LoggedQuery) -> str:
        return ", ".join(obj.returned)


def _file(lines: Iterator[str], name: str, content_type: str) -> StreamingHttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(lines, content_type=content_type, headers=headers)
