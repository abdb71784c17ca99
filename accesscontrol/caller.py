"""Who is asking: a member, through one grant, with what that grant lets its client do."""

from dataclasses import dataclass
from uuid import UUID

from accesscontrol.models import Member, Organization, Surface
from accesscontrol.permissions import Permission, Scope


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Read in one query when a request is authenticated.

    `version` is the organization's at that moment: everything cached for the caller is asked for at exactly that
    version. `grant_id` is None where no client is involved, as in a management command. `toolboxes` holds the only
    toolboxes that the grant lets its client use; None for all of the member's tools.
    """

    member: Member
    version: int
    scopes: frozenset[Scope]
    surface: Surface
    client: str = ""
    grant_id: UUID | None = None
    toolboxes: frozenset[UUID] | None = None
    signed_in: bool = False
    """Through a client that can ask its person for more scopes, which a script with a personal token cannot."""

    @property
    def organization(self) -> Organization:
        return self.member.organization

    def may(self, permission: Permission) -> bool:
        return self.member.may(permission)


def caller_of(member: Member, *, surface: Surface, client: str = "") -> Caller:
    """The member without a grant, with every scope: for commands that show what that member's model would see."""
    return Caller(
        member=member,
        version=member.organization.version,
        scopes=frozenset(Scope),
        surface=surface,
        client=client,
    )
