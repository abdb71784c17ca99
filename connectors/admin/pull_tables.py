"""What a fork can take from its upstream, as tables with a box to tick for each."""

from typing import Any

from django.utils.safestring import SafeString
from unfold.widgets import UnfoldBooleanWidget

from connectors.admin.pages import table
from connectors.catalog.changes import describe_changes
from connectors.catalog.forks import FIELDS, Difference, Item, Kind
from connectors.models import Tool

_TEXTS = ("name", "description")


def pull_tables(difference: Difference) -> list[tuple[str, dict[str, Any]]]:
    """Title and table of each kind that there is; what loses nothing here is ticked already."""
    new = [[_box(it), it.tool, it.upstream.description if it.upstream else ""] for it in difference.new]
    safe = [[_box(it), it.tool, _said(it)] for it in difference.safe]
    conflicts = [[_box(it), it.tool, *_both(it)] for it in difference.conflicts]
    removed = [[_box(it), it.tool] for it in difference.removed]
    tables = [
        ("Changed upstream", table(["", "Tool", "What is different"], safe)),
        ("Changed in both: ticked, upstream's replaces yours", table(["", "Tool", "Here", "Upstream"], conflicts)),
        ("New upstream", table(["", "Tool", "Description"], new)),
        ("Gone upstream: ticked, it goes here too", table(["", "Tool"], removed)),
    ]
    return [(title, shown) for title, shown in tables if shown["rows"]]


def _box(item: Item) -> SafeString:
    widget = UnfoldBooleanWidget({"aria-label": f"Take {item.tool}"}, check_test=lambda _: item.kind is Kind.SAFE)
    return widget.render("picks", item.key)


def _said(item: Item) -> str:
    """The new texts as they are, and of the rest what is different about it."""
    here, upstream = item.here, item.upstream
    assert here is not None  # a change is to a tool here
    assert upstream is not None  # and comes from one there
    texts = [f"{field}: {getattr(upstream, field)}" for field in _TEXTS if field in item.fields]
    before = _facts(here)
    theirs = {field: value for field, value in _facts(upstream).items() if field in item.fields}
    return "; ".join([*texts, *describe_changes(before, {**before, **theirs, "description": here.description})])


def _both(item: Item) -> tuple[str, str]:
    (field,) = item.fields
    if field in _TEXTS:
        return f"{field}: {getattr(item.here, field)}", f"{field}: {getattr(item.upstream, field)}"
    return field.replace("_", " "), _said(item)


def _facts(tool: Tool) -> dict[str, Any]:
    return {field: getattr(tool, field) for field in FIELDS}
