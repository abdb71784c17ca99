"""What happens to connectors' records when a membership ends, inside its transaction."""

from typing import Any

from django.dispatch import receiver

from accesscontrol import holdings
from accesscontrol.models import Member, Surface
from accesscontrol.signals import membership_ending
from connectors.connecting.sessions import close_sessions
from connectors.services import offboarding, toolbox_offboarding


@receiver(membership_ending)
def close_open_connect_pages(sender: Any, member: Member, **kwargs: Any) -> None:
    close_sessions(member)


@receiver(membership_ending)
def pass_on_or_end_what_they_own(
    sender: Any, member: Member, status: str, surface: Surface, actor: Member | None, **kwargs: Any
) -> None:
    if status == Member.Status.REMOVED:
        by: dict[str, Any] = {"new_owner": kwargs.get("new_owner"), "surface": surface, "actor": actor}
        offboarding.end_accounts(member=member, **by)
        toolbox_offboarding.end_toolboxes(member=member, **by)


holdings.register(offboarding.holdings)
holdings.register(toolbox_offboarding.holdings)
