"""Documents from files and from the web."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from connectors.catalog.document import CatalogError
from connectors.catalog.openapi import loading
from connectors.catalog.sources import load_source, url_to_read_again
from tests.conftest import reachable
from tests.connectors.execution.upstream import Server, respond, serving


@pytest.fixture
def vendor(settings: Settings) -> Iterator[Server]:
    """A server of this machine that may be reached although it is not public."""
    with serving(Server()) as server, reachable(settings, server.authority):
        yield server


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "desk.json").write_bytes(b"{}")
    assert load_source(str(tmp_path / "desk.json")) == b"{}"


@pytest.mark.parametrize(
    ("name", "why"), [("gone.json", "No such file or directory"), ("", "Is a directory"), ("\0", "null byte")]
)
def test_a_file_that_cannot_be_read_is_one_clear_error(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(CatalogError, match=rf"^The file '.*' cannot be read: .*{why}.*\.$"):
        load_source(f"{tmp_path}/{name}")


def test_no_more_of_a_file_is_read_than_shows_that_it_is_too_large(tmp_path: Path) -> None:
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(loading.MAX_BYTES + 1000)
    assert len(load_source(str(tmp_path / "large.json"))) == loading.MAX_BYTES + 1


def test_a_url_is_fetched_and_redirects_are_followed(vendor: Server) -> None:
    vendor.routes["/old.json"] = respond(302, Location="/new.json")
    vendor.routes["/new.json"] = respond(200, b'{"openapi": "3.0.0"}')
    assert load_source(f"{vendor.url}/old.json") == b'{"openapi": "3.0.0"}'


def test_a_url_that_is_not_public_is_refused_before_anything_is_sent(settings: Settings) -> None:
    settings.EGRESS_ALLOWED = []
    with serving(Server()) as server:
        with pytest.raises(CatalogError, match=r"127\.0\.0\.1 is not a public address"):
            load_source(f"{server.url}/openapi.json")
        assert server.received == []


def test_a_redirect_to_an_address_that_is_not_public_is_refused(vendor: Server) -> None:
    vendor.routes["/openapi.json"] = respond(302, Location="http://169.254.169.254/latest/meta-data")
    with pytest.raises(CatalogError, match=r"169\.254\.169\.254 is not a public address"):
        load_source(f"{vendor.url}/openapi.json")


def test_an_error_page_is_no_document(vendor: Server) -> None:
    with pytest.raises(
        CatalogError, match=r"^The document cannot be fetched: 127\.0\.0\.1 answered with status 404\.$"
    ):
        load_source(f"{vendor.url}/openapi.json")


def test_a_url_that_is_none_is_one_clear_error() -> None:
    with pytest.raises(CatalogError, match=r"URL is not valid|cannot be fetched"):
        load_source("http://[")


@pytest.mark.parametrize(
    ("locations", "kept"),
    [
        (["https://desk.example/openapi.json"], "https://desk.example/openapi.json"),
        (["desk.json"], ""),
        (["https://user:hunter2@desk.example/openapi.json"], ""),
        (["https://desk.example/a.json", "https://desk.example/b.json"], ""),
    ],
)
def test_what_can_be_read_again_is_one_url_without_a_password(locations: list[str], kept: str) -> None:
    assert url_to_read_again(locations) == kept
