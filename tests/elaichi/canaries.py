"""Secrets that are looked for everywhere, in every form in which something may have written them down."""

import base64
import json
from collections.abc import Iterable
from html import escape
from io import StringIO
from urllib.parse import quote, quote_plus

from django.core.management import call_command
from django.db import connection


def forms(secret: str) -> set[str]:
    """Plain, URL-encoded, JSON- and HTML-escaped, in hex, and in base64 wherever in a text it stood."""
    data = secret.encode()
    plain = {secret, quote(secret), quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]}
    plain |= {repr(secret)[1:-1]}
    plain |= {escape(form) for form in plain}  # a page that shows a variable, a link or JSON
    return plain | {data.hex(), data.hex().upper()} | set(_base64(data))


def _base64(data: bytes) -> Iterable[str]:
    """What of it does not depend on its neighbours, at each of the three offsets."""
    for offset in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            encoded = encode(b"\0" * offset + data).decode()
            yield encoded[(0, 2, 3)[offset] : len(encoded) // 4 * 4 - 4]


def shown(text: str, secrets: Iterable[str]) -> list[str]:
    """The forms of these secrets that a text holds."""
    return [form for secret in secrets for form in forms(secret) if form in text]


def dump() -> str:
    """Every row of every table, as `pg_dump` writes them."""
    written = bytearray()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            with cursor.copy(f"COPY {connection.ops.quote_name(table)} TO STDOUT") as rows:
                for row in rows:
                    written += row
    return written.decode()


def exported() -> str:
    """What the commands write that write something down."""
    out = StringIO()
    for command in (("dumpdata",), ("export_audit",), ("reach", "--json")):
        call_command(*command, stdout=out)
    from connectors.models import Connector

    for slug in Connector.objects.values_list("slug", flat=True):
        call_command("export_catalog", slug, stdout=out)
    return out.getvalue()
