"""The records of people, their roles and what restricts them."""

from accesscontrol.models.access_request import AccessRequest, Exemption
from accesscontrol.models.audit import ActorKind, AuditEvent, AuditHead, AuditLink, Surface
from accesscontrol.models.grant import Grant
from accesscontrol.models.invitation import Invitation
from accesscontrol.models.member import Member
from accesscontrol.models.notice import Notice
from accesscontrol.models.oauth import AccessToken, AuthorizationCode, EndedSecret, OAuthClient, RefreshToken
from accesscontrol.models.organization import Organization
from accesscontrol.models.restriction import Restriction
from accesscontrol.models.role import Role
from accesscontrol.models.team import Team, TeamMembership
from accesscontrol.models.user import User

__all__ = [
    "AccessRequest",
    "AccessToken",
    "ActorKind",
    "AuditEvent",
    "AuditHead",
    "AuditLink",
    "AuthorizationCode",
    "EndedSecret",
    "Exemption",
    "Grant",
    "Invitation",
    "Member",
    "Notice",
    "OAuthClient",
    "Organization",
    "RefreshToken",
    "Restriction",
    "Role",
    "Surface",
    "Team",
    "TeamMembership",
    "User",
]
