"""Django's registration of the project itself and of its admin site."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig as DjangoAdminConfig


class ElaichiConfig(AppConfig):
    name = "elaichi"

    def ready(self) -> None:
        from elaichi import celery, checks  # noqa: F401  the app that tasks belong to, and the system checks


class AdminConfig(DjangoAdminConfig):
    default_site = "elaichi.admin_site.ElaichiAdminSite"
