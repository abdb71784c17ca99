"""How long a caller waits for their effective policy and pool, and how that grows with tools and rules.

    python benchmarks/effective_policy.py

Cold: the organization has a new version, so the policy is compiled and the pool assembled anew, from parts that are
kept per connector. `same` is a version that changed nothing for this caller; `rule` is a rule that takes one more tool
from them, so that one connector's part is new too. Warm: the version is that of the request before.
"""

import random
import statistics
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from scratch import connectors, members, organization, scratch_database, tool_name

if TYPE_CHECKING:
    from accesscontrol.caller import Caller
    from accesscontrol.models import Member

SIZES = ((1_000, 0), (1_000, 200), (3_000, 200), (10_000, 0), (10_000, 50), (10_000, 200), (10_000, 800))
TOOLS_A_CONNECTOR = 100
ROUNDS = 30


def main() -> None:
    with scratch_database():
        print("Median and p95 in ms. The index is what the first search after it adds to the pool; a call needs none.")
        heads = ("cold, same", "cold, rule", "index", "policy", "warm")
        print(f"{'tools':>7}{'rules':>7} | " + " ".join(f"{head:>16}" for head in heads))
        for tools, rules in SIZES:
            measure(tools, rules)


def measure(tools: int, rules: int) -> None:
    from accesscontrol.resolver import policy_of
    from search.pool import pool_of

    member = somebody(tools, rules)
    assert len(pool_of(asking(member)).index)
    same = times(pool_of, member, bump)
    ruled = times(pool_of, member, restrict)
    index = times(lambda caller: pool_of(caller).index, member, restrict, ready=pool_of)
    policy = times(lambda caller: policy_of(caller.member, caller.version), member, bump)
    warm = times(pool_of, member, lambda member: None, ready=pool_of)
    print(f"{tools:>7}{rules:>7} | " + " ".join(map(said, (same, ruled, index, policy, warm))), flush=True)


def somebody(tools: int, rules: int) -> "Member":
    """A member with an account at every connector; half of the rules are for their role, half for them."""
    from accesscontrol.models import Restriction
    from connectors.models import Connection

    home = organization(f"o{tools}-{rules}")
    (member,) = members(home, 1)
    made = connectors(home, tools // TOOLS_A_CONNECTOR, TOOLS_A_CONNECTOR)
    Connection.objects.bulk_create(
        Connection(connector=connector, owner=member, label="Main", status="active") for connector in made
    )
    source = random.Random(rules)
    Restriction.objects.bulk_create(
        Restriction(
            organization=home,
            role=None if number % 2 else member.role,
            member=member if number % 2 else None,
            mode="block",
            tools=[f"{source.choice(made).slug}.{tool_name(source.randrange(TOOLS_A_CONNECTOR))}" for _ in range(3)],
        )
        for number in range(rules)
    )
    return member


def asking(member: "Member") -> "Caller":
    from accesscontrol.caller import caller_of
    from accesscontrol.models import Member, Surface

    fresh = Member.objects.select_related("organization", "role", "user").get(pk=member.pk)
    return caller_of(fresh, surface=Surface.SYSTEM)


def bump(member: "Member") -> None:
    from django.db import transaction

    from accesscontrol import versions

    with transaction.atomic():
        versions.bump(member.organization)


def restrict(member: "Member") -> None:
    from accesscontrol.models import Restriction, Surface
    from accesscontrol.services import restrictions

    already = Restriction.objects.filter(member=member, note="benchmark").count()
    restrictions.create(
        subject=member,
        mode=Restriction.Mode.BLOCK,
        tools=[f"app{already % 10}.{tool_name(already)}"],
        note="benchmark",
        surface=Surface.SYSTEM,
    )


def times(
    action: Callable[["Caller"], object],
    member: "Member",
    before: Callable[["Member"], object],
    ready: Callable[["Caller"], object] = id,
) -> list[float]:
    """Milliseconds of the action alone: the change and the reading of the caller come before it."""
    taken = []
    for _ in range(ROUNDS):
        before(member)
        caller = asking(member)
        ready(caller)
        started = time.perf_counter()
        action(caller)
        taken.append(1000 * (time.perf_counter() - started))
    return taken


def said(taken: list[float]) -> str:
    return f"{statistics.median(taken):>8.2f}{statistics.quantiles(taken, n=20)[18]:>8.2f}"


if __name__ == "__main__":
    main()
