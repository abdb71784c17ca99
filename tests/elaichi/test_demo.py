"""The demo data: what it makes, and that making it again changes nothing."""

from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from accesscontrol.models import Member, Organization, Surface
from accesscontrol.services import grants, memberships
from connectors.models import Connection, FrozenTool, Pin, Share, Toolbox
from elaichi import demo
from elaichi.sandbox.calendary import CLIENT_ID
from search.pool import pool_of
from tests.connectors.oauth.test_signing_in import leave
from tests.connectors.test_connecting import signed_in, start
from tests.search.mcp.rpc import Rpc

NAME = "deskline_list_tickets_web"


@pytest.fixture(autouse=True)
def _sandbox_on_this_machine(settings: Any) -> None:
    settings.EGRESS_ALLOWED = ["127.0.0.1:9"]


def load(folder: Path, sandbox: str = "http://127.0.0.1:9") -> dict[str, str]:
    """Everybody's token, by e-mail address."""
    said = demo.load(public_url="http://127.0.0.1:8000", sandbox_url=sandbox, local_file=folder / "local.json")
    return {person["email"]: person["token"] for person in said["people"]}


@pytest.mark.django_db
def test_the_member_finds_the_owner_s_frozen_tool_and_others_do_not(tmp_path: Path) -> None:
    tokens = load(tmp_path)
    found = {email: NAME in pool_of(grants.authenticate(token)).tools for email, token in tokens.items()}
    assert found == {"owner@example.com": True, "member@example.com": True, "restricted@example.com": False}
    pin = Pin.objects.get()
    assert (pin.connection.owner, pin.connection.label) == (Toolbox.objects.get().owner, "Acme")


@pytest.mark.django_db
def test_loading_it_again_changes_nothing(tmp_path: Path) -> None:
    tokens = load(tmp_path)
    assert load(tmp_path) == tokens
    assert [model._default_manager.count() for model in (Toolbox, FrozenTool, Pin, Share)] == [1, 1, 1, 1]


@pytest.mark.django_db
def test_where_the_owner_is_shut_out_it_loads_all_the_same(tmp_path: Path) -> None:
    load(tmp_path)
    Toolbox.objects.all().delete()
    owner = Member.objects.get(user__email="owner@example.com")
    Member.objects.filter(pk=owner.pk).update(status=Member.Status.SUSPENDED)
    load(tmp_path)
    assert not Toolbox.objects.exists()
    assert Organization.objects.count() == 1
    memberships.reinstate(member=owner, surface=Surface.SYSTEM)
    load(tmp_path)
    assert Toolbox.objects.get().name == demo.TOOLBOX


@pytest.mark.django_db
def test_people_can_sign_in_at_calendary(tmp_path: Path, sandbox: str) -> None:
    rpc = Rpc(load(tmp_path, sandbox)["member@example.com"])
    max_member = Member.objects.select_related("user").get(user__email="member@example.com")
    client = signed_in(max_member)
    page = start(max_member, "calendary")
    address = leave(client, page)
    asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    shown = httpx2.get(address, trust_env=False)
    assert "May elaichi read your calendar" in shown.text
    location = httpx2.post(address, data=asked, trust_env=False).headers["location"]
    done = client.get(location.removeprefix("http://127.0.0.1:8000"))
    assert "Calendary is connected" in done.content.decode()
    made = rpc.call("calendary_create_event", title="Tea", starts_at="2026-05-01T15:00:00Z")["structuredContent"]
    assert made["title"] == "Tea"
    account = Connection.objects.get(owner=max_member, connector__slug="calendary")
    account.credential = account.credential.reveal() | {"expires_at": 0}
    account.save()
    listed = rpc.call("calendary_list_events")["structuredContent"]["events"]
    assert [event["title"] for event in listed] == ["Quarterly review", "Tea"]
    account.refresh_from_db()
    assert account.credential.reveal()["expires_at"] > 0


def test_calendary_ends_a_sign_in_whose_refresh_token_comes_twice(sandbox: str) -> None:
    verifier = "v" * 43
    challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("=")
    back = "http://127.0.0.1:8000/connect/callback/"
    asked = {"response_type": "code", "client_id": CLIENT_ID, "redirect_uri": back, "code_challenge": challenge}
    url = f"{sandbox}/calendary"
    assert httpx2.post(f"{url}/authorize", data=asked, trust_env=False).status_code == 400
    asked["code_challenge_method"] = "S256"
    location = httpx2.post(f"{url}/authorize", data=asked, trust_env=False).headers["location"]
    code = parse_qs(urlsplit(location).query)["code"][0]

    def token(**form: str) -> httpx2.Response:
        return httpx2.post(f"{url}/token", data=form, trust_env=False)

    first = token(grant_type="authorization_code", code=code, redirect_uri=back, code_verifier=verifier).json()
    second = token(grant_type="refresh_token", refresh_token=first["refresh_token"]).json()
    assert token(grant_type="refresh_token", refresh_token=first["refresh_token"]).status_code == 400
    assert token(grant_type="refresh_token", refresh_token=second["refresh_token"]).status_code == 400
    headers = {"Authorization": f"Bearer {second['access_token']}"}
    assert httpx2.get(f"{url}/events", headers=headers, trust_env=False).status_code == 401
