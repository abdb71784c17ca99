"""What a grant is, in words for people: who asked, where its answers go, what it may do and with which tools."""

from urllib.parse import urlsplit
from uuid import UUID

from accesscontrol.models import Grant, Member, OAuthClient
from accesscontrol.oauth import redirects
from accesscontrol.oauth.scopes import SCOPE_WORDS
from accesscontrol.permissions import Scope
from accesscontrol.toolbox_choices import choices_for


def vouching(client: OAuthClient) -> str:
    """Who says that it is the one that its name says."""
    if client.is_verified:
        return f"name confirmed by {urlsplit(client.client_id).netloc}"
    if client.is_registered_by_operator:
        return "registered by the operator of this server"
    return "name not confirmed by anybody"


def destinations(client: OAuthClient) -> str:
    """Where it has its answers sent: hosts, or programs on the person's own computer."""
    return ", ".join(dict.fromkeys(redirects.shown(uri) for uri in client.redirect_uris.split()))


def may(grant: Grant) -> list[str]:
    return [SCOPE_WORDS[Scope(scope)] for scope in grant.scopes]


def toolbox_names(member: Member) -> dict[UUID, str]:
    return {box.id: box.name for box in choices_for(member)}


def confinement(grant: Grant, names: dict[UUID, str]) -> str:
    """Which tools it reaches; `names` are those of the toolboxes that its owner can use."""
    if not grant.toolboxes:
        return "all tools"
    known = sorted(names[box] for box in grant.toolboxes if box in names)
    lost = len(grant.toolboxes) - len(known)
    parts = [*known, *([f"{lost} out of reach"] if lost else [])]
    return "only the tools of: " + ", ".join(parts)
