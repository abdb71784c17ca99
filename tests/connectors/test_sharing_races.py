"""Sharing while something that takes it back commits at the same time."""

import threading
from collections.abc import Callable
from functools import partial

import pytest
from django.db import connection as database

from accesscontrol.exceptions import Refusal
from accesscontrol.models import Member, Role, Surface
from accesscontrol.services import memberships, roles, teams
from connectors.models import Connection, Level, Share
from connectors.reach import connections_within_reach
from connectors.services import sharing
from tests import cast

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*actions: Callable[[], object]) -> list[BaseException | None]:
    """Runs each action in a thread and on a connection of its own; gives what each was refused with."""
    barrier = threading.Barrier(len(actions))
    ended: list[BaseException | None] = [None] * len(actions)

    def run(number: int, action: Callable[[], object]) -> None:
        barrier.wait(10)
        try:
            action()
        except BaseException as error:
            ended[number] = error
        finally:
            database.close()

    threads = [threading.Thread(target=run, args=item) for item in enumerate(actions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    assert all(error is None or isinstance(error, Refusal) for error in ended), ended
    return ended


def share(account: Connection, grantee: sharing.Grantee, level: Level, actor: Member) -> None:
    sharing.share(target=account, grantee=grantee, level=level, surface=Surface.SYSTEM, actor=actor)


def test_the_same_grantee_given_two_levels_at_once_has_one_of_them() -> None:
    home = cast.organization("race")
    owner, grantee = cast.member(home, "ann"), cast.member(home, "ben")
    account = cast.connection(owner, cast.connector(home))
    for _ in range(10):
        assert at_once(*[lambda level=level: share(account, grantee, level, owner) for level in Level]) == [None] * 3
        assert Share.objects.filter(connection=account, member=grantee).count() == 1


def test_who_loses_edit_at_that_moment_shared_before_it_or_not_at_all() -> None:
    home = cast.organization("race")
    owner, editor, other = (cast.member(home, name) for name in ("ann", "ben", "cat"))
    account = cast.connection(owner, cast.connector(home))
    for _ in range(10):
        Share.objects.all().delete()
        share(account, editor, Level.EDIT, owner)
        _, refused = at_once(
            lambda: sharing.unshare(target=account, grantee=editor, surface=Surface.SYSTEM, actor=owner),
            lambda: share(account, other, Level.USE, editor),
        )
        reached = connections_within_reach(other, at_least=Level.USE).exists()
        assert reached == (refused is None)


def test_nobody_is_left_in_a_role_that_was_deleted_while_it_was_given() -> None:
    home = cast.organization("race")
    plain = Role.objects.get(organization=home, slug="member")
    for number in range(10):
        member = cast.member(home, f"dan{number}")
        role = roles.create(organization=home, slug=f"r{number}", label="R", permissions=[], surface=Surface.SYSTEM)
        refused = at_once(
            partial(roles.delete, role=role, surface=Surface.SYSTEM),
            partial(memberships.change_role, member=member, role=role, surface=Surface.SYSTEM),
        )
        member.refresh_from_db()
        exists = Role.objects.filter(pk=role.pk).exists()
        assert (member.role == role) == exists
        assert exists or member.role == plain
        assert len([error for error in refused if error]) == 1


def test_whoever_joins_a_team_while_being_removed_is_in_none() -> None:
    home = cast.organization("race")
    team = cast.team(home, "Support")
    for number in range(10):
        member = cast.member(home, f"eve{number}")
        at_once(
            partial(teams.add_member, team=team, member=member, surface=Surface.SYSTEM),
            partial(memberships.remove, member=member, surface=Surface.SYSTEM),
        )
        assert not team.memberships.filter(member=member).exists()
