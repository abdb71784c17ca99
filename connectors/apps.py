"""What can be called: connectors, their tools, and the accounts that reach them."""

from django.apps import AppConfig


class ConnectorsConfig(AppConfig):
    name = "connectors"
    verbose_name = "Connectors"

    def ready(self) -> None:
        from accesscontrol import catalog_names, toolbox_choices
        from connectors import (  # noqa: F401  register themselves
            account_operations,
            connector_operations,
            operations,
            receivers,
            sharing_operations,
            toolbox_operations,
        )
        from connectors.connecting import operations as connecting_operations  # noqa: F401
        from connectors.frozen_reach import choices
        from connectors.known_names import KnownNames

        catalog_names.register(KnownNames())
        toolbox_choices.register(choices)
