"""Who may do what: members, roles, restrictions, grants and the resolver that decides."""

from django.apps import AppConfig


class AccessControlConfig(AppConfig):
    name = "accesscontrol"
    verbose_name = "Access control"

    def ready(self) -> None:
        from accesscontrol import operations  # noqa: F401  registers the operations
