"""Re-encrypts every stored credential under the first of CREDENTIAL_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from connectors.credentials.rotation import rotate_credentials


class Command(BaseCommand):
    help = "Re-encrypt every stored credential under the first of CREDENTIAL_KEYS; then the older keys can go."

    def handle(self, *args: Any, **options: Any) -> None:
        done = rotate_credentials()
        self.stdout.write(f"{done.rotated} credentials are under the newest key.")
        if done.unreadable:
            raise CommandError(
                f"No configured key opens {len(done.unreadable)}: {', '.join(done.unreadable[:5])}. "
                "Bring the lost key back, or connect these accounts again and enter these client secrets anew."
            )
