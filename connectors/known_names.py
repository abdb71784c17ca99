"""Answers what access control asks about connectors and tools that it knows by name alone."""

from collections.abc import Iterable

from accesscontrol.models import Organization
from accesscontrol.policy import ToolRef
from connectors.models import Connector, Tool


class KnownNames:
    """A `Catalog` of `accesscontrol.catalog_names`: the organization's own connectors, switched off ones included."""

    def ref(self, organization: Organization, connector: str, tool: str) -> ToolRef:
        found = Connector.objects.of(organization).filter(slug=connector).first()
        return ref_by_name(found, tool) if found else ToolRef(connector, (), tool)

    def unknown(self, organization: Organization, connectors: Iterable[str], tools: Iterable[str]) -> list[str]:
        slugs, names = list(connectors), list(tools)
        asked = [tuple(name.partition(".")[::2]) for name in names]
        known_slugs = set(Connector.objects.of(organization).filter(slug__in=slugs).values_list("slug", flat=True))
        rows = Tool.objects.of(organization).filter(
            connector__slug__in={slug for slug, _ in asked}, name__in={name for _, name in asked}
        )
        known_tools = {f"{slug}.{name}" for slug, name in rows.values_list("connector__slug", "name")}
        return [name for name in slugs if name not in known_slugs] + [name for name in names if name not in known_tools]


def ref_by_name(connector: Connector, name: str) -> ToolRef:
    """For a tool that something else keeps the name of: it may be called otherwise by now, or be gone."""
    tools = Tool.objects.filter(connector=connector)
    tool = tools.filter(name=name).first() or tools.filter(former_names__contains=[name]).first()
    other_names = (tool.name, *tool.former_names) if tool else ()
    return ToolRef(connector.slug, tuple(connector.lineage), name, tuple(it for it in other_names if it != name))
