"""Every row says who, as what, through what, on what, how it ended, how long it took, and in which request."""

from unittest.mock import ANY

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accesscontrol import audit
from accesscontrol.caller import Caller, caller_of
from accesscontrol.exceptions import Conflict
from accesscontrol.models import AuditEvent, Member, Organization, Surface, User
from accesscontrol.permissions import Scope
from accesscontrol.services import memberships
from connectors.models import Connector
from tests import cast
from tests.search.mcp.rpc import Rpc

COLUMNS = (
    "actor_kind",
    "actor",
    "operator",
    "surface",
    "client",
    "action",
    "target",
    "connection",
    "outcome",
    "duration_ms",
    "request_id",
)


def last_row() -> dict[str, object]:
    row: dict[str, object] = AuditEvent.objects.order_by("-at").values(*COLUMNS)[0]
    return row


def test_a_call_over_mcp_is_a_member_s(deskline: Connector, bob: Member) -> None:
    rpc = Rpc(cast.token(bob))
    rpc.send("tools/call", {"name": "deskline_list_tickets", "arguments": {}}, X_Request_ID="request-17")
    row = last_row()
    assert isinstance(row["duration_ms"], int)
    assert row == {
        "actor_kind": "member",
        "actor": bob.pk,
        "operator": None,
        "surface": "mcp",
        "client": "A test",
        "action": "tool.call",
        "target": "deskline_list_tickets",
        "connection": "Deskline: Acme",
        "outcome": "ok",
        "duration_ms": ANY,
        "request_id": "request-17",
    }


def suspended_in_the_admin(by: User, member: Member) -> dict[str, object]:
    client = Client()
    client.force_login(by)
    client.post(
        reverse("admin:accesscontrol_member_changelist"),
        {"action": "suspend", "_selected_action": [str(member.pk)]},
        headers={"X-Request-ID": "request-18"},
    )
    event = AuditEvent.objects.get(action="member.suspend")
    assert event.duration_ms is not None
    return {name: getattr(event, name) for name in COLUMNS}


def test_a_change_in_the_admin_is_a_member_s_where_the_administrator_is_one(alice: Member, bob: Member) -> None:
    row = suspended_in_the_admin(alice.user, bob)
    assert (row["actor_kind"], row["actor"], row["operator"]) == ("member", alice, None)
    assert (row["surface"], row["request_id"]) == ("admin", "request-18")


def test_a_superuser_from_outside_is_an_operator_and_the_row_says_which(alice: Member, bob: Member) -> None:
    root = User.objects.create_superuser("root@example.com", cast.PASSWORD)
    row = suspended_in_the_admin(root, bob)
    assert (row["actor_kind"], row["actor"], row["operator"]) == ("operator", None, root)
    assert row["request_id"] == "request-18"


def test_a_command_s_change_is_the_system_s(bob: Member) -> None:
    memberships.suspend(member=bob, surface=Surface.SYSTEM)
    row = last_row()
    assert (row["actor_kind"], row["actor"], row["operator"]) == ("system", None, None)
    assert (row["surface"], row["request_id"], row["duration_ms"]) == ("system", "-", None)


@pytest.fixture
def caller(bob: Member) -> Caller:
    return caller_of(bob, surface=Surface.API, client="Cron")


def test_a_call_is_recorded_with_how_it_ended(caller: Caller) -> None:
    with audit.call(caller, action="test.call", target="a"):
        pass
    assert (last_row()["outcome"], last_row()["client"]) == ("ok", "Cron")
    with pytest.raises(Conflict), audit.call(caller, action="test.call", target="b"):
        raise Conflict("no")
    assert last_row()["outcome"] == "conflict"


@pytest.mark.parametrize("error", [ZeroDivisionError, SystemExit, KeyboardInterrupt])
def test_a_call_that_was_broken_off_is_not_recorded_as_ok(caller: Caller, error: type[BaseException]) -> None:
    with pytest.raises(error), audit.call(caller, action="test.call", target="a"):
        raise error("a secret")
    assert last_row()["outcome"] == "internal_error"
    assert "a secret" not in str(AuditEvent.objects.values())


def test_a_row_and_what_it_tells_of_happen_both_or_neither(acme: Organization, bob: Member) -> None:
    before = AuditEvent.objects.count()
    with transaction.atomic():
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        transaction.set_rollback(True)
    bob.refresh_from_db()
    assert (bob.status, AuditEvent.objects.count()) == ("active", before)


def test_what_cannot_be_recorded_does_not_happen(acme: Organization, bob: Member) -> None:
    def suspended_without_a_trace() -> None:
        with transaction.atomic():
            memberships.suspend(member=bob, surface=Surface.SYSTEM)
            AuditEvent.objects.create(organization=acme, actor_kind="nobody", surface="mcp", action="a", outcome="ok")

    with pytest.raises(IntegrityError):
        suspended_without_a_trace()
    bob.refresh_from_db()
    assert bob.status == "active"


def test_every_scope_of_a_caller_stays_out_of_the_row(bob: Member) -> None:
    """A row says who and what; what the grant may do is the grant's to say."""
    Rpc(cast.token(bob, scopes=[Scope.READ])).call("elaichi__member__list")
    assert "mcp:" not in str(last_row())
