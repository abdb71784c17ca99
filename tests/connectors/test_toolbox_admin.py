"""Toolboxes in the admin: their keepers change them, managers disable and delete them, others do not see them."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accesscontrol.models import AuditEvent, Member, Organization
from connectors.models import Connection, Connector, FrozenTool, Level, Share, Toolbox
from tests import cast
from tests.connectors.toolboxes import freeze, share, toolbox

SCHEMA = {
    "type": "object",
    "properties": {"project": {"type": "string"}, "limit": {"type": "integer"}},
    "additionalProperties": False,
}


@pytest.fixture
def sam(acme: Organization) -> Member:
    """A member who is let into the admin, and manages nothing."""
    return cast.member(acme, "sam", staff=True)


@pytest.fixture
def tracker(acme: Organization) -> Connector:
    connector = cast.connector(acme, "tracker", "Tracker")
    cast.tool(connector, "list_issues", input_schema=SCHEMA)
    return connector


@pytest.fixture
def account(sam: Member, tracker: Connector) -> Connection:
    return cast.connection(sam, tracker, "Sam's desk")


@pytest.fixture
def box(sam: Member, tracker: Connector) -> Toolbox:
    made = toolbox(sam, "Bugs")
    freeze(made, tracker, "list_issues", fixed={"project": "APP"})
    return made


def signed_in(member: Member) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def page(name: str, box: Toolbox | None = None) -> str:
    return reverse(f"admin:connectors_toolbox_{name}", args=[box.pk] if box else [])


def form(box: Toolbox, tools: list[dict[str, Any]] | None = None, shares: Any = (), **changed: Any) -> dict[str, Any]:
    """Every stored tool as it is, unless `tools` says otherwise; a share's rows are new ones."""
    given = {"name": box.name, "description": box.description, "skill": box.skill, "enabled": "on", **changed}
    stored = [_row(row) for row in box.frozen_tools.all()] if tools is None else tools
    sets = {"frozen_tools": (stored, len([row for row in stored if row.get("id")])), "shares": (list(shares), 0)}
    for prefix, (rows, initial) in sets.items():
        given |= {f"{prefix}-TOTAL_FORMS": str(len(rows)), f"{prefix}-INITIAL_FORMS": str(initial)}
        for number, row in enumerate(rows):
            given |= {f"{prefix}-{number}-{key}": value for key, value in {"toolbox": str(box.pk), **row}.items()}
    return given


def _row(row: FrozenTool, **changed: Any) -> dict[str, Any]:
    stored = {"id": str(row.pk), "fixed": '{"project": "APP"}', "defaults": "{}", "enabled": "on"}
    return {"name": row.name, "description": row.description, **stored, **changed}


def test_a_member_makes_one_and_fills_it(sam: Member, tracker: Connector, account: Connection, bob: Member) -> None:
    client = signed_in(sam)
    given = {"name": "Bugs", "description": "", "skill": "Search first.", "is_template": "on"}
    empty = {f"{it}-{what}": "0" for it in ("frozen_tools", "shares") for what in ("TOTAL_FORMS", "INITIAL_FORMS")}
    assert client.post(page("add"), given | empty).status_code == 302
    box = Toolbox.objects.get()
    assert (box.owner, box.skill, box.is_template) == (sam, "Search first.", True)
    tool: dict[str, Any] = {
        "connector": str(tracker.pk),
        "tool": "list_issues",
        "name": "our_bugs",
        "fixed": '{"project": "APP"}',
    }
    tool |= {"defaults": "", "connections": [str(account.pk)], "enabled": "on"}
    shared = {"member": str(bob.pk), "level": "2"}
    assert client.post(page("change", box), form(box, [tool], [shared])).status_code == 302
    row = FrozenTool.objects.get()
    assert (row.name, row.fixed, row.defaults, row.pinned) == ("our_bugs", {"project": "APP"}, {}, True)
    assert (row.pins.get().connection, row.pins.get().pinned_by) == (account, sam)
    assert (Share.objects.get().member, Share.objects.get().level) == (bob, Level.USE)
    seen = client.get(page("change", box)).content.decode()
    assert "our_bugs" in seen
    assert "bob@acme.example (use)" in seen
    actions = AuditEvent.objects.filter(action__startswith="toolbox.").values_list("action", flat=True)
    assert {"toolbox.create", "toolbox.change", "toolbox.add_tool", "toolbox.share"} == set(actions)


