"""Toolboxes made of templates."""

import pytest
from django.core.exceptions import ValidationError

from accesscontrol.exceptions import NotFound
from accesscontrol.models import Member, Restriction, Surface
from accesscontrol.services import restrictions
from connectors.models import Connection, Connector, Level, Toolbox
from connectors.services import toolboxes
from connectors.services.stamping import Stamped, stamp
from tests import cast
from tests.connectors.toolboxes import NAME, freeze, names, share, toolbox


@pytest.fixture
def template(deskline: Connector, account: Connection, bob: Member, bea: Member) -> Toolbox:
    """Bob's, which Bea may see and not use."""
    made = toolbox(bob, skill="Be brief.", is_template=True)
    freeze(made, deskline, defaults={"limit": 5}, connections=[account])
    freeze(made, deskline, "search_tickets", name="find", description="Find tickets")
    share(made, bea, Level.VIEW)
    return made


def stamped(template: Toolbox, owner: Member, name: str = "Mine") -> Stamped:
    return stamp(template=template, owner=owner, name=name, surface=Surface.SYSTEM)


def test_its_tools_and_skill_are_copied_and_its_pins_are_not(
    deskline: Connector, template: Toolbox, bea: Member
) -> None:
    made = stamped(template, bea)
    assert (made.toolbox.owner, made.toolbox.skill, made.toolbox.stamped_from, made.left_out) == (
        bea,
        "Be brief.",
        template,
        (),
    )
    assert not made.toolbox.is_template
    first, second = made.toolbox.frozen_tools.all()
    assert (first.fixed, first.defaults, first.pinned, first.pins.count()) == (
        {"project": "SHIP"},
        {"limit": 5},
        False,
        0,
    )
    assert (second.name, second.description) == ("find", "Find tickets")
    cast.connection(bea, deskline, "Mine")
    assert NAME in names(bea, toolbox="Mine")


def test_what_a_rule_denies_is_left_out_and_named(template: Toolbox, bea: Member) -> None:
    restrictions.create(
        subject=bea, mode=Restriction.Mode.BLOCK, tools=["deskline.list_tickets"], surface=Surface.SYSTEM
    )
    made = stamped(template, bea)
    assert made.left_out == ("deskline.list_tickets",)
    assert [row.name for row in made.toolbox.frozen_tools.all()] == ["find"]


def test_only_a_template_within_reach_is_stamped(template: Toolbox, bea: Member, alice: Member, bob: Member) -> None:
    plain = toolbox(bob, "Plain")
    share(plain, bea)
    for member, source in ((alice, template), (bea, plain)):
        with pytest.raises(NotFound):
            stamped(source, member)
    toolboxes.change(toolbox=template, enabled=False, surface=Surface.SYSTEM, actor=bob)
    with pytest.raises(NotFound):
        stamped(template, bea)
    assert not Toolbox.objects.filter(owner__in=[alice, bea]).exists()


def test_it_needs_a_name_that_is_free(template: Toolbox, bea: Member) -> None:
    stamped(template, bea)
    with pytest.raises(ValidationError):
        stamped(template, bea)


def test_a_later_change_of_the_template_does_not_follow_and_its_end_does_not_matter(
    template: Toolbox, bea: Member, bob: Member
) -> None:
    made = stamped(template, bea).toolbox
    toolboxes.delete(toolbox=template, surface=Surface.SYSTEM, actor=bob)
    made.refresh_from_db()
    assert (made.stamped_from, made.frozen_tools.count()) == (None, 2)
