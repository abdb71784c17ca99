"""The process's database connections, of which there are fewer than calls that wait for their upstreams."""

from django.db import connection


def give_back_connection() -> None:
    """Lets another thread have this one's until it asks the database again; without a pool, or inside a transaction,
    it is kept.
    """
    if connection.settings_dict["OPTIONS"].get("pool") and not connection.in_atomic_block:
        connection.close()
