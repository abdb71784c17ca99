"""What is old goes by one command alone, which records itself, and what remains can still be proved whole."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from accesscontrol.audit.chain import Break
from accesscontrol.audit.pruning import prune
from accesscontrol.audit.verifying import verify
from accesscontrol.exceptions import Conflict
from accesscontrol.models import AuditEvent, AuditLink, Organization, Surface
from tests import cast
from tests.accesscontrol.audit.trail import as_superuser_without_triggers, grown, place_of, sql

pytestmark = pytest.mark.django_db(transaction=True)

EVENT, LINK = (model._meta.db_table for model in (AuditEvent, AuditLink))


def first_row(organization: Organization) -> int:
    first = AuditLink.objects.of(organization).first()
    assert first is not None
    return first.sequence


def pruned(organization: Organization, before: datetime) -> int:
    return prune(organization=organization, before=before, surface=Surface.SYSTEM)


@contextmanager
def permitted_by(event: AuditEvent) -> Iterator[None]:
    with transaction.atomic():
        sql("SELECT set_config('elaichi.audit_prune', %s, true)", str(event.pk))
        yield


def test_what_is_older_goes_and_the_rest_is_still_whole(acme: Organization) -> None:
    old = grown(acme)
    kept = grown(acme)
    place = place_of(kept[0])
    assert pruned(acme, kept[0].at) == place - 1
    assert not AuditEvent.objects.filter(pk__in=[event.pk for event in old]).exists()
    assert AuditEvent.objects.filter(pk__in=[event.pk for event in kept]).count() == len(kept)
    assert first_row(acme) == place
    verdict = verify(acme)
    assert (verdict.problem, verdict.begins_after.sequence) == (None, place - 1)


def test_it_records_what_it_took_and_up_to_where(acme: Organization) -> None:
    last = grown(acme)[-1]
    link = AuditLink.objects.get(event=last)
    before = timezone.now()
    rows = pruned(acme, before)
    event = AuditEvent.objects.of(acme).get()
    assert (event.action, event.surface, event.actor_kind) == ("audit.prune", "system", "system")
    assert event.detail == {
        "before": before.isoformat(),
        "through": link.sequence,
        "hash": bytes(link.hash).hex(),
        "rows": rows,
    }
    assert place_of(event) == link.sequence + 1


def test_pruning_again_and_again_leaves_a_whole_trail(acme: Organization) -> None:
    for _ in range(3):
        grown(acme)
        assert pruned(acme, timezone.now()) > 0
        assert verify(acme).problem is None
    assert pruned(acme, timezone.now() - timedelta(days=1)) == 0
    grown(acme)
    assert verify(acme).problem is None


def test_another_organization_keeps_its_rows(acme: Organization) -> None:
    umbrella = cast.organization("umbrella")
    grown(umbrella)
    rows = AuditEvent.objects.of(umbrella).count()
    pruned(acme, timezone.now())
    assert AuditEvent.objects.of(umbrella).count() == rows
    assert verify(umbrella).problem is None


def test_a_date_to_come_is_refused(acme: Organization) -> None:
    with pytest.raises(Conflict, match="passed"):
        pruned(acme, timezone.now() + timedelta(hours=1))


def test_the_setting_alone_lets_nothing_go(acme: Organization) -> None:
    """It must name an event of pruning, and that event's own rows are the only ones that may go."""
    grown(acme)
    first, other = AuditEvent.objects.of(acme).order_by("at")[:2]
    with pytest.raises(IntegrityError, match="audit trail"), permitted_by(first):
        sql(f"DELETE FROM {EVENT} WHERE id = %s", other.pk)


@pytest.mark.parametrize("table", [EVENT, LINK])
def test_no_row_goes_beyond_what_the_event_names(acme: Organization, table: str) -> None:
    grown(acme)
    pruned(acme, timezone.now())
    grown(acme)
    event = AuditEvent.objects.get(action="audit.prune")
    with pytest.raises(IntegrityError, match="audit trail"), permitted_by(event):
        sql(f"DELETE FROM {table}")


def test_the_permission_to_prune_one_organization_is_none_for_another(acme: Organization) -> None:
    umbrella = cast.organization("umbrella")
    grown(acme)
    pruned(acme, timezone.now())
    event = AuditEvent.objects.get(action="audit.prune")
    with pytest.raises(IntegrityError, match="audit trail"), permitted_by(event):
        sql(f"DELETE FROM {EVENT} WHERE organization_id = %s", umbrella.pk)


def test_a_beginning_removed_after_a_pruning_is_not_taken_for_it(acme: Organization) -> None:
    grown(acme)
    pruned(acme, timezone.now())
    grown(acme)
    first = first_row(acme)
    with as_superuser_without_triggers():
        sql(f"DELETE FROM {EVENT} e USING {LINK} l WHERE l.event_id = e.id AND l.sequence <= %s", first)
        sql(f"DELETE FROM {LINK} WHERE sequence <= %s", first)
    problem = verify(acme).problem
    assert problem is not None
    assert problem.kind == Break.REMOVED


def test_a_trail_that_is_not_whole_is_not_pruned(acme: Organization) -> None:
    events = grown(acme)
    with as_superuser_without_triggers():
        sql(f"UPDATE {EVENT} SET outcome = 'denied' WHERE id = %s", events[0].pk)
    with pytest.raises(CommandError, match="is not whole, so it is kept: Row 2 was altered"):
        call_command("prune_audit", "--before", timezone.now().isoformat())
    assert AuditEvent.objects.of(acme).count() == 1 + len(events)
