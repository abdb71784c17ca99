"""The commands over people: JSON alone on stdout, one clear line and a non-zero exit on failure."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accesscontrol.models import Grant, Member, Restriction
from accesscontrol.services import grants
from tests import cast


def run(*arguments: Any, **options: Any) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO(), **options)
    return out.getvalue().strip()


def test_a_token_is_printed_alone_and_works(bob: Member) -> None:
    assert grants.authenticate(run("create_token", "--member", bob.user.email)).member == bob


def test_a_token_has_the_scopes_the_name_and_the_life_asked_for(bob: Member) -> None:
    said = json.loads(
        run(
            "create_token",
            "--member",
            "BOB@acme.example",
            "--scopes",
            "mcp:read",
            "--name",
            "Cron",
            "--days",
            "7",
            "--json",
        )
    )
    grant = Grant.objects.get(pk=said["grant"])
    assert (grant.client_name, grant.scopes) == ("Cron", ["mcp:read"])
    assert grant.expires_at is not None
    assert timedelta(days=6) < grant.expires_at - timezone.now() < timedelta(days=8)
    assert grants.authenticate(said["token"]).member == bob


def test_a_token_may_have_no_end(bob: Member) -> None:
    run("create_token", "--member", bob.user.email, "--days", "0")
    assert Grant.objects.get().expires_at is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["create_token", "--member", "nobody@acme.example"], "No member has the address nobody@acme.example"),
        (["create_token", "--member", "bob@acme.example", "--days", "-1"], "--days"),
        (["create_token", "--member", "bob@acme.example", "--scopes", "mcp:all"], "invalid choice"),
        (["suspend_member", "nobody@acme.example"], "No member has the address"),
        (["reinstate_member", "bob@acme.example"], "is active"),
        (["restrict", "--role", "nobody", "--block", "notion"], "There is no role nobody"),
        (["restrict", "--member", "bob@acme.example", "notion"], "--allow --block is required"),
        (["restrict", "--member", "bob@acme.example", "--block", "notion."], "connector.tool_name"),
        (["unrestrict", "17"], "There is no restriction 17"),
        (["unrestrict", "8c2f1a52-46f0-4b43-9d3f-0f4c8c9b1d11"], "There is no restriction"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(bob: Member, arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message) as refusal:
        run(*arguments)
    assert "\n" not in str(refusal.value)


def test_a_suspended_member_gets_no_token(bob: Member) -> None:
    assert run("suspend_member", bob.user.email) == "bob@acme.example is suspended."
    with pytest.raises(CommandError, match="not an active member"):
        run("create_token", "--member", bob.user.email)
    assert run("reinstate_member", bob.user.email) == "bob@acme.example is active."
    assert run("remove_member", bob.user.email) == "bob@acme.example is removed."


def test_an_address_in_two_organizations_needs_to_say_which(bob: Member) -> None:
    other = cast.organization("globex")
    Member.objects.create(organization=other, user=bob.user, role=other.roles.get(slug="member"))
    with pytest.raises(CommandError, match="--organization"):
        run("suspend_member", bob.user.email)
    run("suspend_member", bob.user.email, "--organization", "globex")
    bob.refresh_from_db()
    assert bob.status == Member.Status.ACTIVE


def test_rules_are_written_and_lifted(bob: Member) -> None:
    identifier = run("restrict", "--member", bob.user.email, "--block", "xero", "notion.delete_page")
    rule = Restriction.objects.get(pk=identifier)
    assert (rule.mode, rule.connectors, rule.tools) == ("block", ["xero"], ["notion.delete_page"])
    run("unrestrict", identifier)
    assert not Restriction.objects.exists()
    run("restrict", "--role", "member", "--allow")
    assert Restriction.objects.get().role == bob.role
