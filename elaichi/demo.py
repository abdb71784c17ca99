"""Demo data for the local stack: an organization, three people, invented products, accounts at three, a toolbox.

Loading it again changes nothing that is there, except that the products' addresses follow the sandbox, and that a login
or token which `var/local.json` has lost is replaced.
"""

import json
import os
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.db import transaction

from accesscontrol.exceptions import InvalidToken, Refusal
from accesscontrol.models import Member, Organization, Restriction, Role, Surface, User
from accesscontrol.permissions import BUILT_IN_ROLES, ORG_OWNER_SLUG, Scope
from accesscontrol.services import grants, organizations, restrictions
from connectors.catalog.importer import import_catalog
from connectors.catalog.openapi.reader import read_openapi
from connectors.models import Connection, Connector, Level, OAuthApp, Tool, Toolbox
from connectors.services import frozen_tools, oauth_apps, sharing, toolboxes
from connectors.services.frozen_tools import Changes
from elaichi.sandbox import calendary
from elaichi.sandbox.accounts import ACCOUNTS, Account
from elaichi.sandbox.document import Document

ORGANIZATION = ("demo", "Demo")
PRODUCTS = ("deskline", "ledgerbox", "pagewell")
RESTRICTED_ROLE = ("contractor", "Contractor")
PEOPLE = (
    ("owner@example.com", "Olive Owner", ORG_OWNER_SLUG),
    ("member@example.com", "Max Member", "member"),
    ("restricted@example.com", "Rita Restricted", RESTRICTED_ROLE[0]),
)

TOOLBOX = "Website support"
_ABOUT = "The tickets of our website, as Olive's account sees them."
_SKILL = "List the tickets first. The urgent ones come before all others."


@dataclass(frozen=True)
class Person:
    """A login and a token of the demo, as `var/local.json` keeps them."""

    email: str
    password: str
    role: str
    token: str


def load(*, public_url: str, sandbox_url: str, local_file: Path) -> dict[str, Any]:
    """Makes what is missing, writes `local_file` (mode 0600) and returns what it holds."""
    known = _read(local_file)
    with transaction.atomic():
        organization = _organization()
        for product in PRODUCTS:
            _import(organization, product, sandbox_url)
        _calendary(organization, sandbox_url)
        _contractors_may_not_delete(organization)
        people = [_person(organization, *person, known.get(person[0])) for person in PEOPLE]
        _toolbox(organization)
    said = {
        "admin_url": f"{public_url}/admin/",
        "mcp_url": f"{public_url}/mcp",
        "sandbox_url": sandbox_url,
        "organization": organization.slug,
        "people": [asdict(person) for person in people],
    }
    _write(local_file, said)
    return said


def _organization() -> Organization:
    slug, name = ORGANIZATION
    found = Organization.objects.filter(slug=slug).first()
    organization = found or organizations.found(slug=slug, name=name, surface=Surface.SYSTEM)
    role_slug, label = RESTRICTED_ROLE
    member = next(role for role in BUILT_IN_ROLES if role.slug == "member")
    Role.objects.get_or_create(
        organization=organization,
        slug=role_slug,
        defaults={"label": label, "permissions": sorted(member.permissions)},
    )
    return organization


def _import(organization: Organization, product: str, sandbox_url: str) -> None:
    _import_document(organization, product, Document(product, sandbox_url).content)


def _calendary(organization: Organization, sandbox_url: str) -> None:
    """A product that nobody is connected to: for whoever wants to see how signing in at one goes."""
    url = f"{sandbox_url.rstrip('/')}/{calendary.SLUG}"
    _import_document(organization, calendary.SLUG, calendary.Calendary(url).document)
    connector = Connector.objects.of(organization).get(slug=calendary.SLUG)
    app = OAuthApp.objects.filter(connector=connector).first() or OAuthApp(connector=connector)
    if app.token_url == f"{url}/token":
        return
    app.client_id, app.client_authentication = calendary.CLIENT_ID, OAuthApp.ClientAuthentication.NONE
    app.authorization_url, app.token_url = f"{url}/authorize", f"{url}/token"
    oauth_apps.save(app=app, client_secret="", surface=Surface.SYSTEM)


def _import_document(organization: Organization, product: str, document: dict[str, Any]) -> None:
    catalog = read_openapi(json.dumps(document).encode(), source=f"{product}.json")
    import_catalog(
        organization=organization,
        catalog=catalog,
        slug=product,
        label=document["info"]["title"],
        base_url=catalog.base_url,
        surface=Surface.SYSTEM,
    )


