"""How gunicorn serves us, locally and in a container; see its own documentation for each name."""

import os

worker_class = "gthread"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
threads = int(os.environ.get("WEB_THREADS", "64"))
# Loads the application once and forks. Nothing of ours connects to anything while it loads.
preload_app = True
graceful_timeout = 10
accesslog = "-"
logger_class = "elaichi.access_log.WithoutSecrets"
# Without query and referrer: there a sign-in's code comes back.
access_log_format = '%(h)s %(t)s "%(m)s %(U)s %(H)s" %(s)s %(b)s "%(a)s"'
# Its control socket would lie in the home folder, where two installations collide.
control_socket_disable = True


def when_ready(server: object) -> None:
    """Load the views before the fork, too: Django puts that off until the first request of each process."""
    from django.urls import get_resolver

    _ = get_resolver().url_patterns
