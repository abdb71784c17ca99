"""`./run up`: the whole of elaichi on this machine, in the foreground."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand

from elaichi.stack import up
from elaichi.stack.errors import StackError


class Command(BaseCommand):
    help = "Start database, web server, worker and sandbox on this machine; Ctrl-C stops all of it."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=_port, default=8000, help="the web server's port (8000)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            up.run(options["port"])
        except StackError as error:
            self.stderr.write(f"elaichi: {error}")
            sys.exit(1)


def _port(text: str) -> int:
    if not 0 <= int(text) <= 65_535:
        raise ValueError("a port is a number from 0 to 65535")
    return int(text)
