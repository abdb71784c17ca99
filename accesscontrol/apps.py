"""Who may do what: members, roles, restrictions, grants and the resolver that decides."""

from django.apps import AppConfig


class AccessControlConfig(AppConfig):
    name = "accesscontrol"
    verbose_name = "Access control"

    def ready(self) -> None:
        from accesscontrol import (  # noqa: F401  register themselves
            access_operations,
            grant_operations,
            operations,
            organization_operations,
        )
        from accesscontrol.audit import operations as audit_operations  # noqa: F401
