"""A connection's credential: sealed wherever it lies, opened only where it is read."""

import copy
import pickle
from collections.abc import Mapping
from typing import Any

import pytest
from django.core import serializers
from django.core.exceptions import FieldError
from django.db import connection as database
from pytest_django import Settings

from accesscontrol.models import Member
from connectors.credentials.fields import EncryptedJSONField, SealedMapping
from connectors.credentials.vault import CredentialUnreadable
from connectors.models import Connection
from tests import cast

CREDENTIAL = {"token": "canary"}


@pytest.fixture
def stored(alice: Member) -> Connection:
    notion = cast.connector(alice.organization)
    return cast.connection(alice, notion, "Work", credential=CREDENTIAL)


def reloaded(stored: Connection) -> Connection:
    return Connection.objects.get(pk=stored.pk)


def test_a_credential_comes_back_from_the_database(stored: Connection) -> None:
    credential = reloaded(stored).credential
    assert credential.reveal() == dict(credential) == CREDENTIAL
    assert (credential["token"], len(credential), bool(credential)) == ("canary", 1, True)


def test_the_database_holds_ciphertext(stored: Connection) -> None:
    with database.cursor() as cursor:
        cursor.execute("SELECT * FROM connectors_connection")
        assert "canary" not in str(cursor.fetchall())


def test_no_way_of_writing_it_out_shows_it(stored: Connection) -> None:
    for connection in (stored, reloaded(stored), Connection(credential=CREDENTIAL)):
        written = [str(connection.credential), f"{connection.credential!r}", repr(vars(connection))]
        assert "canary" not in str(written)
    assert "canary" not in serializers.serialize("json", [stored])
    assert b"canary" not in pickle.dumps(stored)


def test_copies_and_dumps_keep_it(stored: Connection) -> None:
    dumped = serializers.serialize("json", [stored])
    Connection.objects.update(credential={})
    for loaded in serializers.deserialize("json", dumped):
        loaded.save()
    assert reloaded(stored).credential.reveal() == CREDENTIAL
    assert copy.deepcopy(stored).credential == pickle.loads(pickle.dumps(stored)).credential == CREDENTIAL


def test_an_update_in_bulk_is_sealed_too(stored: Connection) -> None:
    Connection.objects.update(credential={"token": "new"})
    assert reloaded(stored).credential.reveal() == {"token": "new"}


def test_without_a_credential_it_is_empty() -> None:
    credential = Connection().credential
    assert (credential.reveal(), bool(credential), credential == {}) == ({}, False, True)


def test_with_a_lost_key_rows_are_listed_cleaned_and_saved_and_only_reading_fails(
    stored: Connection, settings: Settings
) -> None:
    keys, settings.CREDENTIAL_KEYS = settings.CREDENTIAL_KEYS, ["another"]
    connection = reloaded(stored)
    assert not connection.credential.is_readable()
    assert (str(connection), repr(connection.credential)) == ("Notion: Work", "<sealed>")
    connection.label = "Renamed"
    connection.full_clean()
    connection.save()
    with pytest.raises(CredentialUnreadable):
        connection.credential["token"]
    settings.CREDENTIAL_KEYS = keys
    assert reloaded(stored).credential.reveal() == CREDENTIAL


@pytest.mark.parametrize("lookup", ["credential", "credential__isnull", "credential__token", "credential__contains"])
def test_it_cannot_be_searched_by(lookup: str) -> None:
    with pytest.raises(FieldError):
        Connection.objects.filter(**{lookup: "canary"})


def test_migrations_know_it_by_its_path() -> None:
    field = EncryptedJSONField(default=dict, blank=True)
    _, path, args, kwargs = field.deconstruct()
    assert (path, args) == ("connectors.credentials.fields.EncryptedJSONField", [])
    assert kwargs == {"default": dict, "blank": True}


@pytest.mark.parametrize(
    ("other", "equal"), [({"token": "canary"}, True), ({"token": "x"}, False), ({}, False), ("canary", False)]
)
def test_it_equals_what_it_holds(other: Mapping[str, Any] | str, equal: bool) -> None:
    assert (SealedMapping.seal(CREDENTIAL) == other) is equal
