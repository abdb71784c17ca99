"""The pages on which an owner connects an account again, gives it away or deletes it, told what follows before."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from accesscontrol.models import Member, Organization, Surface
from accesscontrol.services import memberships
from connectors.account_state import LOST_KEY
from connectors.connecting.sessions import open_session
from connectors.execution.errors import NeedsReauth
from connectors.models import Connection, Connector, ConnectSession, Level, OAuthApp, Share
from tests import cast
from tests.connectors.sharing import LIST, fresh, listed, refusal, share
from tests.connectors.test_connecting import signed_in
from tests.connectors.toolboxes import freeze, toolbox
from tests.search.mcp.rpc import Rpc


@pytest.fixture
def otto(acme: Organization) -> Member:
    return cast.member(acme, "otto", "org-admin", staff=True)


@pytest.fixture
def mine(deskline: Connector, otto: Member) -> Connection:
    """Otto's."""
    Connection.objects.all().delete()
    return cast.connection(otto, deskline, "Main", credential={"token": "demo-deskline-acme"})


def page(name: str, account: Connection) -> str:
    return reverse(f"admin:connectors_connection_{name}", args=[account.pk])


class TestTransfer:
    def test_it_first_says_what_happens_and_then_does_it(
        self, mine: Connection, deskline: Connector, otto: Member, bob: Member, bea: Member
    ) -> None:
        share(mine, bea)
        freeze(toolbox(otto), deskline, connections=[mine])
        client, sent = signed_in(otto), {"new_owner": str(bob.pk), "keep": ""}
        said = client.post(page("transfer", mine), sent).content.decode()
        for words in (
            "bob@acme.example will own it",
            "bea@acme.example (use)",
            "otto@acme.example will not",
            "Support",
        ):
            assert words in said
        mine.refresh_from_db()
        assert mine.owner == otto
        done = client.post(page("transfer", mine), {**sent, "keep": str(Level.VIEW), "confirmed": "on"}, follow=True)
        assert "bob@acme.example" in done.content.decode()
        mine.refresh_from_db()
        assert (mine.owner, Share.objects.get(member=otto).level) == (bob, Level.VIEW)

    def test_an_administrator_only_where_the_owner_is_suspended(
        self, mine: Connection, otto: Member, alice: Member, bob: Member, bea: Member
    ) -> None:
        share(mine, bea)
        client, sent = signed_in(alice), {"new_owner": str(bob.pk), "confirmed": "on"}
        assert client.post(page("transfer", mine), sent).status_code == 403
        memberships.suspend(member=otto, surface=Surface.SYSTEM)
        assert client.post(page("transfer", mine), sent).status_code == 302
        mine.refresh_from_db()
        assert mine.owner == bob

    def test_another_organization_s_account_is_not_there_and_its_members_are_not_offered(
        self, mine: Connection, otto: Member, charlie: Member
    ) -> None:
        for name in ("transfer", "connect_again"):
            assert signed_in(charlie).get(page(name, mine)).status_code in (403, 404)
        assert "umbrella" not in signed_in(otto).get(page("transfer", mine)).content.decode()
        refused = signed_in(otto).post(page("transfer", mine), {"new_owner": str(charlie.pk), "confirmed": "on"})
        assert refused.status_code == 200
        mine.refresh_from_db()
        assert mine.owner == otto


class TestConnectingAgain:
    def test_the_owner_is_led_to_a_one_time_page(self, mine: Connection, otto: Member) -> None:
        client = signed_in(otto)
        answer = client.get(page("connect_again", mine))
        assert answer.status_code == 302
        path = answer["Location"][answer["Location"].index("/connect/") :]
        done = client.post(path, {"label": "Main", "token": "demo-deskline-globex"}).content.decode()
        assert "is connected" in done
        mine.refresh_from_db()
        assert mine.credential.reveal() == {"token": "demo-deskline-globex"}

    def test_nobody_else_authorizes_it_not_even_an_editor(self, mine: Connection, alice: Member, bob: Member) -> None:
        """What an editor signed in to would be used in the owner's name, by everybody it is shared with."""
        share(mine, bob, Level.EDIT)
        asked = {"connector": "deskline", "connection": str(mine.pk)}
        assert refusal(Rpc(cast.token(bob)), "elaichi__connection__connect", **asked)["code"] == "not_found"
        assert signed_in(alice).get(page("connect_again", mine)).status_code == 403
        assert not ConnectSession.objects.exists()


