"""The demo data: what it makes, and that making it again changes nothing."""

from pathlib import Path

import pytest

from accesscontrol.models import Member, Organization, Surface
from accesscontrol.services import grants, memberships
from connectors.models import FrozenTool, Pin, Share, Toolbox
from elaichi import demo
from search.pool import pool_of

NAME = "deskline_list_tickets_web"


def load(folder: Path) -> dict[str, str]:
    """Everybody's token, by e-mail address."""
    said = demo.load(
        public_url="http://127.0.0.1:8000", sandbox_url="http://127.0.0.1:9", local_file=folder / "local.json"
    )
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
