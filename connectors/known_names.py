"""Answers what access control asks about connectors and tools that it knows by name alone."""

from collections.abc import Iterable

from accesscontrol.models import Organization
from connectors.models import Connector, Tool


class KnownNames:
    """A `Catalog` of `accesscontrol.catalog_names`: the organization's own connectors, switched off ones included."""

    def lineage(self, organization: Organization, connector: str) -> tuple[str, ...]:
        rows = Connector.objects.of(organization).filter(slug=connector)
        return tuple(rows.values_list("lineage", flat=True).first() or ())

    def unknown(self, organization: Organization, connectors: Iterable[str], tools: Iterable[str]) -> list[str]:
        slugs, names = list(connectors), list(tools)
        asked = [tuple(name.partition(".")[::2]) for name in names]
        known_slugs = set(Connector.objects.of(organization).filter(slug__in=slugs).values_list("slug", flat=True))
        rows = Tool.objects.of(organization).filter(
            connector__slug__in={slug for slug, _ in asked}, name__in={name for _, name in asked}
        )
        known_tools = {f"{slug}.{name}" for slug, name in rows.values_list("connector__slug", "name")}
        return [name for name in slugs if name not in known_slugs] + [name for name in names if name not in known_tools]
