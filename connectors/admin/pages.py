"""What the connectors' further pages have in common: which row they are about, and what their templates are given."""

from typing import Any

from django.contrib.admin.utils import unquote
from django.http import Http404, HttpRequest
from unfold.admin import ModelAdmin

from connectors.models import Connector


def stored(pages: ModelAdmin, request: HttpRequest, object_id: str) -> Connector:
    """The connector of the page. One that is not within the user's organizations is not there at all."""
    found: Connector | None = pages.get_object(request, unquote(object_id))
    if found is None:
        raise Http404
    return found


def context(
    pages: ModelAdmin, request: HttpRequest, title: str, connector: Connector | None = None, **more: Any
) -> dict[str, Any]:
    return {
        **pages.admin_site.each_context(request),
        "title": title,
        "opts": pages.opts,
        "original": connector,
        "media": pages.media,
        **more,
    }


def table(headers: list[str], rows: list[list[Any]]) -> dict[str, Any]:
    """As unfold's component takes it."""
    return {"headers": headers, "rows": rows}
