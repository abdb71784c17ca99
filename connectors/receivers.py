"""What happens to connectors' records when a membership ends, inside its transaction."""

from typing import Any

from django.dispatch import receiver

from accesscontrol.models import Member
from accesscontrol.signals import membership_ending
from connectors.connecting.sessions import close_sessions


@receiver(membership_ending)
def close_open_connect_pages(sender: Any, member: Member, **kwargs: Any) -> None:
    close_sessions(member)
