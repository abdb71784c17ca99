"""The audit trail: writing it, reading it, proving that it is whole, and ending what is old."""

from accesscontrol.audit.recording import CallEntry, call, record

__all__ = ["CallEntry", "call", "record"]
