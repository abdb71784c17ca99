"""What an administrator needs to know of a connector, in plain words."""

from collections import Counter
from typing import Any

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from connectors.admin.pages import table
from connectors.catalog.changes import effect
from connectors.models import Connection, Connector

_EFFECTS = {"reads": "read", "writes": "write", "deletes": "delete"}


def overview(connector: Connector) -> dict[str, Any]:
    """A table of headings and sentences."""
    facts = [
        ("Tools", _tools(connector)),
        ("Accounts", _accounts(connector)),
        ("Limits for one account", _limits(connector)),
        ("Its tools come from", _origin(connector)),
        ("Forks", _forks(connector)),
    ]
    return table([], [[heading, said] for heading, said in facts if said])


def _tools(connector: Connector) -> str | SafeString:
    rows = list(connector.tools.values_list("enabled", "deprecated", "annotations"))
    on = [annotations for enabled, _, annotations in rows if enabled]
    effects = Counter(effect(annotations) for annotations in on)
    said = [f"{effects[name]} {verb}" for name, verb in _EFFECTS.items() if effects[name]]
    more = {
        "are switched off": len(rows) - len(on),
        "are called deprecated by the catalog": sum(deprecated for _, deprecated, _ in rows),
    }
    sentence = f"{len(on)}: {', '.join(said)}" if said else "none"
    sentence += "".join(f"; {number} {what}" for what, number in more.items() if number)
    return _linked("tool", connector, sentence)


def _accounts(connector: Connector) -> str | SafeString:
    words = dict(Connection.Status.choices)
    states = Counter(connector.connections.values_list("status", flat=True))
    said = ", ".join(f"{number} {words[state].lower()}" for state, number in sorted(states.items()))
    return _linked("connection", connector, said) if said else "nobody has connected one"


def _limits(connector: Connector) -> str:
    minute = connector.calls_per_minute
    rate = f"{minute} calls a minute" if minute is not None else "as many calls a minute as the product takes"
    return f"{connector.max_concurrent_calls} calls at a time, {rate}"


def _origin(connector: Connector) -> str | SafeString:
    if connector.forked_from is not None:
        further = f", which came from {' and '.join(connector.lineage[1:])}" if connector.lineage[1:] else ""
        return format_html("{}{}; blocks of those hold here too", _link(connector.forked_from), further)
    if connector.lineage:
        return f"{' and '.join(connector.lineage)}, of which the first is deleted; blocks of those still hold here"
    return connector.catalog_url or "files, or somebody's hand"


def _forks(connector: Connector) -> SafeString:
    return format_html_join(", ", "{}", ((_link(fork),) for fork in connector.forks.order_by("label", "slug")))


def _link(connector: Connector) -> SafeString:
    return format_html(
        '<a class="text-primary-600 dark:text-primary-500" href="{}">{} ({})</a>',
        reverse("admin:connectors_connector_change", args=[connector.pk]),
        connector.label,
        connector.slug,
    )


def _linked(model: str, connector: Connector, text: str) -> SafeString:
    """The text leads to the rows that it counts."""
    return format_html(
        '<a class="text-primary-600 dark:text-primary-500" href="{}?connector__id__exact={}">{}</a>',
        reverse(f"admin:connectors_{model}_changelist"),
        connector.pk,
        text,
    )
