"""How long a change takes to reach the report, and how long ending somebody's access takes; and how both grow.

    python benchmarks/propagation.py

A rule for a role that all members have is written, then its task is run: `save` is the request, `report` the task, and
what counts is both. `own` members have five accounts of their own; `shared` means that all members reach all connectors
through shared accounts. `first` is the report of an organization that had none.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

from scratch import connectors, members, organization, scratch_database, tool_name

if TYPE_CHECKING:
    from accesscontrol.models import Member, Organization
    from connectors.models import Connector

OWN_ACCOUNTS = 5
TOOLS = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    asked = parser.parse_args()
    with scratch_database():
        print("members  connectors  accounts |  first s   save ms   report s   both: median, p95 s")
        for people, products in ((100, 100), (1_000, 100), (10_000, 10), (10_000, 100)):
            for share in (False, True):
                report(people, products, share=share, rounds=asked.rounds)
        print("grants |  suspension ms: median, p95")
        for grants in (10, 100, 1_000, 10_000):
            suspension(grants, rounds=asked.rounds)


def report(people: int, products: int, *, share: bool, rounds: int) -> None:
    home = organization(f"o{people}-{products}-{'shared' if share else 'own'}")
    everybody = members(home, people)
    made = connectors(home, products, TOOLS)
    connect(home, everybody, made, share=share)
    first = seconds(lambda: apply(home))
    numbers = count()
    saves, reports = [], []
    for _ in range(rounds):
        saves.append(seconds(lambda: restrict(everybody[0], next(numbers))))
        reports.append(seconds(lambda: apply(home)))
    both = [save + applied for save, applied in zip(saves, reports, strict=True)]
    print(
        f"{people:>7}{products:>12}{'shared' if share else 'own':>10} |{first:>9.2f}"
        f"{1000 * statistics.median(saves):>10.1f}{statistics.median(reports):>11.2f}"
        f"{statistics.median(both):>15.2f}{p95(both):>7.2f}",
        flush=True,
    )


def connect(home: "Organization", everybody: list["Member"], made: list["Connector"], *, share: bool) -> None:
    from connectors.models import Connection, Share

    owners = [(everybody[0], connector) for connector in made]
    if not share:
        owners = [
            (member, made[(number + step) % len(made)])
            for number, member in enumerate(everybody)
            for step in range(min(OWN_ACCOUNTS, len(made)))
        ]
    accounts = Connection.objects.bulk_create(
        (Connection(owner=owner, connector=connector, label="Main", status="active") for owner, connector in owners),
        batch_size=5_000,
    )
    if share:
        Share.objects.bulk_create(
            Share(organization=home, connection=account, whole_organization=True) for account in accounts
        )


def restrict(member: "Member", number: int) -> None:
    from accesscontrol.models import Restriction, Surface
    from accesscontrol.services import restrictions

    restrictions.create(
        subject=member.role,
        mode=Restriction.Mode.BLOCK,
        connectors=["app1"] if number % 5 == 0 else [],
        tools=[f"app{number % 10}.{tool_name(number)}"],
        surface=Surface.SYSTEM,
    )


def apply(home: "Organization") -> None:
    from search import reach_report

    home.refresh_from_db()
    assert reach_report.apply(home.pk, home.version)


def suspension(number: int, *, rounds: int) -> None:
    from accesscontrol.models import Grant, Surface
    from accesscontrol.services import memberships

    home = organization(f"s{number}")
    taken = []
    for member in members(home, rounds):
        Grant.objects.bulk_create(
            Grant(member=member, kind="token", client_name="A client", token_hash=f"{member.pk}-{n}"[:64])
            for n in range(number)
        )
        taken.append(seconds(lambda member=member: memberships.suspend(member=member, surface=Surface.SYSTEM)))
    print(f"{number:>6} |{1000 * statistics.median(taken):>11.1f}{1000 * p95(taken):>10.1f}", flush=True)


def seconds(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def p95(taken: list[float]) -> float:
    return statistics.quantiles(taken, n=20)[18]


if __name__ == "__main__":
    main()
