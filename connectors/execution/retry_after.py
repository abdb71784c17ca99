"""What a `Retry-After` header says (RFC 9110, 10.2.3)."""

import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def seconds_to_wait(value: str | None, *, now: datetime) -> int | None:
    """Whole seconds, rounded up, from either form of the header; None where it is absent or unreadable."""
    if value is None:
        return None
    if re.fullmatch(r"\d{1,9}", value.strip(), re.ASCII):
        return int(value)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0, math.ceil((date - now).total_seconds()))
