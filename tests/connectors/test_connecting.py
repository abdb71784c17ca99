"""Connecting an account: on a page of one's own, once, and never through a model."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accesscontrol.models import AuditEvent, Member, Restriction, Role, Surface
from accesscontrol.permissions import Scope
from accesscontrol.services import memberships, restrictions
from connectors.connecting.sessions import SessionOver, complete
from connectors.models import Connection, Connector, ConnectSession
from connectors.services import connectors
from tests import cast
from tests.search.mcp.rpc import Rpc

GOOD, BAD = "demo-deskline-globex", "a-wrong-canary-token"


@pytest.fixture
def page(deskline: Connector, bob: Member) -> str:
    """The path of a page that Bob's model was handed."""
    Connection.objects.all().delete()
    return start(bob)


def start(member: Member, connector: str = "deskline") -> str:
    result = Rpc(cast.token(member)).call("elaichi__connection__connect", connector=connector)
    assert not result["isError"], result
    url: str = result["structuredContent"]["connect_url"]
    return url[url.index("/connect/") :]


def signed_in(member: Member) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def test_a_person_types_the_secret_on_their_page_and_the_tools_are_there(page: str, bob: Member) -> None:
    client = signed_in(bob)
    assert "Connect Deskline" in client.get(page).content.decode()
    done = client.post(page, {"label": "Globex", "token": GOOD})
    assert "Deskline is connected" in done.content.decode()
    stored = Connection.objects.get(owner=bob)
    assert (stored.status, stored.label, stored.credential.reveal()) == ("active", "Globex", {"token": GOOD})
    assert Rpc(cast.token(bob)).found("list tickets")["matched"]
    assert GOOD not in str(list(AuditEvent.objects.values()))


def test_without_a_session_one_signs_in_first_and_comes_back(page: str, bob: Member) -> None:
    client = Client()
    response = client.get(page)
    assert (response.status_code, response.headers["Location"]) == (302, f"/login/?next={page}")
    form = client.get(response.headers["Location"])
    assert f'value="{page}"' in form.content.decode()
    after = client.post("/login/", {"username": bob.user.email, "password": cast.PASSWORD, "next": page})
    assert after.headers["Location"] == page


