"""Members see their own rows, holders of audit:view all of their organization's, over MCP and in the admin."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accesscontrol import audit
from accesscontrol.models import AuditEvent, Member, Organization, Surface, User
from accesscontrol.permissions import Scope
from tests import cast
from tests.search.mcp.rpc import Rpc

NAME = "elaichi__audit__list"


@pytest.fixture
def people(acme: Organization, alice: Member, bob: Member, charlie: Member) -> dict[str, Member]:
    """Three rows each, and Aud the auditor."""
    found = {"alice": alice, "bob": bob, "charlie": charlie, "aud": cast.member(acme, "aud", "auditor", staff=True)}
    for member in found.values():
        for outcome in ("ok", "restricted", "ok"):
            audit.record(
                organization=member.organization,
                action="test.act",
                surface=Surface.API,
                outcome=outcome,
                actor=member,
                target=f"of {member.user.name}",
            )
    return found


def listed(of: Member, /, **arguments: Any) -> list[dict[str, Any]]:
    return list(_answer(of, **arguments)["events"])


def _answer(of: Member, /, **arguments: Any) -> dict[str, Any]:
    answer = Rpc(cast.token(of)).call(NAME, **arguments)
    assert not answer["isError"], answer
    content: dict[str, Any] = answer["structuredContent"]
    return content


def test_a_member_sees_their_own_rows_alone(people: dict[str, Member]) -> None:
    assert {row["actor"] for row in listed(people["bob"])} == {"bob@acme.example"}
    assert listed(people["bob"], member="alice@acme.example") == []


@pytest.mark.parametrize("name", ["alice", "aud"])
def test_who_may_view_the_trail_sees_all_of_their_organization_and_nothing_else(
    people: dict[str, Member], name: str
) -> None:
    rows = listed(people[name], limit=200)
    assert {row["actor"] for row in rows} == {"", "alice@acme.example", "bob@acme.example", "aud@acme.example"}
    assert "umbrella" not in json.dumps(rows).lower()
    assert listed(people[name], member="charlie@umbrella.example") == []


def test_rows_come_newest_first_with_all_that_they_say(people: dict[str, Member]) -> None:
    newest, *_ = listed(people["bob"], action="test.act")
    event = AuditEvent.objects.filter(actor=people["bob"], action="test.act").order_by("-at")[0]
    assert newest == {
        "id": str(event.pk),
        "at": event.at.isoformat(),
        "actor": "bob@acme.example",
        "actor_kind": "member",
        "surface": "api",
        "client": "",
        "action": "test.act",
        "target": "of Bob",
        "connection": "",
        "outcome": "ok",
        "duration_ms": None,
        "request_id": "-",
        "detail": {},
    }


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        ({"action": "test.act"}, 9),
        ({"action": "test.act", "outcome": "restricted"}, 3),
        ({"action": "test.act", "member": "BOB@acme.example"}, 3),
        ({"member": "bob@acme.example", "outcome": "restricted"}, 1),
        ({"action": "test.act", "since": (timezone.now() - timedelta(days=1)).isoformat()}, 9),
        ({"since": "9999-12-31T23:59:59-14:00"}, 0),
        ({"action": "test.act", "since": "0001-01-01T00:00:00+14:00"}, 9),
        ({"action": "test.other"}, 0),
    ],
)
def test_filters_narrow_what_is_shown(people: dict[str, Member], arguments: dict[str, str], count: int) -> None:
    assert len(listed(people["alice"], **arguments)) == count


@pytest.mark.parametrize(
    "arguments", [{"since": "yesterday"}, {"since": "2030-01-31T17:00:00"}, {"cursor": "x"}, {"limit": 0}]
)
def test_what_is_no_filter_is_told(bob: Member, arguments: dict[str, Any]) -> None:
    answer = Rpc(cast.token(bob)).call(NAME, **arguments)
    assert answer["structuredContent"]["error"]["code"] == "invalid_arguments"


def test_pages_hold_each_row_once_though_rows_come_meanwhile(people: dict[str, Member]) -> None:
    expected = [str(key) for key in AuditEvent.objects.filter(action="test.act").values_list("pk", flat=True)]
    expected = [key for key in expected if AuditEvent.objects.get(pk=key).organization.slug == "acme"]
    found: list[str] = []
    cursor = ""
    while True:
        page = _answer(people["alice"], action="test.act", limit=2, cursor=cursor)
        found += [row["id"] for row in page["events"]]
        if "next_cursor" not in page:
            break
        cursor = page["next_cursor"]
        audit.record(organization=people["bob"].organization, action="test.act", surface=Surface.API, outcome="ok")
    assert found == expected


def test_rows_of_one_moment_are_told_apart(acme: Organization, alice: Member) -> None:
    now = timezone.now()
    rows = AuditEvent.objects.bulk_create(
        AuditEvent(organization=acme, actor_kind="system", surface="api", action="test.same", outcome="ok")
        for _ in range(5)
    )
    assert len({row.at for row in rows}) >= 1
    first = _answer(alice, action="test.same", limit=3, since=(now - timedelta(minutes=1)).isoformat())
    second = _answer(alice, action="test.same", limit=3, cursor=first["next_cursor"])
    assert len({row["id"] for row in (*first["events"], *second["events"])}) == 5


def test_a_cursor_opens_nothing_to_whoever_holds_it(people: dict[str, Member]) -> None:
    page = _answer(people["alice"], limit=1)
    rows = listed(people["charlie"], cursor=page["next_cursor"])
    assert "acme" not in json.dumps(rows)


def test_reading_needs_the_scope_to_read(bob: Member) -> None:
    answer = Rpc(cast.token(bob, scopes=[Scope.TOOLS])).call(NAME)
    assert answer["structuredContent"]["error"]["code"] == "scope_required"


class TestAdmin:
    url = property(lambda self: reverse("admin:accesscontrol_auditevent_changelist"))

    def export(self, user: User, *events: AuditEvent, **more: str) -> Any:
        client = Client()
        client.force_login(user)
        chosen = [str(event.pk) for event in events]
        return client.post(self.url, {"action": "export", "_selected_action": chosen, **more})

    @pytest.mark.parametrize("name", ["alice", "aud"])
    @pytest.mark.usefixtures("chained")
    def test_the_whole_list_is_exported_as_it_is_filtered(self, people: dict[str, Member], name: str) -> None:
        some = AuditEvent.objects.of(people[name].organization)[0]
        response = self.export(people[name].user, some, select_across="1")
        assert response.headers["Content-Disposition"] == 'attachment; filename="audit.jsonl"'
        rows = [json.loads(line) for line in response.getvalue().decode().splitlines()]
        assert {row["organization"] for row in rows} == {"acme"}
        assert len(rows) >= AuditEvent.objects.of(people[name].organization).count() - 1

    @pytest.mark.usefixtures("chained")
    def test_an_export_is_in_the_trail(self, people: dict[str, Member]) -> None:
        [chosen] = AuditEvent.objects.filter(actor=people["bob"])[:1]
        rows = self.export(people["aud"].user, chosen).getvalue().decode().splitlines()
        assert [json.loads(row)["id"] for row in rows] == [str(chosen.pk)]
        event = AuditEvent.objects.get(action="audit.export")
        assert (event.actor, event.surface, event.organization) == (people["aud"], "admin", chosen.organization)

    @pytest.mark.usefixtures("chained")
    def test_another_organization_s_rows_are_not_exported(self, people: dict[str, Member]) -> None:
        foreign = AuditEvent.objects.of(people["charlie"].organization)[0]
        response = self.export(people["aud"].user, foreign)
        assert b"umbrella" not in b"".join(response) if response.streaming else response.status_code == 302
        assert not AuditEvent.objects.of(people["charlie"].organization).filter(action="audit.export").exists()

    def test_without_the_permission_there_is_no_page(self, people: dict[str, Member]) -> None:
        staff = cast.member(people["bob"].organization, "stan", "people-admin", staff=True)
        assert self.export(staff.user, AuditEvent.objects.of(staff.organization)[0]).status_code == 403

    @pytest.mark.usefixtures("chained")
    def test_a_row_s_page_shows_its_place_and_cannot_be_changed(self, people: dict[str, Member]) -> None:
        client = Client()
        client.force_login(people["alice"].user)
        event = AuditEvent.objects.filter(actor=people["bob"])[0]
        page = client.get(reverse("admin:accesscontrol_auditevent_change", args=[event.pk]))
        assert bytes(event.link.hash).hex() in page.content.decode()
        assert "_save" not in page.content.decode()
        assert "delete_selected" not in client.get(self.url).content.decode()
