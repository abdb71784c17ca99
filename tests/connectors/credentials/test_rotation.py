"""Replacing the key of stored credentials."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accesscontrol.models import Member
from connectors.credentials.rotation import rotate_credentials
from connectors.models import Connection
from tests import cast

OLD, NEW = "the-old-key-of-this-test", "the-new-key-of-this-test"


@pytest.fixture
def stored(bob: Member, settings: Any) -> list[Connection]:
    settings.CREDENTIAL_KEYS = [OLD]
    connector = cast.connector(bob.organization)
    cast.connection(bob, connector, "Empty", credential={})
    return [cast.connection(bob, connector, f"Account {n}", credential={"token": f"secret {n}"}) for n in range(3)]


def test_after_a_rotation_the_old_key_can_go(stored: list[Connection], settings: Any) -> None:
    settings.CREDENTIAL_KEYS = [NEW, OLD]
    assert rotate_credentials().rotated == 3
    settings.CREDENTIAL_KEYS = [NEW]
    for number, connection in enumerate(stored):
        connection.refresh_from_db()
        assert connection.credential.reveal() == {"token": f"secret {number}"}


def test_it_may_be_run_again(stored: list[Connection], settings: Any, capsys: pytest.CaptureFixture[str]) -> None:
    settings.CREDENTIAL_KEYS = [NEW, OLD]
    for _ in range(2):
        call_command("rotate_credentials")
    assert "3 credentials are under the newest key" in capsys.readouterr().out


def test_what_no_key_opens_is_named_and_left_alone(stored: list[Connection], settings: Any) -> None:
    settings.CREDENTIAL_KEYS = [NEW]
    before = dict(Connection.objects.values_list("pk", "credential"))
    with pytest.raises(CommandError, match="No configured key opens 3: Notion: Account 0"):
        call_command("rotate_credentials")
    settings.CREDENTIAL_KEYS = [OLD]
    after = dict(Connection.objects.values_list("pk", "credential"))
    assert {pk: sealed.ciphertext for pk, sealed in after.items()} == {pk: s.ciphertext for pk, s in before.items()}
