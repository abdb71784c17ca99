"""Teams and who is in them. What is shared with a team is reached by whoever is in it, from the commit on.

`team:manage` alone lets a member manage the teams whose admin they are; with `member:manage` beside it, every team.
"""

from django.db import transaction
from django.db.models import QuerySet

from accesscontrol import audit, versions
from accesscontrol.exceptions import Conflict, MemberNotActive, NotFound, Refusal
from accesscontrol.models import Member, Organization, Surface, Team, TeamMembership
from accesscontrol.permissions import Permission
from accesscontrol.services import authority


class NotAdminOfTeam(Refusal):
    code = "permission_required"

    def __init__(self, team: Team) -> None:
        super().__init__(
            f"Only its own admins manage the team {team.name}. Ask one of them, or somebody who manages members.",
            permission=Permission.MEMBER_MANAGE,
        )


def may_manage(actor: Member, team: Team) -> bool:
    """Whether the actor's permissions, and their place in this team, let them manage it."""
    if not actor.may(Permission.TEAM_MANAGE):
        return False
    return manages_every_team(actor) or _memberships(team).filter(member=actor, is_admin=True).exists()


def manages_every_team(actor: Member) -> bool:
    return actor.may(Permission.TEAM_MANAGE) and actor.may(Permission.MEMBER_MANAGE)


@transaction.atomic
def create(*, organization: Organization, name: str, surface: Surface, actor: Member | None = None) -> Team:
    """A new team; an actor who manages only their own becomes its admin. Raises PermissionRequired, ValidationError."""
    versions.bump(organization)
    found = authority.require(actor, Permission.TEAM_MANAGE, organization)
    team = Team(organization=organization, name=name.strip())
    team.full_clean()
    team.save()
    _record("team.create", team, surface, actor)
    if found is not None and not manages_every_team(found):
        TeamMembership.objects.create(team=team, member=found, is_admin=True)
        _record("team.add_member", team, surface, actor, found)
    return team


@transaction.atomic
def rename(*, team: Team, name: str, surface: Surface, actor: Member | None = None) -> Team:
    """Raises PermissionRequired, NotAdminOfTeam, ValidationError."""
    locked = _locked(team, actor)
    locked.name = name.strip()
    locked.full_clean()
    locked.save(update_fields=["name"])
    _record("team.rename", locked, surface, actor)
    return locked


@transaction.atomic
def delete(*, team: Team, surface: Surface, actor: Member | None = None) -> None:
    """What was shared with the team alone is reached by none of its members any more.

    Raises PermissionRequired, NotAdminOfTeam.
    """
    locked = _locked(team, actor)
    _record("team.delete", locked, surface, actor)
    locked.delete()


@transaction.atomic
def add_member(
    *, team: Team, member: Member, is_admin: bool = False, surface: Surface, actor: Member | None = None
) -> TeamMembership:
    """Raises MemberNotActive, Conflict (see `set_admin`), PermissionRequired, NotAdminOfTeam, ValidationError."""
    locked = _locked(team, actor)
    joining = _active(member)
    if is_admin:
        _assert_may_be_admin(joining)
    membership = TeamMembership(team=locked, member=joining, is_admin=is_admin)
    membership.full_clean()
    membership.save()
    _record("team.add_member", locked, surface, actor, joining)
    return membership


@transaction.atomic
def remove_member(*, team: Team, member: Member, surface: Surface, actor: Member | None = None) -> None:
    """Raises Conflict where the member is not in the team, PermissionRequired, NotAdminOfTeam."""
    locked = _locked(team, actor)
    gone, _ = _memberships(locked).filter(member=member).delete()
    if not gone:
        raise _not_in(member, locked)
    _record("team.remove_member", locked, surface, actor, member)


@transaction.atomic
def set_admin(
    *, team: Team, member: Member, is_admin: bool, surface: Surface, actor: Member | None = None
) -> TeamMembership:
    """Makes a member of the team its admin, or no longer one.

    Raises Conflict where they are not in the team, or their role does not have team:manage, without which it would have
    no effect; PermissionRequired, NotAdminOfTeam.
    """
    locked = _locked(team, actor)
    membership = _memberships(locked).select_related("member__user", "member__role").filter(member=member).first()
    if membership is None:
        raise _not_in(member, locked)
    if is_admin:
        _assert_may_be_admin(membership.member)
    membership.is_admin = is_admin
    membership.save(update_fields=["is_admin"])
    _record("team.make_admin" if is_admin else "team.unmake_admin", locked, surface, actor, member)
    return membership


def leave_all(member: Member) -> int:
    """Takes a member out of every team, in the surrounding transaction, which removes them for good."""
    return TeamMembership.objects.filter(member=member).delete()[0]


def _locked(team: Team, actor: Member | None) -> Team:
    # The version's row lock comes first and puts all changes of an organization in one line: an admin of a team who is
    # being taken out of it either changes it before that, or is refused.
    versions.bump(team.organization)
    found = authority.require(actor, Permission.TEAM_MANAGE, team.organization)
    locked = Team.objects.select_related("organization").filter(pk=team.pk).first()
    if locked is None:
        raise NotFound("team")
    if found is not None and not may_manage(found, locked):
        raise NotAdminOfTeam(locked)
    return locked


def _active(member: Member) -> Member:
    """Locked as suspending locks it, so that nobody joins a team who was just removed from the organization."""
    found = Member.objects.select_for_update(of=("self",), no_key=True).select_related("user", "role").get(pk=member.pk)
    if found.status != Member.Status.ACTIVE:
        raise MemberNotActive(found.user.email)
    return found


def _memberships(team: Team) -> QuerySet[TeamMembership]:
    return TeamMembership.objects.filter(team=team)


def _assert_may_be_admin(member: Member) -> None:
    if Permission.TEAM_MANAGE not in member.role.permissions:
        raise Conflict(
            f"{member.user.email} cannot be a team's admin: their role {member.role.label} does not have "
            f"{Permission.TEAM_MANAGE}. Give them the role Team Admin first."
        )


def _not_in(member: Member, team: Team) -> Conflict:
    return Conflict(f"{member.user.email} is not in the team {team.name}.")


def _record(action: str, team: Team, surface: Surface, actor: Member | None, member: Member | None = None) -> None:
    audit.record(
        organization=team.organization,
        action=action,
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"team:{team.pk}",
        detail={"team": team.name, **({"member": member.user.email} if member else {})},
    )
