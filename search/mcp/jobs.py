"""The prompts: our own jobs, as the steps that a model takes with our operations. Their words are in templates/prompts.

What only a person may do (roles, rules, ending a membership) is said as that, with the page of the admin for it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse

from accesscontrol.caller import Caller
from accesscontrol.models import Member, Team
from accesscontrol.permissions import Permission
from connectors.reach import apps_of
from search.mcp.prompts import Message, Prompt, PromptArgument, Write, prompts


def _steps(name: str) -> Write:
    """The template of this name as the person's own message, filled in with the arguments."""

    def write(caller: Caller, given: Mapping[str, str]) -> list[Message]:
        text = render_to_string(f"prompts/{name}.txt", {**given, **_pages()}).strip()
        return [{"role": "user", "content": {"type": "text", "text": text}}]

    return write


def _pages() -> dict[str, Any]:
    models = {"members_page": "member", "restrictions_page": "restriction"}
    return {
        name: f"{settings.PUBLIC_URL}{reverse(f'admin:accesscontrol_{model}_changelist')}"
        for name, model in models.items()
    }


def _emails(caller: Caller, known: Mapping[str, str]) -> Iterable[str]:
    """For those who may see members at all."""
    if not caller.may(Permission.MEMBER_VIEW):
        return ()
    rows = Member.objects.of(caller.organization).exclude(status=Member.Status.REMOVED)
    return rows.order_by("user__email").values_list("user__email", flat=True)


def _apps(caller: Caller, known: Mapping[str, str]) -> Iterable[str]:
    return sorted(label for label, _ in apps_of(caller).connectable)


def _teams(caller: Caller, known: Mapping[str, str]) -> Iterable[str]:
    if not caller.may(Permission.TEAM_VIEW):
        return ()
    return Team.objects.of(caller.organization).order_by("name").values_list("name", flat=True)


prompts.register(
    Prompt(
        name="build_shared_toolbox",
        title="Build a toolbox to share",
        description="Choose tools for one purpose, set what must not vary, write how to use them, and share all of it.",
        arguments=(
            PromptArgument(name="purpose", description="What people should get done with it."),
            PromptArgument(name="team", description="The team that it is for.", required=False, complete=_teams),
        ),
        needs=(
            "elaichi__toolbox__list",
            "elaichi__toolbox__save",
            "elaichi__toolbox__share",
            "elaichi__template__stamp",
            "elaichi__connection__list",
        ),
        permission=Permission.TOOL_EXECUTE,
        write=_steps("build_shared_toolbox"),
    )
)
prompts.register(
    Prompt(
        name="connect_app",
        title="Connect an app",
        description="Connect an account at one of the apps of this organization.",
        arguments=(PromptArgument(name="app", description="The app, as people call it.", complete=_apps),),
        needs=("elaichi__connector__list", "elaichi__connection__list", "elaichi__connection__connect"),
        write=_steps("connect_app"),
    )
)
prompts.register(
    Prompt(
        name="diagnose_missing_tool",
        title="Why is a tool missing?",
        description="Find out why a tool that was expected is not offered.",
        arguments=(PromptArgument(name="task", description="What the tool should do, and in which app."),),
        needs=("elaichi__connection__list", "elaichi__connector__list", "elaichi__access_request__create"),
        write=_steps("diagnose_missing_tool"),
    )
)
prompts.register(
    Prompt(
        name="audit_access",
        title="Audit access",
        description="Who can do what here, what was refused, and what deserves a look.",
        arguments=(
            PromptArgument(name="member", description="One person's e-mail address.", required=False, complete=_emails),
        ),
        needs=("elaichi__member__list", "elaichi__audit__list"),
        permission=Permission.AUDIT_VIEW,
        write=_steps("audit_access"),
    )
)
prompts.register(
    Prompt(
        name="offboard_member",
        title="Prepare somebody's leaving",
        description="What ends, what passes on and what is lost when a member leaves.",
        arguments=(PromptArgument(name="member", description="Their e-mail address.", complete=_emails),),
        needs=("elaichi__member__list", "elaichi__connection__list", "elaichi__audit__list"),
        permission=Permission.AUDIT_VIEW,
        write=_steps("offboard_member"),
    )
)
