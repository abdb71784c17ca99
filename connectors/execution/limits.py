"""How often one account may be called: at a time, in a minute, and not before the time that its product asked for.

Counted over rows, so that every process sees the same. A call is let in by one statement under a lock of its account
that ends with that statement; nothing is locked while the call runs.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connection as database
from django.db.models import F, Q
from django.db.models.functions import Greatest
from django.utils import timezone

from connectors.execution.errors import AccountBusy, AccountPaused, RateLimited
from connectors.models import Connection, Connector, RunningCall

MINUTE = timedelta(minutes=1)
# Seconds for what a call does besides waiting for its product: past them its process is taken for dead.
_GRACE = 15
# Some products answer with a date far away; a person may have mended things by then.
_LONGEST_PAUSE = timedelta(hours=1)

# Sent as one message, so the lock ends with it; the second statement sees what others have committed before it.
_TAKE = """
SELECT pg_advisory_xact_lock(%(lock)s);
INSERT INTO connectors_runningcall (id, connection_id, started_at, deadline)
SELECT %(id)s, %(connection)s, clock_timestamp(), clock_timestamp() + make_interval(secs => %(seconds)s)
WHERE %(at_a_time)s > (
    SELECT count(*) FROM connectors_runningcall
    WHERE connection_id = %(connection)s AND ended_at IS NULL AND deadline > clock_timestamp()
) AND (%(per_minute)s::int IS NULL OR %(per_minute)s > (
    SELECT count(*) FROM connectors_runningcall
    WHERE connection_id = %(connection)s AND started_at > clock_timestamp() - interval '1 minute'
));
"""


@contextmanager
def slot(connection: Connection, connector: Connector) -> Iterator[None]:
    """Holds one of the account's slots for the block. Raises AccountBusy and AccountPaused, both TooManyCalls.

    Where the block raises RateLimited with a time, the account is left alone until then.
    """
    _refuse_while_paused(connection)
    call = _take(connection, connector)
    try:
        yield
    except RateLimited as limited:
        _pause(connection, limited.seconds)
        raise
    finally:
        _give_back(call, connector)


def sweep(now: datetime) -> int:
    """Removes what no limit counts any more."""
    over = Q(ended_at__isnull=False, started_at__lt=now - MINUTE) | Q(deadline__lt=now - MINUTE)
    return RunningCall.objects.filter(over).delete()[0]


def _take(connection: Connection, connector: Connector) -> RunningCall:
    call = RunningCall(pk=uuid4(), connection=connection)
    values: dict[str, UUID | float | None] = {
        "lock": connection.pk.int >> 65,
        "id": call.pk,
        "connection": connection.pk,
        "seconds": settings.OUTBOUND_SECONDS + _GRACE,
        "at_a_time": connector.max_concurrent_calls,
        "per_minute": connector.calls_per_minute,
    }
    with database.cursor() as cursor:
        cursor.execute(_TAKE, values)
        cursor.nextset()
        if cursor.rowcount != 1:
            raise AccountBusy(connection.label, _seconds_until_free(connection, connector))
    return call


def _give_back(call: RunningCall, connector: Connector) -> None:
    rows = RunningCall.objects.filter(pk=call.pk)
    if connector.calls_per_minute is None:
        rows.delete()
    else:
        rows.update(ended_at=timezone.now())


def _seconds_until_free(connection: Connection, connector: Connector) -> int:
    """When the oldest call of a full minute leaves it; one second where calls are running, which end when they end."""
    now, limit = timezone.now(), connector.calls_per_minute
    if limit is None:
        return 1
    recent = RunningCall.objects.filter(connection=connection, started_at__gt=now - MINUTE).order_by("-started_at")
    oldest = recent.values_list("started_at", flat=True)[max(limit - 1, 0) : max(limit, 1)].first()
    return 1 if oldest is None else _seconds(oldest + MINUTE - now)


def _refuse_while_paused(connection: Connection) -> None:
    now = timezone.now()
    if connection.paused_until is not None and connection.paused_until > now:
        raise AccountPaused(connection.label, _seconds(connection.paused_until - now))


def _pause(connection: Connection, seconds: int | None) -> None:
    if not seconds:
        return
    until = timezone.now() + min(timedelta(seconds=seconds), _LONGEST_PAUSE)
    # Two calls may be told different times; PostgreSQL's GREATEST leaves a null out.
    Connection.objects.filter(pk=connection.pk).update(paused_until=Greatest(F("paused_until"), until))


def _seconds(left: timedelta) -> int:
    return max(1, math.ceil(left.total_seconds()))
