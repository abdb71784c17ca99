"""A toolbox and all of its tools, saved at once or not at all."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction

from accesscontrol.exceptions import Conflict, InvalidArguments, NotFound, Problem
from accesscontrol.models import Member, Organization, Surface
from connectors.curation.names import advertised_name
from connectors.models import Connector, FrozenTool, Tool, Toolbox
from connectors.services import frozen_tools, toolboxes
from connectors.services.frozen_tools import Changes

_NO_TOOL = (
    "is no tool here: give its name as search_tools returned it, or connector.tool_name as elaichi__connector__get "
    "lists it"
)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A tool that the toolbox is to hold: one that it has, by its id, with changes; or another one, by its name."""

    id: UUID | None = None
    tool: str = ""
    changes: Changes = field(default_factory=Changes)


@transaction.atomic
def save(
    *,
    toolbox: Toolbox | None,
    texts: dict[str, Any],
    tools: Sequence[Wanted] | None,
    surface: Surface,
    actor: Member,
) -> Toolbox:
    """Makes a toolbox, or changes what `texts` gives of one. `tools`, where given, are all that it holds afterwards.

    What is left out of a tool that it has stays. Raises InvalidArguments with the place of each problem, and whatever
    `toolboxes` and `frozen_tools` raise.
    """
    with placed():
        if toolbox is None:
            enabled = texts.pop("enabled", None)
            saved = toolboxes.create(surface=surface, actor=actor, **texts)
            if enabled is False:
                saved = toolboxes.change(toolbox=saved, enabled=False, surface=surface, actor=actor)
        else:
            saved = toolboxes.change(toolbox=toolbox, surface=surface, actor=actor, **texts)
    if tools is not None:
        _save_tools(saved, tools, surface, actor)
    return saved


def _save_tools(toolbox: Toolbox, tools: Sequence[Wanted], surface: Surface, actor: Member) -> None:
    """Those that go leave first, so that their names are free."""
    held = {row.pk: row for row in toolbox.frozen_tools.select_related("connector", "toolbox__owner__user")}
    kept = _matched(held, tools)
    for row in held.values():
        if row.pk not in kept.values():
            frozen_tools.remove(frozen_tool=row, surface=surface, actor=actor)
    for number, wanted in enumerate(tools):
        with placed(f"tools/{number}"):
            if number in kept:
                if wanted.changes != Changes():
                    row = held[kept[number]]
                    frozen_tools.change(frozen_tool=row, changes=wanted.changes, surface=surface, actor=actor)
            else:
                _add(toolbox, wanted, surface, actor)


def _matched(held: dict[UUID, FrozenTool], tools: Sequence[Wanted]) -> dict[int, UUID]:
    """By place, which of the toolbox's own tools each is. Raises InvalidArguments."""
    found = {number: wanted.id for number, wanted in enumerate(tools) if wanted.id is not None}
    problems = [
        Problem(f"tools/{number}/id", "is no tool of this toolbox; leave it out to add one")
        for number, pk in found.items()
        if pk not in held
    ]
    if problems:
        raise InvalidArguments(problems)
    if len(set(found.values())) < len(found):
        raise InvalidArguments([Problem("tools", "names one id twice")])
    return found


def _add(toolbox: Toolbox, wanted: Wanted, surface: Surface, actor: Member) -> None:
    tool = tool_named(toolbox.organization, wanted.tool)
    if tool is None:
        raise InvalidArguments([Problem("tool", _NO_TOOL)])
    frozen_tools.add(
        toolbox=toolbox,
        connector=tool.connector,
        tool=tool.name,
        changes=wanted.changes,
        surface=surface,
        actor=actor,
    )


def tool_named(organization: Organization, name: str) -> Tool | None:
    """By `connector.tool_name`, or by the name it is advertised under. Whether it may be used is not asked here."""
    rows = Tool.objects.of(organization).filter(enabled=True, connector__enabled=True).select_related("connector")
    slug, dot, tool = name.strip().partition(".")
    if dot:
        return rows.filter(connector__slug=slug, name=tool).first()
    return next((row for row in _named_like(rows, organization, name) if _is_advertised(row, name)), None)


def _named_like(rows: Any, organization: Organization, name: str) -> Iterator[Tool]:
    """Only of connectors whose name it holds are the tools looked at."""
    for slug in Connector.objects.of(organization).filter(enabled=True).values_list("slug", flat=True):
        if slug.replace("-", "_") in name:
            yield from rows.filter(connector__slug=slug).only("name", "connector__slug").order_by("name")


def _is_advertised(row: Tool, name: str) -> bool:
    return advertised_name(row.connector.slug, row.name) == name.strip()


@contextmanager
def placed(place: str = "") -> Iterator[None]:
    """Says of what is wrong in which part of the arguments it is."""
    try:
        yield
    except InvalidArguments as refused:
        problems = [Problem(_under(place, one["path"]), one["reason"]) for one in refused.help["problems"]]
        raise InvalidArguments(problems) from None
    except ValidationError as error:
        by_field = error.message_dict if hasattr(error, "error_dict") else {"": error.messages}
        raise InvalidArguments(
            [Problem(_under(place, _field(name)), " ".join(said)) for name, said in by_field.items()]
        ) from None
    except (NotFound, Conflict) as refused:
        if not place:
            raise
        raise InvalidArguments([Problem(place, str(refused))]) from None


def _field(name: str) -> str:
    return "" if name == "__all__" else name


def _under(place: str, path: str) -> str:
    return "/".join(part for part in (place, path.strip("/")) if part)
