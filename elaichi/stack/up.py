"""`up`: database, migrations, demo data, sandbox, web server and worker, until Ctrl-C."""

import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import FrameType

from django.core.management import call_command
from django.db import connections

from elaichi.stack import paths, ports
from elaichi.stack.errors import StackError
from elaichi.stack.locks import EXCLUSIVE, FileLock
from elaichi.stack.postgres import database_unless_configured
from elaichi.stack.processes import Child, Program, answers, stop_all, wait_until, watch
from elaichi.stack.worker import READY_DESCRIPTOR

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Addresses:
    """Where the servers listen, and what the outside calls us."""

    web: socket.socket
    sandbox: socket.socket

    @property
    def sandbox_url(self) -> str:
        return f"http://127.0.0.1:{ports.port_of(self.sandbox)}"

    @property
    def public_url(self) -> str:
        return os.environ.get("PUBLIC_URL") or f"http://127.0.0.1:{ports.port_of(self.web)}"

    def environment(self) -> dict[str, str]:
        """The settings of the local stack, which the environment of `up` may overrule."""
        sandbox = f"127.0.0.1:{ports.port_of(self.sandbox)}"
        allowed = ",".join(filter(None, [os.environ.get("EGRESS_ALLOWED"), sandbox]))
        fixed = {"PUBLIC_URL": self.public_url, "SANDBOX_URL": self.sandbox_url, "EGRESS_ALLOWED": allowed}
        return {"DEBUG": "1", "DATABASE_POOL": "1"} | dict(os.environ) | fixed


def run(port: int) -> None:
    """Run the stack in the foreground until Ctrl-C, SIGTERM or SIGHUP; raises StackError."""
    for number in _STOP_SIGNALS:
        signal.signal(number, _interrupt)
    try:
        with ExitStack() as started, _stopping_undisturbed():
            _start(started, port)
    except KeyboardInterrupt:
        _say("Stopped.")


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@contextmanager
def _stopping_undisturbed() -> Iterator[None]:
    """However the block ends, a second Ctrl-C must not keep what was started from being stopped."""
    try:
        yield
    finally:
        for number in _STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        _say("Stopping.")


def _start(started: ExitStack, port: int) -> None:
    started.enter_context(_alone())
    paths.broker().mkdir(exist_ok=True)
    web = started.enter_context(ports.listen(port))
    sandbox = started.enter_context(ports.listen_for_sandbox(ports.port_of(web)))
    started.enter_context(database_unless_configured())
    children: list[Child] = []
    started.callback(stop_all, children)
    _run_everything(started, Addresses(web, sandbox), children)


def _run_everything(started: ExitStack, addresses: Addresses, children: list[Child]) -> None:
    sandbox = _launch(children, _sandbox(addresses))
    _prepare_database(addresses)
    web = _launch(children, _web(addresses))
    worker, is_ready = _launch_worker(started, addresses, children)
    wait_until(lambda: answers(ports.port_of(addresses.sandbox), "/_health"), sandbox)
    wait_until(lambda: answers(ports.port_of(addresses.web), "/healthz"), web)
    wait_until(is_ready, worker)
    _report()
    watch(children)


@contextmanager
def _alone() -> Iterator[None]:
    """Two stacks of one checkout would share the worker's queue and overwrite each other's addresses."""
    lock = FileLock(paths.locks() / "up.lock")
    try:
        if not lock.attempt(EXCLUSIVE):
            raise StackError("this checkout is up already: stop it first, or give this one its own ELAICHI_VAR")
        yield
    finally:
        lock.close()


def _prepare_database(addresses: Addresses) -> None:
    from elaichi import demo  # only now: it imports models, which this module's readers need not

    _say("Bringing the database up to date.")
    call_command("migrate", interactive=False, verbosity=0)
    local_file = paths.var() / "local.json"
    demo.load(public_url=addresses.public_url, sandbox_url=addresses.sandbox_url, local_file=local_file)
    connections.close_all()


def _sandbox(addresses: Addresses) -> Program:
    descriptor = addresses.sandbox.fileno()
    return Program(
        name="sandbox",
        arguments=["-m", "elaichi.sandbox", f"--fd={descriptor}"],
        environment=addresses.environment(),
        descriptors=[descriptor],
    )


def _web(addresses: Addresses) -> Program:
    descriptor = addresses.web.fileno()
    options = ["--config=python:elaichi.gunicorn", f"--bind=fd://{descriptor}"]
    return Program(
        name="web",
        arguments=["-m", "gunicorn", *options, "elaichi.wsgi"],
        environment=addresses.environment(),
        descriptors=[descriptor],
    )


def _launch_worker(started: ExitStack, addresses: Addresses, children: list[Child]) -> tuple[Child, Callable[[], bool]]:
    """The child, and whether it takes tasks: then it closes its end of a pipe."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    started.callback(os.close, reader)
    program = Program(
        name="worker",
        arguments=["-m", "elaichi.stack.worker"],
        environment=addresses.environment() | {READY_DESCRIPTOR: str(writer)},
        descriptors=[writer],
    )
    child = _launch(children, program)
    os.close(writer)
    return child, lambda: _is_closed(reader)


def _is_closed(reader: int) -> bool:
    try:
        return os.read(reader, 1) == b""
    except BlockingIOError:
        return False


def _launch(children: list[Child], program: Program) -> Child:
    _say(f"Starting the {program.name}.")
    children.append(Child(program))
    return children[-1]


def _report() -> None:
    local = json.loads((paths.var() / "local.json").read_text())
    owner = local["people"][0]
    print(
        f"""
elaichi is up. Ctrl-C stops it.

  Admin    {local["admin_url"]}
           {owner["email"]}  {owner["password"]}
  MCP      {local["mcp_url"]}
  Token    {owner["token"]}
  Sandbox  {local["sandbox_url"]}

  The other people's logins and tokens are in {paths.var() / "local.json"}, logs in {paths.logs()}.
""",
        flush=True,
    )


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
