"""What was forked from a connector learns the new names of its tools, so that blocks which name those hold there."""

from collections.abc import Mapping

from django.db.models import F, Q

from connectors.models import Connector, Tool


def tell_forks(connector: Connector, names: Mapping[str, str]) -> None:
    """`names` leads from old to new. Belongs into the transaction of the renaming, under the organization's lock.

    It is told to whatever has had the old name, which may be more than was taken from that tool: then a block of the
    new name holds for more than it must.
    """
    forks = Connector.objects.filter(organization=connector.organization_id, lineage__contains=[connector.slug])
    called_so = Q(name__in=names)
    for old in names:
        called_so |= Q(former_names__contains=[old])
    followed = list(Tool.objects.filter(called_so, connector__in=forks)) if names else []
    for tool in followed:
        tool.know_as(*(names[old] for old in (tool.name, *tool.former_names) if old in names))
    Tool.objects.bulk_update(followed, ["former_names"])
    concerned = {tool.connector_id for tool in followed}
    Connector.objects.filter(pk__in=concerned).update(catalog_version=F("catalog_version") + 1)
