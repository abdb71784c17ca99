"""What several commands read from their command line."""

from django.core.management.base import CommandError

from accesscontrol.models import Member, Organization


def member_by_email(email: str, organization: str = "") -> Member:
    """The member with this address; the organization's slug is needed only where one address is in several.

    Raises CommandError.
    """
    found = Member.objects.filter(user__email__iexact=email).select_related("user", "role", "organization")
    if organization:
        found = found.filter(organization__slug=organization)
    members = list(found[:2])
    if not members:
        where = f" in the organization {organization}" if organization else ""
        raise CommandError(f"No member has the address {email}{where}.")
    if len(members) > 1:
        raise CommandError(f"{email} is a member of several organizations: say which with --organization.")
    return members[0]


def organization_by_slug(slug: str = "") -> Organization:
    """The organization with this slug, or the only one there is. Raises CommandError."""
    if slug:
        found = Organization.objects.filter(slug=slug).first()
        if found is None:
            raise CommandError(f"There is no organization with the slug {slug}.")
        return found
    organizations = list(Organization.objects.all()[:2])
    if not organizations:
        raise CommandError("There is no organization yet: start with ./run up, or create one in the admin.")
    if len(organizations) > 1:
        raise CommandError("There are several organizations: say which with --organization SLUG.")
    return organizations[0]
