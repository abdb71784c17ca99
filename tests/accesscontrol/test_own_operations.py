"""The operations over the organization, its roles, and one's own clients; and what no client may do at any scope."""

import pytest

from accesscontrol.models import Grant, Member
from accesscontrol.permissions import Permission, Scope
from tests import cast
from tests.search.mcp.rpc import Rpc


def test_a_caller_is_told_who_they_are_and_what_this_client_may(bob: Member) -> None:
    said = Rpc(cast.token(bob, scopes=[Scope.READ])).call("elaichi__organization__get")["structuredContent"]
    assert said["organization"] == {"slug": "acme", "name": "Acme"}
    assert (said["you"]["email"], said["you"]["role"], said["you"]["scopes"]) == (
        "bob@acme.example",
        "Member",
        ["mcp:read"],
    )
    assert Permission.TOOL_EXECUTE in said["you"]["permissions"]
    assert Permission.MEMBER_MANAGE not in said["you"]["permissions"]


def test_roles_are_listed_with_what_they_permit_and_how_many_have_them(alice: Member, bob: Member) -> None:
    roles = Rpc(cast.token(alice)).call("elaichi__role__list")["structuredContent"]["roles"]
    member = next(role for role in roles if role["slug"] == "member")
    assert (member["members"], member["built_in"], member["label"]) == (1, True, "Member")
    assert member["permissions"] == sorted(bob.role.permissions)


@pytest.mark.parametrize("operation", ["role__list", "permission__list"])
def test_roles_are_shown_to_those_who_may_see_them(bob: Member, operation: str) -> None:
    error = Rpc(cast.token(bob)).call(f"elaichi__{operation}")["structuredContent"]["error"]
    assert (error["code"], error["permission"]) == ("permission_required", "role:view")


def test_every_permission_is_listed(alice: Member) -> None:
    found = Rpc(cast.token(alice)).call("elaichi__permission__list")["structuredContent"]["permissions"]
    assert [row["name"] for row in found] == list(Permission)


def test_a_member_sees_their_own_live_clients_alone(bob: Member, alice: Member) -> None:
    cast.token(alice)
    first, second = Rpc(cast.token(bob)), Rpc(cast.token(bob, scopes=[Scope.TOOLS]))
    rows = first.call("elaichi__grant__list")["structuredContent"]["grants"]
    assert sorted(row["scopes"] for row in rows) == [
        ["mcp:destructive", "mcp:read", "mcp:tools", "mcp:write"],
        ["mcp:tools"],
    ]
    assert [row["is_this_client"] for row in rows].count(True) == 1
    assert second.send("ping").status_code == 200


def test_a_client_s_access_is_ended_at_once_and_only_by_its_owner(bob: Member, alice: Member) -> None:
    mine, other, foreign = Rpc(cast.token(bob)), Rpc(cast.token(bob)), Rpc(cast.token(alice))
    other_grant = Grant.objects.filter(member=bob).order_by("created_at").last()
    assert other_grant is not None
    refused = foreign.call("elaichi__grant__revoke", grant=str(other_grant.pk))["structuredContent"]["error"]
    assert refused["code"] == "not_found"
    assert other.send("ping").status_code == 200
    ended = mine.call("elaichi__grant__revoke", grant=str(other_grant.pk))["structuredContent"]
    assert ended["revoked"] is True
    assert other.send("ping").status_code == 401


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("elaichi__grant__create", "grant"),
        ("elaichi__token__create", "grant"),
        ("elaichi__role__update", "role"),
        ("elaichi__member__suspend", "member"),
        ("elaichi__restriction__create", "restriction"),
        ("elaichi__access_request__approve", "accessrequest"),
    ],
)
def test_what_no_client_may_do_says_where_a_person_does_it(alice: Member, name: str, page: str) -> None:
    rpc = Rpc(cast.token(alice))
    assert name not in {tool["name"] for tool in rpc.result("tools/list")["tools"]}
    error = rpc.call(name)["structuredContent"]["error"]
    assert error["code"] == "only_in_admin"
    assert error["where"].endswith(f"/admin/accesscontrol/{page}/")


def test_a_list_keeps_what_holds_the_words_asked_for(alice: Member, bob: Member) -> None:
    rpc = Rpc(cast.token(alice))
    for asked, found in (("BOB@", ["bob@acme.example"]), ("owner", ["alice@acme.example"]), ("\0nobody", [])):
        rows = rpc.call("elaichi__member__list", q=asked)["structuredContent"]["members"]
        assert [row["email"] for row in rows] == found
