"""Who may do what: members, roles, restrictions, grants and the resolver that decides."""

from django.apps import AppConfig


class AccessControlConfig(AppConfig):
    name = "accesscontrol"
    verbose_name = "Access control"

    def ready(self) -> None:
        from accesscontrol import access_operations, operations  # noqa: F401  register themselves
        from accesscontrol.audit import operations as audit_operations  # noqa: F401
