"""What follows a change through Celery: with a real worker, without a broker, with the worker killed at its work."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from accesscontrol import versions
from accesscontrol.models import Member, Organization, Restriction, Surface
from accesscontrol.services import restrictions
from elaichi.celery import app
from elaichi.stack import paths
from elaichi.stack.worker import READY_DESCRIPTOR
from search.models import ReachRow
from search.tasks import apply_reach, sweep_reach
from tests import cast
from tests.e2e.conftest import database_url
from tests.elaichi.stack.observe import eventually
from tests.search.mcp.rpc import Rpc
from tests.search.reach_world import World, by_pools, reported

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def bob(transactional_db: None) -> Member:
    bob = cast.member(cast.organization("acme"), "bob")
    connector = cast.connector(bob.organization)
    cast.tool(connector, "create_page", "Create a page", method="POST")
    cast.tool(connector, "delete_page", "Delete a page", method="DELETE")
    cast.connection(bob, connector)
    return bob


@pytest.fixture
def broker(bob: Member, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A queue of the test's own, empty; for this process and for those that it starts."""
    monkeypatch.setenv("ELAICHI_VAR", str(tmp_path))
    monkeypatch.setenv("CELERY_BROKER_URL", "filesystem://")
    paths.broker().mkdir()
    folder = str(paths.broker())
    options = {"data_folder_in": folder, "data_folder_out": folder, "control_folder": str(tmp_path / "broker-control")}
    monkeypatch.setitem(app.conf, "broker_transport_options", options)
    return paths.broker()


@contextmanager
def worker() -> Iterator[subprocess.Popen[bytes]]:
    """A worker as the local stack starts it, once it takes tasks."""
    reader, writer = os.pipe()
    log = paths.var() / f"worker-{time.monotonic()}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "elaichi.stack.worker"],
            env=os.environ
            | {"DATABASE_URL": database_url(), "PYTHONPATH": str(paths.CHECKOUT), READY_DESCRIPTOR: str(writer)},
            pass_fds=[writer],
            stdout=output,
            stderr=output,
        )
    os.close(writer)
    try:
        with os.fdopen(reader, "rb") as announced:
            assert announced.read() == b""
        assert process.poll() is None, log.read_text()[-2000:]
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def send(task: Any, *args: object) -> None:
    """Past the process's own pool of connections, which may still be those of another test's broker."""
    with app.connection_for_write() as fresh:
        task.apply_async(args, producer=fresh.Producer())


def block(subject: Member, tool: str = "notion.delete_page") -> Restriction:
    return restrictions.create(subject=subject, mode=Restriction.Mode.BLOCK, tools=[tool], surface=Surface.SYSTEM)


def is_applied(organization: Organization) -> bool:
    organization.refresh_from_db()
    return organization.applied_version == organization.version


def tools_of(member: Member) -> list[str]:
    return [tool for row in ReachRow.objects.filter(member=member) for tool in row.tools]


@pytest.mark.requirement("S24")
def test_a_worker_brings_the_report_up_to_date_after_each_change(bob: Member, broker: Path) -> None:
    with worker():
        rule = block(bob)
        assert eventually(lambda: tools_of(bob) == ["create_page"])
        assert eventually(lambda: is_applied(bob.organization))
        restrictions.delete(restriction=rule, surface=Surface.SYSTEM)
        assert eventually(lambda: tools_of(bob) == ["create_page", "delete_page"])


@pytest.mark.requirement("S24")
def test_the_clock_sweeps_each_minute(broker: Path) -> None:
    entries = [entry for entry in app.conf.beat_schedule.values() if entry["task"] == sweep_reach.name]
    assert [entry["schedule"] for entry in entries] == [60]
    assert sweep_reach.name in app.tasks


def test_one_transaction_starts_one_task_however_much_it_changes(bob: Member, broker: Path) -> None:
    with transaction.atomic():
        for _ in range(3):
            versions.bump(bob.organization)
        with transaction.atomic():
            versions.bump(bob.organization)
        assert list(broker.iterdir()) == []
    assert len(list(broker.iterdir())) == 1


def test_what_is_rolled_back_starts_no_task(bob: Member, broker: Path) -> None:
    with transaction.atomic():
        block(bob)
        transaction.set_rollback(True)
    assert list(broker.iterdir()) == []


def test_a_bump_after_a_rolled_back_one_still_starts_its_task(bob: Member, broker: Path) -> None:
    with transaction.atomic():
        with transaction.atomic():
            versions.bump(bob.organization)
            transaction.set_rollback(True)
        versions.bump(bob.organization)
    assert len(list(broker.iterdir())) == 1


