"""What it takes to find the accounts within a member's reach, as the organization around them grows.

    python benchmarks/shared_connections.py

Every member owns two accounts; each tenth account is shared with one other member, a hundred with one of fifty teams,
and ten with everyone. Measured are the query of a pool, what a call adds to look an account of somebody else up at the
moment of use, and a pool's query written with ORs, for comparison.
"""

import statistics
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from scratch import connectors, members, organization, scratch_database

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from accesscontrol.models import Member, Organization
    from connectors.models import Connection

SIZES = (100, 1_000, 10_000)
ASKED = 30


def main() -> None:
    with scratch_database():
        print(" members  accounts  shares | reached   pool ms    call ms  with ORs ms (medians; in brackets p95)")
        for size in SIZES:
            measure(size)


def measure(size: int) -> None:
    from django.db import connection as database

    from connectors.models import Level, Share
    from connectors.reach import reaches, usable_connections

    home = organization(f"o{size}")
    people, accounts = populated(home, size)
    with database.cursor() as cursor:
        cursor.execute("ANALYZE")
    asked = people[:: max(1, size // ASKED)][:ASKED]
    pool = times(asked, lambda member: list(usable_connections(member).defer("credential")))
    call = times(asked, lambda member: reaches(member, accounts[0], at_least=Level.USE))
    plain = times(asked, lambda member: list(with_ors(member).defer("credential")))
    reached = statistics.mean(usable_connections(member).count() for member in asked)
    shares = Share.objects.of(home).count()
    print(f"{size:>8}{len(accounts):>10}{shares:>8} | {reached:>7.0f} {pool} {call} {plain}", flush=True)


def populated(home: "Organization", size: int) -> "tuple[list[Member], list[Connection]]":
    from accesscontrol.models import Team, TeamMembership
    from connectors.models import Connection, Share

    people = members(home, size)
    apps = connectors(home, 20, 1)
    teams = Team.objects.bulk_create(Team(organization=home, name=f"Team {n}") for n in range(50))
    TeamMembership.objects.bulk_create(
        TeamMembership(team=teams[(n + offset) % 50], member=one) for n, one in enumerate(people) for offset in (0, 7)
    )
    accounts = Connection.objects.bulk_create(
        Connection(connector=apps[(n + m) % 20], owner=one, label="Main", status="active")
        for n, one in enumerate(people)
        for m in range(2)
    )
    tenth = accounts[::10]
    shares = [Share(connection=one, member=people[(n * 7 + 3) % size]) for n, one in enumerate(tenth)]
    shares += [Share(connection=one, team=teams[n % 50]) for n, one in enumerate(accounts[:100])]
    shares += [Share(connection=one, whole_organization=True) for one in accounts[100:110]]
    for share in shares:
        share.organization = home
    Share.objects.bulk_create(shares)
    return people, accounts


def with_ors(member: "Member") -> "QuerySet[Connection]":
    """The same connections, asked for as one condition."""
    from django.db.models import Q

    from connectors.models import Connection, Level, Share

    shared = Share.objects.with_member(member).filter(level__gte=Level.USE).values("connection")
    return Connection.objects.of(member.organization).filter(
        Q(owner=member) | Q(pk__in=shared, owner__status="active"), status="active", connector__enabled=True
    )


def times(asked: "list[Member]", ask: "Callable[[Member], object]") -> str:
    """Milliseconds, as a median and a p95."""
    taken = []
    for member in (*asked[:3], *asked, *asked, *asked):
        started = time.perf_counter()
        ask(member)
        taken.append(1000 * (time.perf_counter() - started))
    taken = taken[3:]
    return f"{statistics.median(taken):>6.2f} ({statistics.quantiles(taken, n=20)[18]:.2f})"


if __name__ == "__main__":
    main()