def test_a_browser_may_post_the_pages(page: str, bob: Member) -> None:
    """With a stricter referrer policy browsers send `Origin: null`, which the check against forged requests refuses."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(bob.user)
    form = client.get(page)
    assert form.headers["Referrer-Policy"] == "same-origin"
    assert 'name="referrer"' not in form.content.decode()
    token = form.context["csrf_token"]
    answer = client.post(
        page,
        {"label": "Globex", "token": GOOD, "csrfmiddlewaretoken": str(token)},
        headers={"Origin": "http://testserver"},
    )
    assert "Deskline is connected" in answer.content.decode()
    assert client.post(page, {"label": "Globex", "token": GOOD}).status_code == 403


def test_a_page_works_once_for_its_own_member_and_for_ten_minutes(page: str, bob: Member) -> None:
    bea = cast.member(bob.organization, "bea")
    assert signed_in(bea).get(page).status_code == 404
    assert signed_in(bob).get("/connect/unknown/").status_code == 404
    client = signed_in(bob)
    assert client.post(page, {"label": "Main", "token": GOOD}).status_code == 200
    assert client.get(page).status_code == 404
    late = start(bob)
    ConnectSession.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.get(late).status_code == 404


def test_a_credential_that_the_product_refuses_is_not_stored_and_the_form_stays(page: str, bob: Member) -> None:
    response = signed_in(bob).post(page, {"label": "Main", "token": BAD})
    said = response.content.decode()
    assert "Deskline refused it" in said
    assert BAD not in said
    assert not Connection.objects.exists()
    assert signed_in(bob).post(page, {"label": "Main", "token": GOOD}).status_code == 200


@pytest.mark.parametrize(
    ("form", "message"),
    [({"label": "", "token": GOOD}, "required"), ({"label": "Main", "token": ""}, "required")],
)
def test_an_incomplete_form_is_told(page: str, bob: Member, form: dict[str, str], message: str) -> None:
    assert message in signed_in(bob).post(page, form).content.decode()


def test_a_label_that_is_taken_is_told(page: str, bob: Member) -> None:
    cast.connection(bob, Connector.objects.get(slug="deskline"), "Main")
    assert "named Main" in signed_in(bob).post(page, {"label": "Main", "token": GOOD}).content.decode()


@pytest.mark.parametrize("service", [memberships.suspend, memberships.remove])
def test_pages_close_with_the_membership(page: str, bob: Member, service: Any) -> None:
    service(member=bob, surface=Surface.SYSTEM)
    assert ConnectSession.objects.filter(ended_at__isnull=True).count() == 0
    if service is memberships.suspend:
        memberships.reinstate(member=bob, surface=Surface.SYSTEM)
    assert signed_in(bob).get(page).status_code == 404


@pytest.mark.parametrize("moved", [{"base_url": "http://127.0.0.1:9"}, {"hosts": ["elsewhere.example"]}])
def test_a_page_closes_when_its_connector_moves(
    page: str, bob: Member, deskline: Connector, moved: dict[str, Any]
) -> None:
    """What is typed goes where the page said that it would, or nowhere."""
    connectors.change(connector=deskline, changes=moved, surface=Surface.SYSTEM)
    assert signed_in(bob).post(page, {"label": "Main", "token": GOOD}).status_code == 404
    assert not Connection.objects.exists()


def test_a_restricted_connector_cannot_be_connected(deskline: Connector, bob: Member) -> None:
    restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, connectors=["deskline"], surface=Surface.SYSTEM)
    error = Rpc(cast.token(bob)).call("elaichi__connection__connect", connector="deskline")["structuredContent"][
        "error"
    ]
    assert (error["code"], error["scope"]) == ("restricted", "connector")


def test_a_rule_closes_a_page_that_was_handed_out_before(page: str, bob: Member, deskline: Connector) -> None:
    session = ConnectSession.objects.get()
    restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, connectors=["deskline"], surface=Surface.SYSTEM)
    assert signed_in(bob).post(page, {"label": "Main", "token": GOOD}).status_code == 404
    with pytest.raises(SessionOver):
        complete(session, label="Main", credential={"token": GOOD})
    assert not Connection.objects.exists()


def test_so_does_a_role_that_connects_nothing(page: str, bob: Member) -> None:
    Member.objects.filter(pk=bob.pk).update(role=Role.objects.get(organization=bob.organization, slug="guest"))
    assert signed_in(bob).get(page).status_code == 404


def test_what_is_not_there_or_not_permitted_is_told(deskline: Connector, bob: Member, charlie: Member) -> None:
    def code(rpc: Rpc, connector: str) -> str:
        error = rpc.call("elaichi__connection__connect", connector=connector)["structuredContent"]["error"]
        said: str = error["code"]
        return said

    assert code(Rpc(cast.token(bob)), "nonsense") == "not_found"
    assert code(Rpc(cast.token(charlie)), "deskline") == "not_found"
    assert code(Rpc(cast.token(bob, scopes=[Scope.READ])), "deskline") == "scope_required"
    guest = cast.member(bob.organization, "gus", "guest")
    assert code(Rpc(cast.token(guest)), "deskline") == "permission_required"


def test_an_empty_search_names_the_operation_that_connects_what_it_asked_for(deskline: Connector, bob: Member) -> None:
    Connection.objects.all().delete()
    zendesk = cast.connector(bob.organization, "zendesk", "Zendesk")
    cast.tool(zendesk, "list_tickets", "List tickets")
    cast.connection(bob, zendesk)
    found = Rpc(cast.token(bob)).found("list the tickets in Deskline")
    assert found["result"] == []
    assert "Deskline" in found["note"]
    assert "elaichi__connection__connect" in found["note"]


def test_an_empty_search_says_nothing_about_an_app_that_a_rule_hides(deskline: Connector, bob: Member) -> None:
    Connection.objects.all().delete()
    zendesk = cast.connector(bob.organization, "zendesk", "Zendesk")
    cast.tool(zendesk, "list_users", "List users")
    cast.connection(bob, zendesk)
    restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, connectors=["deskline"], surface=Surface.SYSTEM)
    assert "can be connected" not in Rpc(cast.token(bob)).found("list tickets in Deskline").get("note", "")
