"""Lifts a rule."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accesscontrol.models import Restriction, Surface
from accesscontrol.services import restrictions


class Command(BaseCommand):
    help = "Lift a rule, by the id that `restrict` printed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id", metavar="ID")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            restriction = Restriction.objects.select_related("organization").filter(pk=options["id"]).first()
        except ValidationError:
            restriction = None
        if restriction is None:
            raise CommandError(f"There is no restriction {options['id']}.")
        restrictions.delete(restriction=restriction, surface=Surface.SYSTEM)
        self.stdout.write(f"Lifted: {options['id']}")
