"""Real vendors' documents in the database: stored whole, written out and read again without a loss."""

import pytest

from accesscontrol.models import Organization, Surface
from connectors.catalog.comparing import compare
from connectors.catalog.document import Catalog
from connectors.catalog.importer import ImportReport, import_catalog
from connectors.catalog.manifest import write_manifest
from connectors.catalog.reading import read_catalog, read_catalogs
from connectors.models import Connector
from tests import cast
from tests.connectors.real_catalogs import FOLDER, MARKS, OPERATIONS, read

pytestmark = MARKS


def _import(home: Organization, catalog: Catalog, name: str) -> ImportReport:
    """Shopify's document names no server: each shop has one of its own."""
    slug = name.partition(".")[0]
    return import_catalog(
        organization=home,
        catalog=catalog,
        slug=slug,
        label=slug.title(),
        base_url=catalog.base_url or "https://shop.example",
        surface=Surface.SYSTEM,
    )


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_is_stored_whole_and_exported_as_it_was_read(acme: Organization, name: str) -> None:
    report = _import(acme, read(name), name)
    assert len(report.added) == len(read(name).tools) >= 0.99 * OPERATIONS[name]
    connector = Connector.objects.get()
    exported = read_catalog(write_manifest(connector).encode(), source=name)
    assert (exported.base_url, exported.hosts) == (connector.base_url, tuple(connector.hosts))
    for catalog in (read(name), exported):
        difference = compare(connector, connector.tools.all(), catalog.tools)
        assert difference.is_empty, difference.changes
        assert len(difference.unchanged) == len(report.added)


@pytest.mark.parametrize("name", ["notion.json", "figma.yaml"])
def test_an_export_that_is_imported_elsewhere_is_exported_there_as_the_same_bytes(
    acme: Organization, name: str
) -> None:
    _import(acme, read(name), name)
    text = write_manifest(Connector.objects.get())
    other = cast.organization("umbrella")
    _import(other, read_catalog(text.encode(), source=name), name)
    assert write_manifest(Connector.objects.get(organization=other)) == text


def test_the_files_of_one_product_become_one_connector(acme: Organization) -> None:
    names = ["sendgrid.mail.json", "sendgrid.contacts.json"]
    report = _import(acme, read_catalogs([(name, (FOLDER / name).read_bytes()) for name in names]), "sendgrid")
    assert len(report.added) == sum(len(read(name).tools) for name in names)
    assert report.skipped == ()


def test_a_file_of_another_address_keeps_it_in_the_connector_of_both(acme: Organization) -> None:
    names = ["xero.projects.yaml", "hubspot.crm.contact.yaml"]
    report = _import(acme, read_catalogs([(name, (FOLDER / name).read_bytes()) for name in names]), "both")
    elsewhere = report.connector.tools.filter(binding__base_url="https://api.hubapi.com")
    assert elsewhere.count() == OPERATIONS["hubspot.crm.contact.yaml"]
    assert report.connector.hosts == ["api.hubapi.com"]
