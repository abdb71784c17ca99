"""What the clock starts: servers are read again once a day, and what nobody comes back to is let go of."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from celery.schedules import crontab
from django.core.cache import cache
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from accesscontrol.models import Member
from connectors import tasks
from connectors.catalog.mcp import daily
from connectors.connecting import sessions
from connectors.models import Connector, ConnectSession, PendingImport
from connectors.services import imports
from elaichi.celery import app
from tests import cast

NOON = datetime(2026, 6, 1, 12, 20, tzinfo=UTC)


def server(bob: Member, number: int, **fields: Any) -> Connector:
    fields = {"kind": Connector.Kind.MCP, "id": UUID(int=number), **fields}
    return cast.connector(bob.organization, f"desk-{number}", **fields)


def test_each_server_is_read_again_in_one_hour_of_the_day(
    bob: Member, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    cache.clear()
    for number in range(48):
        server(bob, number)
    with django_capture_on_commit_callbacks() as started:
        asked = [daily.ask_for_due(now=NOON + timedelta(hours=hour)) for hour in range(24)]
        assert asked == [2] * 24
        assert daily.ask_for_due(now=NOON) == 2
    assert len(started) == 48


def test_only_servers_that_are_read_at_all_are_due(
    bob: Member, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    cache.clear()
    origin = server(bob, 12)
    server(bob, 36, enabled=False)
    server(bob, 60, kind=Connector.Kind.OPENAPI)
    server(bob, 84, forked_from=origin)
    with django_capture_on_commit_callbacks() as started:
        assert daily.ask_for_due(now=NOON) == 1
    assert len(started) == 1


def test_imports_that_nobody_confirmed_are_forgotten_and_others_are_not(bob: Member) -> None:
    now = timezone.now()
    for label, expires_at in (("old", now), ("new", now + timedelta(minutes=1))):
        PendingImport.objects.create(
            organization=bob.organization, user=bob.user, slug=label, label=label,
            sources=[], documents=[], expires_at=expires_at,
        )  # fmt: skip
    assert [imports.forget(now=now), imports.forget(now=now)] == [1, 0]
    assert PendingImport.objects.get().slug == "new"


def test_pages_for_connecting_are_forgotten_a_week_after_they_ended(bob: Member) -> None:
    now = timezone.now()
    notion = cast.connector(bob.organization)
    week, day = timedelta(days=7), timedelta(days=1)
    rows = {
        "used long ago": (now, now - week),
        "let pass long ago": (now - week, None),
        "used of late": (now - week + day, now - day),
        "open": (now + day, None),
    }
    for name, (expires_at, ended_at) in rows.items():
        ConnectSession.objects.create(
            member=bob, connector=notion, token_hash=name, expires_at=expires_at, ended_at=ended_at
        )
    assert [sessions.forget(now=now), sessions.forget(now=now)] == [2, 0]
    assert set(ConnectSession.objects.values_list("token_hash", flat=True)) == {"used of late", "open"}


def test_the_clock_starts_them(bob: Member) -> None:
    by_task = {entry["task"]: entry["schedule"] for entry in app.conf.beat_schedule.values()}
    assert by_task[tasks.refresh_due_catalogs.name] == crontab(minute=20)
    assert by_task[tasks.forget_visits.name] == 3600.0
    tasks.refresh_due_catalogs()
    tasks.forget_visits()
