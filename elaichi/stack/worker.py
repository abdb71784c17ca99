"""The local Celery worker with its clock: `python -m elaichi.stack.worker` says on a pipe when it takes tasks.

Threads instead of processes, for the tasks and for the clock: on one machine they start at once, share a connection
pool and leave no orphans. The schedule is static, so the clock keeps nothing on disk.
"""

import os
from typing import Any

from celery.beat import EmbeddedService
from celery.signals import worker_ready, worker_shutting_down

from elaichi.celery import app

READY_DESCRIPTOR = "ELAICHI_READY_FD"


def main() -> None:
    clock: Any = EmbeddedService(app, thread=True, scheduler_cls="celery.beat:Scheduler")

    def begin(**_: Any) -> None:
        clock.start()
        os.close(int(os.environ.pop(READY_DESCRIPTOR)))

    def end(**_: Any) -> None:
        clock.service.stop()  # it need not be waited for: its thread ends with the process

    worker_ready.connect(begin, weak=False)
    worker_shutting_down.connect(end, weak=False)
    options = ["--pool=threads", "--concurrency=4", "--loglevel=INFO"]
    app.worker_main(["worker", *options, "--without-gossip", "--without-mingle", "--without-heartbeat"])


if __name__ == "__main__":
    main()
