"""A database that a benchmark fills and that is gone when it ends, and people and catalogs to fill it with."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accesscontrol.models import Member, Organization
    from connectors.models import Connector

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "elaichi.settings")
# Tasks are started by the benchmark itself, not by what it writes.
os.environ["CELERY_BROKER_URL"] = "memory://"

NOUNS = ("invoice", "customer", "report", "record", "shelf", "user", "ticket", "page", "payment", "order")
VERBS = ("create", "list", "get", "update", "delete")


@contextmanager
def scratch_database() -> Iterator[None]:
    from elaichi.stack.postgres import database_unless_configured

    with database_unless_configured():
        import django

        django.setup()
        from django.db import connection

        name = connection.settings_dict["NAME"]
        connection.settings_dict["TEST"]["NAME"] = f"benchmark_{os.getpid()}"
        connection.creation.create_test_db(verbosity=0, autoclobber=True)
        try:
            yield
        finally:
            connection.creation.destroy_test_db(name, verbosity=0)


def organization(slug: str) -> "Organization":
    from accesscontrol.models import Surface
    from accesscontrol.services import organizations

    return organizations.found(slug=slug, name=slug, surface=Surface.SYSTEM)


def members(home: "Organization", number: int, role: str = "member") -> list["Member"]:
    from accesscontrol.models import Member, Role, User

    users = User.objects.bulk_create(
        User(email=f"{role}{n}@{home.slug}.example", name=f"Member {n}", password="!") for n in range(number)
    )
    found = Role.objects.get(organization=home, slug=role)
    return Member.objects.bulk_create(Member(organization=home, user=user, role=found) for user in users)


def connectors(home: "Organization", number: int, tools: int) -> list["Connector"]:
    """So many connectors of so many tools each."""
    from connectors.models import Connector, Tool

    made = Connector.objects.bulk_create(
        Connector(organization=home, slug=f"app{n}", label=f"App {n}", base_url="https://example.com")
        for n in range(number)
    )
    schema = {"type": "object", "properties": {noun: {"type": "string", "description": "A value."} for noun in NOUNS}}
    Tool.objects.bulk_create(
        (
            Tool(
                connector=connector,
                name=tool_name(n),
                operation=str(n),
                description=f"{VERBS[n % 5].title()}s the {NOUNS[n // 5 % 10]} of group {n // 50} for its owner.",
                input_schema=schema,
            )
            for connector in made
            for n in range(tools)
        ),
        batch_size=2_000,
    )
    return made


def tool_name(number: int) -> str:
    return f"{VERBS[number % 5]}_{NOUNS[number // 5 % 10]}_{number}"
