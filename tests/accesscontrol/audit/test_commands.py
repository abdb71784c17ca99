"""verify_audit, export_audit and prune_audit on the command line."""

import gc
import json
import tracemalloc
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from io import StringIO
from typing import Any, TextIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accesscontrol import audit
from accesscontrol.audit import exporting
from accesscontrol.audit.verifying import verify
from accesscontrol.models import AuditEvent, AuditLink, Member, Organization, Surface
from tests import cast
from tests.accesscontrol.audit.trail import as_superuser_without_triggers, grown, sql

pytestmark = pytest.mark.django_db(transaction=True)


HASHED = (
    "sequence",
    "previous_hash",
    "organization_id",
    "id",
    "at",
    "actor_kind",
    "actor_id",
    "operator_id",
    "surface",
    "client",
    "action",
    "target",
    "connection",
    "outcome",
    "duration_ms",
    "request_id",
)


def run(*arguments: str, out: TextIO | None = None) -> str:
    out = out or StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO())
    return out.getvalue() if isinstance(out, StringIO) else ""


def exported(*arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run("export_audit", *arguments).splitlines()]


def test_a_whole_trail_is_one_line_with_its_head(acme: Organization) -> None:
    grown(acme)
    assert run("verify_audit") == f"acme: whole, 6 rows, head {verify(acme).head}\n"


def test_json_stands_alone_on_stdout_and_says_each_organization(acme: Organization) -> None:
    umbrella = cast.organization("umbrella")
    said = json.loads(run("verify_audit", "--json"))
    assert said["organizations"] == [
        {
            "organization": organization.slug,
            "whole": True,
            "first_row": 1,
            "last_row": 1,
            "head": str(verify(organization).head),
            "problem": None,
        }
        for organization in (acme, umbrella)
    ]


def test_a_broken_trail_is_a_failure_that_names_the_first_row(acme: Organization) -> None:
    event = grown(acme)[1]
    with as_superuser_without_triggers():
        sql("UPDATE accesscontrol_auditevent SET outcome = 'denied' WHERE id = %s", event.pk)
    out = StringIO()
    with pytest.raises(CommandError, match=r"^The audit trail is not whole: acme\.$"):
        run("verify_audit", "--json", out=out)
    [found] = json.loads(out.getvalue())["organizations"]
    assert found["problem"] == {
        "kind": "altered",
        "row": 3,
        "event": str(event.pk),
        "message": "Row 3 was altered.",
    }
    with pytest.raises(CommandError):
        run("verify_audit", out=out)
    assert f"acme: altered: Row 3 was altered. (event {event.pk})" in out.getvalue()


def test_one_organization_can_be_asked_about_and_held_against_what_was_noted(acme: Organization) -> None:
    cast.organization("umbrella")
    noted = str(verify(acme).head)
    grown(acme)
    assert run("verify_audit", "--organization", "acme", "--noted", noted).startswith("acme: whole")
    with pytest.raises(CommandError, match="not whole"):
        run("verify_audit", "--organization", "acme", "--noted", f"1:{'00' * 32}")
    for wrong, message in (
        (["--noted", noted], "say which with --organization"),
        (["--noted", "3:abc", "--organization", "acme"], "is no head"),
        (["--organization", "nobody"], "no organization with the slug nobody"),
    ):
        with pytest.raises(CommandError, match=message):
            run("verify_audit", *wrong)


def test_what_was_noted_is_held_against_the_end_of_what_was_pruned_and_never_passes_unchecked(
    acme: Organization,
) -> None:
    noted = verify(acme).head
    grown(acme)
    last = verify(acme).head
    run("prune_audit", "--before", timezone.now().isoformat())
    assert run("verify_audit", "--organization", "acme", "--noted", str(last)).startswith("acme: whole")
    with pytest.raises(CommandError, match="not whole"):
        run("verify_audit", "--organization", "acme", "--noted", f"{last.sequence}:{'00' * 32}")
    with pytest.raises(CommandError, match="Row 1 was pruned"):
        run("verify_audit", "--organization", "acme", "--noted", str(noted))