@pytest.fixture
def closed_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        return int(server.getsockname()[1])


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Somebody who takes connections and says nothing."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield int(server.getsockname()[1])


@pytest.mark.requirement("S24")
@pytest.mark.parametrize("kind", ["no folder", "redis closed", "redis silent", "amqp closed", "amqp silent"])
def test_with_the_broker_down_search_and_call_obey_at_once_and_the_change_is_quick(
    bob: Member, broker: Path, closed_port: int, silent_port: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = {
        "no folder": "filesystem://",
        "redis closed": f"redis://127.0.0.1:{closed_port}/0",
        "redis silent": f"redis://127.0.0.1:{silent_port}/0",
        "amqp closed": f"amqp://127.0.0.1:{closed_port}//",
        "amqp silent": f"amqp://127.0.0.1:{silent_port}//",
    }[kind]
    broker.rmdir()
    monkeypatch.setenv("CELERY_BROKER_URL", url)
    if kind != "no folder":
        monkeypatch.setitem(app.conf, "broker_transport_options", {})
    rpc = Rpc(cast.token(bob))
    assert rpc.found("delete page")["result"][0]["name"] == "notion_delete_page"
    block(bob, "notion.create_page")  # the first of a process loads the broker's client
    started = time.monotonic()
    block(bob)
    assert time.monotonic() - started < 2
    names = {row["name"]: row for row in rpc.found("delete page")["result"]}
    assert "input_schema" not in names["notion_delete_page"]
    assert rpc.call("notion_delete_page")["isError"]
    assert not is_applied(bob.organization)
    sweep_reach()
    assert tools_of(bob) == []


def test_a_command_whose_broker_is_down_succeeds_and_is_obeyed(bob: Member, broker: Path, closed_port: int) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "restrict", "--member", bob.user.email, "--block", "notion.delete_page"],
        cwd=paths.CHECKOUT,
        env=os.environ | {"DATABASE_URL": database_url(), "CELERY_BROKER_URL": f"redis://127.0.0.1:{closed_port}/0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert Rpc(cast.token(bob)).call("notion_delete_page")["isError"]
    assert "Traceback" not in done.stderr


@pytest.mark.requirement("S24")
def test_a_worker_killed_at_its_work_leaves_the_old_report_and_the_sweep_catches_up(bob: Member, broker: Path) -> None:
    sweep_reach()
    with worker() as doomed, transaction.atomic():
        _lock_the_table_it_writes_last()
        _in_another_session(lambda: block(bob))
        assert eventually(_somebody_waits_for_it)
        os.kill(doomed.pid, signal.SIGKILL)
        doomed.wait(20)
    assert eventually(_nobody_applies)
    assert not is_applied(bob.organization)
    assert tools_of(bob) == ["create_page", "delete_page"]
    assert Rpc(cast.token(bob)).call("notion_delete_page")["isError"]
    for message in broker.iterdir():
        message.unlink()
    with worker():
        send(sweep_reach)
        assert eventually(lambda: is_applied(bob.organization))
    assert tools_of(bob) == ["create_page"]


def test_tasks_delivered_twice_and_out_of_order_end_in_the_right_report(broker: Path) -> None:
    world = World(3, "umbrella")
    world.home.refresh_from_db()
    version = world.home.version
    for message in broker.iterdir():
        message.unlink()
    with worker():
        for asked in (version, version - 2, version, version - 1, version + 5, version - 2):
            send(apply_reach, str(world.home.pk), asked)
        assert eventually(lambda: not list(broker.iterdir()) and is_applied(world.home))
        assert reported(world.home) == by_pools(world.home)
        world.change()
        assert eventually(lambda: is_applied(world.home))
    assert reported(world.home) == by_pools(world.home)


def _lock_the_table_it_writes_last() -> None:
    with connection.cursor() as cursor:
        cursor.execute("LOCK TABLE search_reachtools IN EXCLUSIVE MODE")


def _somebody_waits_for_it() -> bool:
    return _locks("relation = 'search_reachtools'::regclass AND NOT granted") > 0


def _nobody_applies() -> bool:
    """The database notices that a client is gone when it is done with its statement, and rolls all of it back."""
    return _locks("locktype = 'advisory'") == 0


def _locks(where: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM pg_locks WHERE {where}")
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def _in_another_session(action: Callable[[], object]) -> None:
    """On a connection of its own, so that it commits while the test's own transaction is open."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            action()
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(30)
    assert failures == []
