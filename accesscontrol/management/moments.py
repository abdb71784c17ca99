"""Moments on a command line."""

from argparse import ArgumentTypeError
from datetime import datetime, time

from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime


def moment(text: str) -> datetime:
    """`2030-01-31`, its midnight, or `2030-01-31T17:00:00Z`; UTC where no offset is given. Raises ArgumentTypeError."""
    try:
        day = parse_date(text)
        found = datetime.combine(day, time()) if day else parse_datetime(text)
    except ValueError:
        found = None
    if found is None:
        raise ArgumentTypeError(f"{text} is no date: write 2030-01-31 or 2030-01-31T17:00:00Z")
    return timezone.make_aware(found) if timezone.is_naive(found) else found
