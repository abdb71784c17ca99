"""Is the process up, and can it do its work?"""

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse


def healthz(request: HttpRequest) -> HttpResponse:
    """Up: asks nothing of the database, so that a database restart does not restart every web process."""
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(request: HttpRequest) -> HttpResponse:
    """Ready: the database answers and every migration is applied."""
    try:
        executor = MigrationExecutor(connection)
        pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return HttpResponse("the database does not answer\n", content_type="text/plain", status=503)
    if pending:
        return HttpResponse("migrations are pending\n", content_type="text/plain", status=503)
    return HttpResponse("ok\n", content_type="text/plain")
