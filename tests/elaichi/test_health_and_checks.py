"""Health pages, system checks, and the shape of the project."""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings as project_settings
from django.core import checks
from django.test import Client

from elaichi.mailer import mailer

PRODUCTION = {
    "DEBUG": False,
    "SECRET_KEY": "s" * 60,
    "CREDENTIAL_KEYS": ["k" * 60],
    "CELERY_BROKER_URL": "redis://redis:6379/0",
    "PUBLIC_URL": "https://tools.example.com",
    "EGRESS_ALLOWED": [],
    "CACHES": {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://redis/1"}},
    "MAILERS": {"default": mailer("smtp+tls://user:password@mail.example.com:587")},
}


def failed(identifier_prefix: str = "elaichi.") -> set[str]:
    return {message.id for message in checks.run_checks() if message.id and message.id.startswith(identifier_prefix)}


def test_the_process_says_it_is_up_and_ready(db: None) -> None:
    assert Client().get("/healthz").status_code == 200
    assert Client().get("/readyz").status_code == 200


def test_a_complete_production_configuration_passes(settings: Any) -> None:
    for name, value in PRODUCTION.items():
        setattr(settings, name, value)
    assert failed() == set()


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("SECRET_KEY", "elaichi.E001"),
        ("CREDENTIAL_KEYS", "elaichi.E002"),
        ("CELERY_BROKER_URL", "elaichi.E003"),
        ("PUBLIC_URL", "elaichi.E004"),
        ("CACHES", "elaichi.W001"),
    ],
)
def test_a_value_of_the_local_stack_is_refused_in_production(settings: Any, name: str, identifier: str) -> None:
    local = getattr(project_settings, name)
    for key, value in PRODUCTION.items():
        setattr(settings, key, value)
    setattr(settings, name, local)
    assert failed() == {identifier}


def test_notices_that_reach_nobody_are_told(settings: Any) -> None:
    for name, value in PRODUCTION.items():
        setattr(settings, name, value)
    settings.MAILERS = {"default": mailer("consolemail://")}
    assert failed() == {"elaichi.W002"}


def test_private_addresses_cannot_be_let_through_in_production(settings: Any) -> None:
    for name, value in PRODUCTION.items():
        setattr(settings, name, value)
    settings.EGRESS_ALLOWED = ["127.0.0.1:9000"]
    assert failed() == {"elaichi.E005"}


def test_an_unknown_search_profile_is_told(settings: Any) -> None:
    settings.DEBUG = True
    settings.SEARCH_PROFILE = "nonsense"
    assert failed() == {"elaichi.E006"}


@pytest.mark.requirement("S30")
def test_the_top_level_and_the_frameworks_are_those_that_were_asked_for() -> None:
    root = Path(project_settings.BASE_DIR)
    asked = {"manage.py", "pyproject.toml", "elaichi", "connectors", "accesscontrol", "search", "templates", "tests"}
    assert asked <= {path.name for path in root.iterdir()}
    assert apps.is_installed("rest_framework")
    assert project_settings.DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql"


def test_no_migration_is_missing() -> None:
    root = Path(project_settings.BASE_DIR)
    command = [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"]
    found = subprocess.run(command, cwd=root, capture_output=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_version_is_the_package_s() -> None:
    project = tomllib.loads((Path(project_settings.BASE_DIR) / "pyproject.toml").read_text())
    assert project["project"]["version"] == project_settings.VERSION
