"""System checks: settings that would be unsafe or would fail later, told before the server starts."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

from elaichi.stack.secrets import is_local_secret
from search.ranking import PROFILES


@register(Tags.security)
def local_values_are_refused_in_production(**kwargs: Any) -> list[CheckMessage]:
    """With DEBUG off, every secret and address must be this deployment's own."""
    if settings.DEBUG:
        return []
    problems: list[CheckMessage] = []
    if is_local_secret("secret-key", settings.SECRET_KEY):
        problems.append(_unset("SECRET_KEY", "elaichi.E001"))
    if any(is_local_secret("credential-key", key) for key in settings.CREDENTIAL_KEYS):
        problems.append(_unset("CREDENTIAL_KEYS", "elaichi.E002"))
    if settings.CELERY_BROKER_URL.startswith("filesystem:"):
        problems.append(_unset("CELERY_BROKER_URL", "elaichi.E003"))
    if not settings.PUBLIC_URL.startswith("https://"):
        problems.append(
            Error(
                "PUBLIC_URL does not begin with https://.",
                hint="Set PUBLIC_URL to the https address that people's clients use.",
                id="elaichi.E004",
            )
        )
    if settings.EGRESS_ALLOWED:
        problems.append(
            Error(
                "EGRESS_ALLOWED lets outbound calls reach private addresses.",
                hint="Leave EGRESS_ALLOWED unset outside of local use.",
                id="elaichi.E005",
            )
        )
    return problems


@register(Tags.security)
def what_several_processes_need_is_set(**kwargs: Any) -> list[CheckMessage]:
    """With DEBUG off, what works on a laptop and falls short in a deployment."""
    if settings.DEBUG:
        return []
    problems: list[CheckMessage] = []
    if settings.CACHES["default"]["BACKEND"].endswith(".LocMemCache"):
        problems.append(
            Warning(
                "CACHE_URL is not set; each web process counts requests for itself.",
                hint="Set CACHE_URL to a cache that all processes share, such as rediscache://HOST:6379/1.",
                id="elaichi.W001",
            )
        )
    if settings.MAILERS["default"]["BACKEND"].endswith(".console.EmailBackend"):
        problems.append(
            Warning(
                "EMAIL_URL is not set; notices are written to the worker's output and reach nobody.",
                hint="Set EMAIL_URL to your mail server: smtp+tls://USER:PASSWORD@HOST:587.",
                id="elaichi.W002",
            )
        )
    return problems


@register()
def the_search_profile_exists(**kwargs: Any) -> list[CheckMessage]:
    if settings.SEARCH_PROFILE in PROFILES:
        return []
    return [
        Error(
            f"SEARCH_PROFILE is {settings.SEARCH_PROFILE!r}, which is no ranking profile.",
            hint=f"Set it to one of: {', '.join(PROFILES)}.",
            id="elaichi.E006",
        )
    ]


def _unset(name: str, identifier: str) -> CheckMessage:
    return Error(
        f"{name} is not set; the local stack's own value would be used.",
        hint=f"Set {name} in the environment, or DEBUG=1 on a laptop.",
        id=identifier,
    )
