"""What one row of the audit trail costs, with and without its chain, and what it costs to prove and to prune many.

    .venv/bin/python benchmarks/audit.py [--rows 400] [--trail 100000]

Works in a database of its own, made from the migrations and dropped in the end: nobody could remove its rows from a
real one. Prints a table.
"""

import argparse
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "elaichi.settings")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=400, help="added by each writer")
    parser.add_argument("--trail", type=int, default=100_000, help="how long the trail to prove and prune is")
    asked = parser.parse_args()

    import django

    from elaichi.stack.postgres import database_unless_configured

    django.setup()
    with database_unless_configured(), _own_database():
        print(f"{'writers of one organization':34}{'chain':>8}{'median ms':>11}{'p95 ms':>9}{'rows/s':>9}")
        for chained in (False, True):
            for writers in (1, 8):
                with _triggers(chained):
                    _print_inserts(chained, writers, asked.rows)
        _print_bulk()
        _print_whole_trail(asked.trail)


@contextmanager
def _own_database() -> Iterator[None]:
    from django.db import connection

    name = connection.settings_dict["NAME"]
    connection.settings_dict["TEST"]["NAME"] = "benchmark_audit"
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)


@contextmanager
def _triggers(on: bool) -> Iterator[None]:
    verb = "ENABLE" if on else "DISABLE"
    _sql(f"ALTER TABLE accesscontrol_auditevent {verb} TRIGGER USER")
    try:
        yield
    finally:
        _sql("ALTER TABLE accesscontrol_auditevent ENABLE TRIGGER USER")


def _print_inserts(chained: bool, writers: int, rows: int) -> None:
    organization = _organization(f"inserts-{chained}-{writers}".lower())
    seconds: list[float] = []
    barrier = threading.Barrier(writers)

    def write() -> None:
        from django.db import connection

        try:
            _record(organization)
            barrier.wait(30)
            for _ in range(rows):
                seconds.append(_timed(lambda: _record(organization)))
        finally:
            connection.close()

    threads = [threading.Thread(target=write) for _ in range(writers)]
    total = _timed(lambda: _run(threads))
    quantiles = statistics.quantiles(seconds, n=20)
    print(
        f"{writers:34}{'yes' if chained else 'no':>8}{1000 * quantiles[9]:11.2f}{1000 * quantiles[18]:9.2f}"
        f"{len(seconds) / total:9.0f}"
    )


def _run(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _print_bulk() -> None:
    for chained in (False, True):
        with _triggers(chained):
            for rows in (1000, 10_000):
                organization = _organization(f"bulk-{chained}-{rows}".lower())
                seconds = _timed(lambda o=organization, n=rows: _bulk(o, n))
                kind = "with" if chained else "without"
                print(f"{rows} rows in one transaction, {kind} the chain: {1e6 * seconds / rows:.0f} µs a row")


def _print_whole_trail(rows: int) -> None:
    from django.utils import timezone

    from accesscontrol.audit.exporting import lines
    from accesscontrol.audit.pruning import prune
    from accesscontrol.audit.verifying import verify
    from accesscontrol.models import AuditEvent, Surface

    organization = _organization("many")
    for _ in range(rows // 10_000):
        _bulk(organization, 10_000)
    middle = timezone.now()
    _bulk(organization, 1000)
    seconds = _timed(lambda: verify(organization))
    assert verify(organization).problem is None
    print(f"verify {rows + 1000} rows: {seconds:.1f} s")
    seconds = _timed(lambda: sum(map(len, lines(AuditEvent.objects.of(organization)))))
    print(f"export {rows + 1000} rows: {seconds:.1f} s")
    seconds = _timed(lambda: prune(organization=organization, before=middle, surface=Surface.SYSTEM))
    assert verify(organization).problem is None
    print(f"prune {rows} rows: {seconds:.1f} s")


def _organization(slug: str) -> Any:
    from accesscontrol.models import Organization

    return Organization.objects.create(slug=slug, name=slug)


def _record(organization: Any) -> None:
    from accesscontrol import audit
    from accesscontrol.models import Surface

    audit.record(
        organization=organization,
        action="tool.call",
        surface=Surface.SYSTEM,
        outcome="ok",
        target="deskline_create_ticket",
        connection="Deskline: Acme",
        duration_ms=120,
    )


def _bulk(organization: Any, rows: int) -> None:
    from accesscontrol.models import AuditEvent

    AuditEvent.objects.bulk_create(
        AuditEvent(
            organization=organization,
            actor_kind="system",
            surface="system",
            action="tool.call",
            target="deskline_create_ticket",
            outcome="ok",
        )
        for _ in range(rows)
    )


def _sql(statement: str) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement)


def _timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