def test_a_tool_is_changed_and_taken_out(sam: Member, box: Toolbox) -> None:
    client, row = signed_in(sam), box.frozen_tools.get()
    assert client.post(page("change", box), form(box, [_row(row, fixed='{"project": "WEB"}')])).status_code == 302
    row.refresh_from_db()
    assert (row.fixed, row.tool) == ({"project": "WEB"}, "list_issues")
    assert client.post(page("change", box), form(box, [_row(row, DELETE="on")])).status_code == 302
    assert not box.frozen_tools.exists()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"fixed": '{"projekt": "APP"}'}, "fixed/projekt: is not"),
        ({"fixed": '{"limit": "many"}'}, "fixed/limit: "),
        ({"name": "Not a name"}, "name: must be 1 to 60 lower-case letters"),
        ({"fixed": "[1]"}, "Write a JSON object"),
        ({"fixed": "{"}, "Enter a valid JSON."),
    ],
)
def test_what_does_not_fit_is_told_by_its_place_and_nothing_is_saved(
    sam: Member, box: Toolbox, changed: dict[str, str], said: str
) -> None:
    row = box.frozen_tools.get()
    given = form(box, [_row(row, **changed)], name="Renamed")
    given["skill"] = "A long text that somebody took care to write."
    response = signed_in(sam).post(page("change", box), given)
    assert said in response.content.decode()
    assert given["skill"] in response.content.decode()
    box.refresh_from_db()
    row.refresh_from_db()
    assert (box.name, row.fixed) == ("Bugs", {"project": "APP"})


def test_a_name_that_is_taken_says_what_to_do(sam: Member, box: Toolbox) -> None:
    toolbox(sam, "Taken")
    response = signed_in(sam).post(page("change", box), form(box, name="Taken"), follow=True)
    assert "has a toolbox of this name already. Choose another name." in response.content.decode()


def test_only_accounts_within_reach_are_offered_for_pins(
    sam: Member, box: Toolbox, tracker: Connector, account: Connection, alice: Member
) -> None:
    hers = cast.connection(alice, tracker, "Alice's own")
    client, row = signed_in(sam), box.frozen_tools.get()
    seen = client.get(page("change", box)).content.decode()
    assert "Sam&#x27;s desk" in seen
    assert "Alice&#x27;s own" not in seen
    client.post(page("change", box), form(box, [_row(row, connections=[str(hers.pk)])]))
    assert not row.pins.exists()


def test_one_is_seen_by_those_it_is_shared_with_and_changed_at_edit_alone(
    box: Toolbox, sam: Member, acme: Organization
) -> None:
    pat = cast.member(acme, "pat", staff=True)
    client = signed_in(pat)
    assert client.get(page("change", box)).status_code == 404
    assert "Bugs" not in client.get(page("changelist")).content.decode()
    share(box, pat)
    assert client.get(page("change", box)).status_code == 200
    assert client.post(page("change", box), form(box, name="Mine")).status_code == 403
    share(box, pat, Level.EDIT)
    assert client.post(page("change", box), form(box, name="Ours")).status_code == 302
    box.refresh_from_db()
    assert (box.name, box.owner) == ("Ours", sam)


def test_a_manager_sees_disables_and_deletes_and_changes_nothing(
    box: Toolbox, alice: Member, admin_client: Client
) -> None:
    for client in (signed_in(alice), admin_client):
        assert client.get(page("change", box)).status_code == 200
        assert client.post(page("change", box), form(box, name="Mine")).status_code == 403
    bulk = {"action": "disable", "_selected_action": [str(box.pk)]}
    client = signed_in(alice)
    assert "Bugs was disabled" in client.post(page("changelist"), bulk, follow=True).content.decode()
    assert "Bugs is disabled already" in client.post(page("changelist"), bulk, follow=True).content.decode()
    box.refresh_from_db()
    assert not box.enabled
    assert client.post(page("delete", box), {"post": "yes"}).status_code == 302
    assert not Toolbox.objects.exists()
    assert AuditEvent.objects.get(action="toolbox.delete").actor == alice
