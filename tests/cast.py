"""The people of the tests: Alice owns, Bob is a member, Charlie belongs to another organization."""

from collections.abc import Iterable
from typing import Any

from accesscontrol.models import Member, Organization, Role, Surface, Team, User
from accesscontrol.permissions import Scope
from accesscontrol.services import grants, organizations, teams
from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.binding import Binding
from connectors.models import Connection, Connector, Tool

PASSWORD = "correct horse battery"


def organization(slug: str = "acme") -> Organization:
    return organizations.found(slug=slug, name=slug.title(), surface=Surface.SYSTEM)


def member(home: Organization, name: str, role: str = "member", *, staff: bool = False) -> Member:
    user = User.objects.create_user(f"{name}@{home.slug}.example", PASSWORD, name=name.title(), is_staff=staff)
    return organizations.join(
        organization=home,
        user=user,
        role=Role.objects.get(organization=home, slug=role),
        surface=Surface.SYSTEM,
    )


def token(of: Member, *, scopes: Iterable[Scope] = tuple(Scope)) -> str:
    _, secret = grants.issue_token(member=of, client_name="A test", scopes=list(scopes), surface=Surface.SYSTEM)
    return secret


def connector(home: Organization, slug: str = "notion", label: str = "Notion", **fields: Any) -> Connector:
    fields.setdefault("auth", AuthScheme(kind=AuthKind.BEARER).to_json())
    fields.setdefault("base_url", "http://127.0.0.1:9")
    return Connector.objects.create(organization=home, slug=slug, label=label, **fields)


def tool(of: Connector, name: str, description: str = "", *, method: str = "GET", **fields: Any) -> Tool:
    fields.setdefault("input_schema", {"type": "object", "properties": {}})
    fields.setdefault("binding", Binding(method=method, path=f"/{name}").to_json())
    fields.setdefault(
        "annotations",
        {
            "title": name,
            "readOnlyHint": method == "GET",
            "destructiveHint": method == "DELETE",
            "idempotentHint": method in ("GET", "DELETE"),
            "openWorldHint": True,
        },
    )
    return Tool.objects.create(connector=of, name=name, operation=name, description=description, **fields)


def connection(owner: Member, to: Connector, label: str = "Main", **fields: Any) -> Connection:
    fields.setdefault("status", Connection.Status.ACTIVE)
    fields.setdefault("credential", {"token": f"secret-of-{label}"})
    return Connection.objects.create(owner=owner, connector=to, label=label, **fields)


def team(home: Organization, name: str = "Support", *people: Member) -> Team:
    made = teams.create(organization=home, name=name, surface=Surface.SYSTEM)
    for one in people:
        teams.add_member(team=made, member=one, surface=Surface.SYSTEM)
    return made
