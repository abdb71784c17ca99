"""Keeping files within a member's room, and letting go of them without traces."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from accesscontrol.models import Member
from connectors.files import storing
from connectors.files.storing import QuotaExceeded
from connectors.models import StoredFile
from tests import cast
from tests.connectors.execution.upstream import Server
from tests.connectors.files.conftest import PNG
from tests.search.mcp.rpc import Rpc


def store(member: Member, data: bytes = b"x" * 60, name: str = "a.txt") -> StoredFile:
    return storing.store(member=member, name=name, media_type="text/plain", data=data)


def contents(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def test_nothing_of_a_name_reaches_the_disk(bob: Member, folder: Path) -> None:
    file = store(bob, name="../../x/.profile")
    assert file.name == "profile"
    assert contents(folder) == {file.content.name}
    assert (folder / str(file.content.name)).name == str(file.pk)
    assert (folder / str(file.content.name)).stat().st_mode & 0o777 == 0o600


def test_a_member_has_so_much_room(bob: Member, folder: Path, settings: Any) -> None:
    settings.FILE_BYTES_PER_MEMBER = 100
    first = store(bob)
    with pytest.raises(QuotaExceeded, match="Each ends by itself 24 hours after it came"):
        store(bob)
    assert contents(folder) == {first.content.name}
    store(cast.member(bob.organization, "dana"))
    StoredFile.objects.filter(pk=first.pk).update(expires_at=timezone.now())
    store(bob)


def test_a_call_whose_file_has_no_room_is_no_failure(rpc: Rpc, upstream: Server, settings: Any, folder: Path) -> None:
    settings.FILE_BYTES_PER_MEMBER = 1
    result = rpc.call("notion_get_logo")
    assert not result["isError"]
    said = result["structuredContent"]
    assert (said["media_type"], said["bytes"]) == ("image/png", len(PNG))
    assert "The call was made. Your stored files take" in said["note"]
    assert contents(folder) == set()


def test_a_call_whose_file_cannot_be_written_is_no_failure(rpc: Rpc, folder: Path) -> None:
    (folder / "files").write_text("in the way")
    result = rpc.call("notion_get_logo")
    assert not result["isError"]
    assert "could not be kept" in result["structuredContent"]["note"]
    assert not StoredFile.objects.exists()


def test_a_sweep_takes_what_is_over_and_what_nothing_leads_to(
    bob: Member, folder: Path, django_capture_on_commit_callbacks: Any
) -> None:
    kept, over, deleted = store(bob), store(bob), store(bob)
    StoredFile.objects.filter(pk=over.pk).update(expires_at=timezone.now())
    deleted.delete()  # as by the cascade from a member: the row alone
    fresh = default_storage.save("files/2026/01/in-the-middle-of-being-written", ContentFile(b"x"))
    for content in contents(folder) - {fresh}:
        two_hours_ago = (timezone.now() - timedelta(hours=2)).timestamp()
        os.utime(folder / content, (two_hours_ago, two_hours_ago))
    with django_capture_on_commit_callbacks(execute=True):
        storing.sweep(timezone.now())
    assert list(StoredFile.objects.all()) == [kept]
    assert contents(folder) == {kept.content.name, fresh}


def test_a_sweep_of_an_empty_store_is_fine(db: None) -> None:
    storing.sweep(timezone.now())
