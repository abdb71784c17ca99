"""Changing a grant: its owner decides anew, everybody else can only take away, and the next call obeys."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client

from accesscontrol.exceptions import Conflict, NotFound, PermissionRequired
from accesscontrol.models import AuditEvent, Grant, Member, Role, Surface
from accesscontrol.permissions import Scope
from accesscontrol.services import grant_changes, grants, memberships
from connectors.models import Connector, Toolbox
from connectors.services import sharing
from tests import cast
from tests.accesscontrol.oauth.browser import query
from tests.accesscontrol.oauth.dance import Dance
from tests.connectors.toolboxes import NAME, freeze, share, toolbox
from tests.search.mcp.rpc import Rpc

READ, TOOLS, DESTRUCTIVE = Scope.READ, Scope.TOOLS, Scope.DESTRUCTIVE


def change(grant: Grant, actor: Member | None, *scopes: Scope, toolboxes: list[UUID] | None = None) -> Grant:
    return grant_changes.change(grant=grant, scopes=scopes, toolboxes=toolboxes, surface=Surface.ADMIN, actor=actor)


def browser(member: Member) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def saves(who: Member, grant: Grant, **asked: Any) -> Any:
    return browser(who).post(f"/grants/{grant.pk}/", data={"reach": "all", **asked})


@pytest.fixture
def dance(bob: Member) -> Dance:
    return Dance(bob)


@pytest.fixture
def token(dance: Dance) -> str:
    found: str = dance.tokens()["access_token"]
    return found


@pytest.fixture
def grant(token: str) -> Grant:
    return Grant.objects.get()


def in_force(token: str) -> list[str]:
    return sorted(grants.authenticate(token).scopes)


def test_what_its_owner_takes_away_or_adds_counts_on_the_next_call(token: str, grant: Grant, bob: Member) -> None:
    assert saves(bob, grant, allowed=["mcp:read"])["Location"] == "/grants/"
    assert in_force(token) == ["mcp:read"]
    saves(bob, grant, allowed=["mcp:read", "mcp:tools", "mcp:destructive"])
    assert in_force(token) == ["mcp:destructive", "mcp:read", "mcp:tools"]


def test_a_token_that_its_client_asked_to_be_narrower_stays_so(dance: Dance, bob: Member) -> None:
    narrow = dance.refreshes(dance.tokens()["refresh_token"], scope="mcp:read").json()
    change(Grant.objects.get(), bob, READ, TOOLS, DESTRUCTIVE)
    assert in_force(narrow["access_token"]) == ["mcp:read"]
    again = dance.refreshes(narrow["refresh_token"]).json()
    assert in_force(again["access_token"]) == ["mcp:destructive", "mcp:read", "mcp:tools"]


def test_the_trail_says_who_changed_what(grant: Grant, bob: Member) -> None:
    change(grant, bob, READ, DESTRUCTIVE)
    event = AuditEvent.objects.get(action="grant.change")
    assert (event.actor, event.target, event.client) == (bob, f"grant:{grant.pk}", "A client")
    assert event.detail == {
        "member": "bob@acme.example",
        "scopes": ["mcp:destructive", "mcp:read"],
        "added": ["mcp:destructive"],
        "removed": ["mcp:tools"],
        "toolboxes": "all",
    }


def test_saving_without_a_change_leaves_no_trace(grant: Grant, bob: Member) -> None:
    change(grant, bob, READ, TOOLS)
    assert not AuditEvent.objects.filter(action="grant.change").exists()


def test_an_administrator_only_takes_away(grant: Grant, alice: Member) -> None:
    with pytest.raises(grant_changes.OnlyItsOwner):
        change(grant, alice, READ, TOOLS, DESTRUCTIVE)
    change(grant, alice, READ)
    with pytest.raises(grant_changes.OnlyItsOwner):
        change(grant, alice, READ, TOOLS)
    with pytest.raises(grant_changes.OnlyItsOwner):
        change(grant, None, READ, TOOLS)


def test_an_administrator_can_confine_and_never_free(grant: Grant, alice: Member, bob: Member) -> None:
    first, second = (toolbox(bob, name).pk for name in ("First", "Second"))
    change(grant, alice, READ, TOOLS, toolboxes=[first, second])
    change(grant, alice, READ, TOOLS, toolboxes=[first])
    for wider in (None, [second], [first, second]):
        with pytest.raises(grant_changes.OnlyItsOwner):
            change(grant, alice, READ, TOOLS, toolboxes=wider)
    assert Grant.objects.get().toolboxes == [first]


def test_nobody_without_the_permission_changes_another_s(grant: Grant, acme: Any, charlie: Member) -> None:
    for stranger in (cast.member(acme, "mia"), charlie):
        with pytest.raises(PermissionRequired):
            change(grant, stranger, READ)
        assert saves(stranger, grant, allowed=["mcp:read"]).status_code == 404
        assert browser(stranger).get(f"/grants/{grant.pk}/").status_code == 404


def test_something_is_left_or_it_is_ended(grant: Grant, bob: Member) -> None:
    for scopes, boxes in (((), None), ((READ,), [])):
        with pytest.raises(grant_changes.NothingLeft):
            change(grant, bob, *scopes, toolboxes=boxes)
    assert saves(bob, grant, allowed=[]).status_code == 400
    toolbox(bob)
    assert "Tick at least one toolbox" in saves(bob, grant, allowed=["mcp:read"], reach="only").content.decode()


def test_no_toolbox_of_another_s_is_taken(grant: Grant, alice: Member, bob: Member) -> None:
    for box in (toolbox(alice, "Hers").pk, uuid4()):
        with pytest.raises(Conflict):
            change(grant, bob, READ, toolboxes=[box])
        assert saves(bob, grant, allowed=["mcp:read"], reach="only", only=[str(box)]).status_code == 400


def test_what_has_ended_stays_as_it_was(grant: Grant, bob: Member) -> None:
    grants.revoke(grant=grant, reason="a test", surface=Surface.SYSTEM)
    with pytest.raises(NotFound):
        change(grant, bob, READ)
    assert saves(bob, grant, allowed=["mcp:read"]).status_code == 404


def test_who_may_make_no_tokens_makes_an_old_one_no_wider(bob: Member) -> None:
    cast.token(bob, scopes=[READ, TOOLS])
    memberships.change_role(
        member=bob, role=Role.objects.get(organization=bob.organization, slug="guest"), surface=Surface.SYSTEM
    )
    change(Grant.objects.get(), bob, READ)
    with pytest.raises(PermissionRequired):
        change(Grant.objects.get(), bob, READ, TOOLS)


def test_the_admin_shows_a_client_and_takes_away(grant: Grant, alice: Member, bob: Member) -> None:
    box = toolbox(bob, "Support desk")
    address = f"/admin/accesscontrol/grant/{grant.pk}/change/"
    page = browser(alice).get(address).content.decode()
    for shown in ("Name not confirmed by anybody", "client.example", "Support desk", "mcp:read, mcp:tools"):
        assert shown in page
    assert 'value="mcp:destructive"' not in page
    asked = {"allowed": ["mcp:tools"], "reach": "only", "only": [str(box.pk)]}
    assert browser(alice).post(address, data=asked).status_code == 302
    changed = Grant.objects.get()
    assert (changed.scopes, changed.toolboxes) == (["mcp:tools"], [box.pk])
    assert AuditEvent.objects.get(action="grant.change").actor == alice
    page = browser(alice).get(address).content.decode()
    assert "Only the tools of: Support desk" in page
    assert 'value="all"' not in page
    browser(alice).post(address, data={**asked, "allowed": ["mcp:tools", "mcp:destructive"]})
    assert Grant.objects.get().scopes == ["mcp:tools"]


def test_the_admin_s_list_says_whose_client_it_is_and_with_which_tools(grant: Grant, alice: Member) -> None:
    page = browser(alice).get("/admin/accesscontrol/grant/").content.decode()
    for shown in ("A client", "Name not confirmed", "bob@acme.example", "mcp:read, mcp:tools", "All"):
        assert shown in page


@pytest.fixture
def box(bob: Member, deskline: Connector) -> Toolbox:
    made = toolbox(bob)
    freeze(made, deskline)
    return made


def found(token: str) -> list[str]:
    return [row["name"] for row in Rpc(token).found("list tickets", limit=50)["result"]]


def test_a_toolbox_ticked_later_confines_the_client_at_once(
    token: str, grant: Grant, box: Toolbox, bob: Member
) -> None:
    assert "deskline_list_tickets" in found(token)
    assert box.name in browser(bob).get(f"/grants/{grant.pk}/").content.decode()
    saves(bob, grant, allowed=["mcp:tools"], reach="only", only=[str(box.pk)])
    assert found(token) == [NAME]
    assert not Rpc(token).call(NAME)["isError"]
    assert f"Only the tools of: {box.name}" in browser(bob).get("/grants/").content.decode()
    saves(bob, grant, allowed=["mcp:tools"], reach="all")
    assert "deskline_list_tickets" in found(token)


def test_a_toolbox_that_is_lost_leaves_the_client_nothing_and_not_everything(
    box: Toolbox, deskline: Connector, bob: Member
) -> None:
    bea = cast.member(bob.organization, "bea")
    cast.connection(bea, deskline, "Bea's", credential={"token": "demo-deskline-acme"})
    share(box, bea)
    dance = Dance(bea)
    code = query(dance.answers(form={"only": [str(box.pk)]})["Location"])["code"]
    access = dance.exchanges(code).json()["access_token"]
    assert found(access) == [NAME]
    sharing.unshare(target=box, grantee=bea, surface=Surface.SYSTEM, actor=bob)
    assert found(access) == []
    grant = Grant.objects.get(member=bea)
    page = browser(bea).get(f"/grants/{grant.pk}/").content.decode()
    assert "is gone, or not shared with you any more" in page
    assert box.name not in page
    kept: dict[str, Any] = {"allowed": ["mcp:tools"], "reach": "only", "only": [str(box.pk)]}
    assert saves(bea, grant, **kept)["Location"] == "/grants/"
    box.delete()
    assert found(access) == []
    assert Grant.objects.get(member=bea).toolboxes == [UUID(kept["only"][0])]


def test_a_toolbox_lost_while_the_consent_page_is_open_is_no_consent_to_everything(box: Toolbox, bob: Member) -> None:
    bea = cast.member(bob.organization, "bea")
    dance = Dance(bea)
    answer = dance.answers(form={"only": [str(box.pk)]})
    assert answer.status_code == 400
    assert "is not there any more" in answer.content.decode()
    assert not Grant.objects.filter(member=bea).exists()