def test_before_it_is_deleted_the_page_says_what_breaks(
    mine: Connection, deskline: Connector, otto: Member, bea: Member
) -> None:
    share(mine, bea)
    freeze(toolbox(otto), deskline, connections=[mine])
    said = signed_in(otto).get(page("delete", mine)).content.decode()
    assert "shared with bea@acme.example (use)" in said
    assert "in Support" in said
    assert Connection.objects.exists()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"status": "needs_reauth", "status_reason": "Its sign-in has ended."}, "Its sign-in has ended."),
        ({"status": "needs_reauth"}, "Connect it again"),
        ({"status": "pending"}, "not been authorized yet"),
        ({"status": "disconnected"}, "its secret erased"),
    ],
)
def test_why_an_account_does_not_work_is_said_in_plain_words(
    mine: Connection, otto: Member, fields: dict[str, Any], words: str
) -> None:
    Connection.objects.update(**fields)
    client = signed_in(otto)
    assert words in client.get(reverse("admin:connectors_connection_changelist")).content.decode()
    assert words in client.get(page("change", mine)).content.decode()
    [row] = listed(Rpc(cast.token(otto)))
    assert words in row["status_reason"]


class TestLostKey:
    @pytest.fixture(autouse=True)
    def _key_is_lost(self, mine: Connection, settings: Settings) -> None:
        settings.CREDENTIAL_KEYS = ["another-key-than-what-was-used-before"]

    def test_every_list_says_so(self, mine: Connection, otto: Member) -> None:
        client = signed_in(otto)
        words = LOST_KEY.partition(".")[0]
        assert words in client.get(reverse("admin:connectors_connection_changelist")).content.decode()
        assert words in client.get(page("change", mine)).content.decode()
        assert listed(Rpc(cast.token(otto)))[0]["status_reason"] == LOST_KEY

    def test_a_call_says_what_to_do(self, otto: Member) -> None:
        assert refusal(Rpc(cast.token(otto)), LIST)["code"] == NeedsReauth.code

    def test_the_owner_connects_it_again(self, mine: Connection, deskline: Connector, otto: Member) -> None:
        _, url = open_session(fresh(otto), deskline, mine)
        path, client = url[url.index("/connect/") :], signed_in(otto)
        assert client.get(path).status_code == 200
        client.post(path, {"label": "Main", "token": "demo-deskline-acme"})
        assert not Rpc(cast.token(otto)).call(LIST)["isError"]

    def test_it_is_renamed_shared_given_away_disconnected_and_deleted(
        self, mine: Connection, otto: Member, bob: Member, admin_client: Client
    ) -> None:
        rpc = Rpc(cast.token(otto))
        for name, more in (
            ("rename", {"label": "Other"}),
            ("share", {"grantee": bob.user.email, "level": "use"}),
            ("transfer", {"new_owner": bob.user.email}),
            ("disconnect", {}),
            ("delete", {"preview": False}),
        ):
            assert not rpc.call(f"elaichi__connection__{name}", connection=str(mine.pk), **more)["isError"], name
        assert not Connection.objects.exists()

    def test_an_oauth_application_says_so_on_its_page(
        self, deskline: Connector, otto: Member, settings: Settings
    ) -> None:
        keys = settings.CREDENTIAL_KEYS
        settings.CREDENTIAL_KEYS = ["the-key-of-before"]
        app = OAuthApp.objects.create(connector=deskline, client_id="us", client_secret={"client_secret": "canary"})
        settings.CREDENTIAL_KEYS = keys
        for name, args in (("changelist", []), ("change", [app.pk])):
            shown = signed_in(otto).get(reverse(f"admin:connectors_oauthapp_{name}", args=args))
            assert shown.status_code == 200
            assert "lost with its key: enter it again" in shown.content.decode()