def test_an_export_holds_every_row_in_the_order_of_the_chain(acme: Organization, bob: Member) -> None:
    audit.record(organization=acme, action="test.act", surface=Surface.MCP, outcome="ok", actor=bob, client="Zoë’s")
    rows = exported()
    assert [row["sequence"] for row in rows] == list(range(1, len(rows) + 1))
    assert rows[-1]["action"] == "audit.export"
    row = rows[-2]
    link = AuditLink.objects.select_related("event").get(sequence=row["sequence"])
    assert row == {
        "sequence": link.sequence,
        "previous_hash": bytes(link.previous_hash).hex(),
        "hash": bytes(link.hash).hex(),
        "organization": "acme",
        "organization_id": str(acme.pk),
        "id": str(link.event.pk),
        "at": link.event.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "actor_kind": "member",
        "actor_id": str(bob.pk),
        "actor": bob.user.email,
        "operator_id": None,
        "surface": "mcp",
        "client": "Zoë’s",
        "action": "test.act",
        "target": "",
        "connection": "",
        "outcome": "ok",
        "duration_ms": None,
        "request_id": "-",
        "detail": {},
    }


def test_an_exported_row_is_enough_to_recompute_its_hash(acme: Organization) -> None:
    """As docs/audit.md describes it, with nothing of ours."""
    grown(acme)
    before = "00" * 32
    for line in run("export_audit").splitlines():
        row = json.loads(line)
        detail = line.partition(', "detail": ')[2][:-1]
        text = ""
        for value in ("elaichi-audit-1", *(row[name] for name in HASHED), detail):
            text += "-" if value is None else f"{len(str(value).encode())}:{value}"
        assert sha256(text.encode()).hexdigest() == row["hash"]
        assert row["previous_hash"] == before
        before = row["hash"]


def test_an_export_keeps_to_its_times_and_its_organization(acme: Organization) -> None:
    cast.organization("umbrella")
    _, second, third = grown(acme, 3)
    rows = exported("--organization", "acme", "--since", second.at.isoformat(), "--until", third.at.isoformat())
    assert [row["id"] for row in rows] == [str(second.pk)]
    assert {row["organization"] for row in exported()} == {"acme", "umbrella"}
    tomorrow = (timezone.now() + timedelta(days=1)).date().isoformat()
    assert exported("--since", tomorrow) == []
    with pytest.raises(CommandError, match="is no date"):
        run("export_audit", "--since", "2030-02-31")


def test_an_export_takes_the_same_memory_however_long_the_trail_is(acme: Organization) -> None:
    def peak(rows: int) -> int:
        AuditEvent.objects.bulk_create(
            AuditEvent(
                organization=acme, actor_kind="system", surface="api", action="a", outcome="ok", target="x" * 200
            )
            for _ in range(rows)
        )
        gc.collect()
        tracemalloc.start()
        try:
            written = _count(exporting.lines(AuditEvent.objects.of(acme)))
            assert written >= rows
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(100)  # what is made once and kept is none of it
    # Both are more than the two batches that are held at once while one follows the other.
    few, many = peak(4500), peak(5500)
    assert many < 1.5 * few


def _count(lines: Iterator[str]) -> int:
    return sum(1 for _ in lines)


def test_pruning_says_how_many_rows_went(acme: Organization) -> None:
    grown(acme)
    assert run("prune_audit", "--before", timezone.now().isoformat()) == "acme: 6 rows pruned\n"
    assert json.loads(run("prune_audit", "--before", "2020-01-01", "--json")) == {"pruned": {"acme": 0}}
    with pytest.raises(CommandError, match="has passed"):
        run("prune_audit", "--before", (timezone.now() + timedelta(days=2)).date().isoformat())