def _contractors_may_not_delete(organization: Organization) -> None:
    role = Role.objects.get(organization=organization, slug=RESTRICTED_ROLE[0])
    if Restriction.objects.filter(role=role).exists():
        return
    deleting = Tool.objects.of(organization).filter(annotations__destructiveHint=True).select_related("connector")
    restrictions.create(
        subject=role,
        mode=Restriction.Mode.BLOCK,
        tools=[str(tool) for tool in deleting],
        note="Contractors may not delete anything.",
        surface=Surface.SYSTEM,
    )


def _person(organization: Organization, email: str, name: str, role_slug: str, known: Person | None) -> Person:
    role = Role.objects.get(organization=organization, slug=role_slug)
    user = User.objects.filter(email=email).first() or User.objects.create_user(email, name=name)
    password = known.password if known and user.check_password(known.password) else secrets.token_urlsafe(12)
    if not user.check_password(password):
        user.set_password(password)
    user.is_staff = role_slug == ORG_OWNER_SLUG
    user.save()
    member = Member.objects.of(organization).filter(user=user).first() or organizations.join(
        organization=organization, user=user, role=role, surface=Surface.SYSTEM
    )
    for account in _accounts_of(role_slug):
        _connect(member, account)
    return Person(email, password, role.label, _token(member, known))


def _accounts_of(role_slug: str) -> list[Account]:
    """Everybody reaches one company's books; the owner also those of a second one."""
    return [account for account in ACCOUNTS if account.name == "Acme" or role_slug == ORG_OWNER_SLUG]


def _connect(member: Member, account: Account) -> None:
    connector = Connector.objects.of(member.organization).get(slug=account.product)
    known = Connection.objects.filter(owner=member, connector=connector, label=account.name)
    if known.exists():
        # The sandbox may have moved to another port, after which its accounts ask to be trusted again.
        known.filter(status=Connection.Status.NEEDS_REAUTH).update(status=Connection.Status.ACTIVE)
        return
    Connection.objects.create(
        connector=connector,
        owner=member,
        label=account.name,
        remote_account=account.username or account.name,
        status=Connection.Status.ACTIVE,
        credential=_credential(account),
    )


def _credential(account: Account) -> dict[str, str]:
    if account.username:
        return {"username": account.username, "password": account.secret}
    return {"token": account.secret} if account.product == "deskline" else {"key": account.secret}


def _toolbox(organization: Organization) -> None:
    """The owner's, with one frozen tool that is pinned to their account; shared with the member.

    Where there is any toolbox, somebody works with them already; where a rule is in the way, it stays away.
    """
    if Toolbox.objects.of(organization).exists():
        return
    owner, member = (Member.objects.of(organization).get(user__email=email) for email, *_ in PEOPLE[:2])
    connector = Connector.objects.of(organization).get(slug="deskline")
    pinned = Connection.objects.filter(owner=owner, connector=connector, label="Acme")
    with suppress(Refusal), transaction.atomic():
        made = toolboxes.create(name=TOOLBOX, description=_ABOUT, skill=_SKILL, surface=Surface.SYSTEM, actor=owner)
        frozen_tools.add(
            toolbox=made,
            connector=connector,
            tool="list_tickets",
            changes=Changes(fixed={"project": "WEB"}, connections=list(pinned)),
            surface=Surface.SYSTEM,
            actor=owner,
        )
        sharing.share(target=made, grantee=member, level=Level.USE, surface=Surface.SYSTEM, actor=owner)


def _token(member: Member, known: Person | None) -> str:
    if known is not None and _is_live(known.token):
        return known.token
    if member.status != Member.Status.ACTIVE:
        return ""
    _, token = grants.issue_token(member=member, client_name="Local demo", scopes=list(Scope), surface=Surface.SYSTEM)
    return token


def _is_live(token: str) -> bool:
    try:
        grants.authenticate(token)
    except InvalidToken:
        return False
    return True


def _read(local_file: Path) -> dict[str, Person]:
    try:
        people = json.loads(local_file.read_text())["people"]
        return {person["email"]: Person(**person) for person in people}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _write(local_file: Path, said: dict[str, Any]) -> None:
    local_file.parent.mkdir(parents=True, exist_ok=True)
    draft = local_file.with_suffix(".new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(said, file, indent=2)
    draft.replace(local_file)
