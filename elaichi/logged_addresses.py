"""In a log an address that opens something for whoever holds it stands without what opens it."""

import logging
import re

# Of links to files, of pages on which an account is connected, and of invitations.
_OPENS = re.compile(r"^(/(?:files|connect|join)/)(?!callback/?$).+", re.DOTALL)


def cut(address: str) -> str:
    return _OPENS.sub(r"\1…", address)


class AddressesCut(logging.Filter):
    """For Django's own loggers, which write the address of whatever was refused: it may open again tomorrow."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(cut(value) if isinstance(value, str) else value for value in record.args)
        return True
