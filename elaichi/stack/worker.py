"""The local Celery worker with its beat: `python -m elaichi.stack.worker` says on a pipe when it takes tasks.

Threads instead of processes: on one machine they start at once, share a connection pool and leave no orphans.
"""

import os
from typing import Any

from celery.signals import worker_ready

from elaichi.celery import app
from elaichi.stack import paths

READY_DESCRIPTOR = "ELAICHI_READY_FD"


def _announce(**_: Any) -> None:
    os.close(int(os.environ.pop(READY_DESCRIPTOR)))


def main() -> None:
    worker_ready.connect(_announce, weak=False)
    schedule = paths.var() / "beat" / "schedule"
    schedule.parent.mkdir(parents=True, exist_ok=True)
    options = ["--beat", f"--schedule={schedule}", "--pool=threads", "--concurrency=4", "--loglevel=INFO"]
    app.worker_main(["worker", *options, "--without-gossip", "--without-mingle", "--without-heartbeat"])


if __name__ == "__main__":
    main()
