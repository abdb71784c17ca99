"""Giving an account away and deleting it by operation: first what follows, then the thing itself."""

from typing import Any

import pytest

from accesscontrol.models import Member, Organization
from accesscontrol.permissions import Scope
from connectors.models import Connection, Share
from tests import cast
from tests.connectors.sharing import refusal, share
from tests.connectors.toolboxes import freeze, toolbox
from tests.search.mcp.rpc import Rpc

TRANSFER, DELETE = "elaichi__connection__transfer", "elaichi__connection__delete"


@pytest.fixture
def account(bob: Member, acme: Organization) -> Connection:
    connector = cast.connector(acme)
    cast.tool(connector, "create_page")
    made = cast.connection(bob, connector, "Books")
    freeze(toolbox(bob, "Press"), connector, "create_page", name="publish", connections=[made])
    return made


@pytest.fixture
def rpc(bob: Member) -> Rpc:
    return Rpc(cast.token(bob))


def called(rpc: Rpc, name: str, account: Connection, **arguments: Any) -> dict[str, Any]:
    answer = rpc.call(name, connection=str(account.pk), **arguments)
    assert not answer["isError"], answer
    return dict(answer["structuredContent"])


def test_a_transfer_first_says_who_keeps_and_who_loses_what(
    rpc: Rpc, account: Connection, acme: Organization, alice: Member
) -> None:
    share(account, cast.team(acme, "Support"))
    said = called(rpc, TRANSFER, account, new_owner="alice@acme.example")
    assert said.pop("next_step").startswith("Nothing has changed.")
    assert said == {
        "id": str(account.pk),
        "done": False,
        "new_owner": "alice@acme.example",
        "label": "Books",
        "keeps_access": ["Support (use)"],
        "loses_access": ["bob@acme.example"],
        "tools_that_stop": ["publish in Press"],
    }
    account.refresh_from_db()
    assert account.owner.user.email == "bob@acme.example"


def test_a_transfer_is_done_when_it_is_said_so(rpc: Rpc, account: Connection, alice: Member, bob: Member) -> None:
    said = called(rpc, TRANSFER, account, new_owner="Alice@acme.example", keep="use", preview=False)
    assert (said["done"], said["keeps_access"], said["tools_that_stop"]) == (True, ["bob@acme.example (use)"], [])
    account.refresh_from_db()
    assert account.owner == alice
    assert Share.objects.get(connection=account).member == bob


def test_a_deletion_first_says_what_breaks(rpc: Rpc, account: Connection, alice: Member) -> None:
    share(account, alice)
    said = called(rpc, DELETE, account)
    assert (said["shared_with"], said["tools_that_stop"]) == (["alice@acme.example (use)"], ["publish in Press"])
    assert (said["done"], said["tools"], said["other_accounts"], said["files"]) == (False, 1, [], 0)
    assert Connection.objects.filter(pk=account.pk).exists()
    assert called(rpc, DELETE, account, preview=False)["done"]
    assert not Connection.objects.exists()


@pytest.mark.parametrize("operation", [TRANSFER, DELETE])
@pytest.mark.parametrize("preview", [True, False])
def test_only_its_owner_hears_what_follows(account: Connection, alice: Member, operation: str, preview: bool) -> None:
    rpc = Rpc(cast.token(alice))
    given: dict[str, Any] = {"connection": str(account.pk), "preview": preview}
    given |= {"new_owner": "alice@acme.example"} if operation == TRANSFER else {}
    assert refusal(rpc, operation, **given)["code"] == "not_found"
    share(account, alice)
    error = refusal(rpc, operation, **given)
    assert (error["code"], error["owner"]) == ("permission_required", "bob@acme.example")


def test_a_grant_that_may_not_destroy_does_neither(bob: Member, account: Connection) -> None:
    rpc = Rpc(cast.token(bob, scopes=[Scope.READ, Scope.WRITE]))
    assert refusal(rpc, DELETE, connection=str(account.pk))["scope"] == "mcp:destructive"


def test_a_new_owner_who_is_not_here_is_named_as_such(rpc: Rpc, account: Connection) -> None:
    error = refusal(rpc, TRANSFER, connection=str(account.pk), new_owner="nobody@acme.example")
    assert error["message"] == "There is no such member within your reach."
