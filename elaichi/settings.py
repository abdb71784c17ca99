"""Settings, read from the environment; what is unset is served by the local stack from `var/`."""

from pathlib import Path
from urllib.parse import urlsplit

import django_stubs_ext
import environ
from django.templatetags.static import static
from django.utils.csp import CSP

from accesscontrol.oauth.configuration import oauth_provider
from elaichi.mailer import mailer
from elaichi.stack.postgres import local_database_url
from elaichi.stack.secrets import local_secret

# Lets forms and admin classes name their model as a type parameter, which Django itself only knows from type checkers.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()  # type: ignore[no-untyped-call]
VAR_DIR = Path(env.str("ELAICHI_VAR", default="") or BASE_DIR / "var")

VERSION = "0.1.0"
DEBUG = env.bool("DEBUG", default=True)
PUBLIC_URL = env.str("PUBLIC_URL", default="http://127.0.0.1:8000").rstrip("/")
SECRET_KEY = env.str("SECRET_KEY", default="") or local_secret("secret-key")
CREDENTIAL_KEYS = env.list("CREDENTIAL_KEYS", default=[]) or [local_secret("credential-key")]
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[]) or [
    "localhost",
    "127.0.0.1",
    "[::1]",
    urlsplit(PUBLIC_URL).hostname or "localhost",
]

INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",  # its default one would put its own admin site in the place of ours
    "unfold.contrib.filters",
    "elaichi.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "rest_framework",
    "oauth2_provider",
    "accesscontrol",
    "connectors",
    "search",
    "elaichi.apps.ElaichiConfig",
]
MIDDLEWARE = [
    "accesscontrol.request_id.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
]
ROOT_URLCONF = "elaichi.urls"
WSGI_APPLICATION = "elaichi.wsgi.application"
APPEND_SLASH = True
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES = {"default": env.db_url("DATABASE_URL", default=local_database_url())}
# Test runs at the same time each name their own, so that none takes another's away.
DATABASES["default"]["TEST"] = {"NAME": env.str("TEST_DATABASE", default="test_elaichi")}
# A pool only where a process serves many requests: in a short command its threads would outlive the work, and
# with no server up they keep trying for half a minute.
if env.bool("DATABASE_POOL", default=False):
    DATABASES["default"].setdefault("OPTIONS", {})["pool"] = {"min_size": 2, "max_size": 20, "timeout": 10}
CACHES = {"default": env.cache_url("CACHE_URL", default="locmemcache://")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accesscontrol.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
# Stored files. Nothing serves this folder: a file is opened through its link alone. Every web process and worker
# needs the same one.
MEDIA_ROOT = env.str("FILES_ROOT", default="") or VAR_DIR / "media"
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"file_permissions_mode": 0o600, "directory_permissions_mode": 0o700},
    },
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = DEBUG
WHITENOISE_AUTOREFRESH = DEBUG

SECURE_CSP: dict[str, list[str]] = {
    "default-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "object-src": [CSP.NONE],
    "base-uri": [CSP.NONE],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
}
SECURE_HSTS_SECONDS = 0 if DEBUG else 31_536_000
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PUBLIC_URL.startswith("https://")
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
# Set where a proxy in front of us terminates TLS and overwrites this header.
if env.bool("BEHIND_TLS_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "UNAUTHENTICATED_USER": None,
    # New clients, by address.
    "DEFAULT_THROTTLE_RATES": {"oauth_registration": env.str("OAUTH_REGISTRATION_RATE", default="60/hour")},
    # Without a proxy of ours in front, whoever asks could write that header and be nobody in particular.
    "NUM_PROXIES": 1 if env.bool("BEHIND_TLS_PROXY", default=False) else 0,
}

# The authorization server: its records are ours, and `accesscontrol.oauth` says what is asked of them.
OAUTH2_PROVIDER_APPLICATION_MODEL = "accesscontrol.OAuthClient"
OAUTH2_PROVIDER_GRANT_MODEL = "accesscontrol.AuthorizationCode"
OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL = "accesscontrol.AccessToken"
OAUTH2_PROVIDER_REFRESH_TOKEN_MODEL = "accesscontrol.RefreshToken"
OAUTH2_PROVIDER = oauth_provider(public_url=PUBLIC_URL, client_documents="elaichi.client_documents.ClientDocuments")

# Where notices go: smtp://, smtp+tls:// or smtp+ssl://USER:PASSWORD@HOST:PORT; unset, to the worker's output.
MAILERS = {"default": mailer(env.str("EMAIL_URL", default="") or "consolemail://")}
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="") or f"elaichi@{urlsplit(PUBLIC_URL).hostname}"

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="filesystem://")
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {
        "data_folder_in": str(VAR_DIR / "broker"),
        "data_folder_out": str(VAR_DIR / "broker"),
        "control_folder": str(VAR_DIR / "broker-control"),
        "store_processed": False,
        "polling_interval": 0.05,
    }
    if CELERY_BROKER_URL.startswith("filesystem:")
    else {}
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# Which ranking profile `search_tools` uses; see search.ranking.PROFILES.
SEARCH_PROFILE = env.str("SEARCH_PROFILE", default="default")
# Addresses that outbound calls may reach although they are not public, as `host:port`: the local sandbox.
EGRESS_ALLOWED = env.list("EGRESS_ALLOWED", default=[])
# How many seconds one call of a connected tool may take, redirects and a retry included.
OUTBOUND_SECONDS = env.float("OUTBOUND_SECONDS", default=30.0)
# Stored files: how long one is kept and a link to it opens, how large one may be, and all of a member's together.
FILE_SECONDS = env.int("FILE_SECONDS", default=24 * 3600)
FILE_LINK_SECONDS = 3600
FILE_MAX_BYTES = 10 * 1024 * 1024
FILE_BYTES_PER_MEMBER = env.int("FILE_BYTES_PER_MEMBER", default=500 * 1024 * 1024)
# Hosts whose browser pages may call /mcp, besides our own.
MCP_ALLOWED_ORIGINS = env.list("MCP_ALLOWED_ORIGINS", default=[])
MCP_MAX_BODY_BYTES = 1024 * 1024
# Of each grant; 0 sets no limit.
MCP_REQUESTS_PER_MINUTE = env.int("MCP_REQUESTS_PER_MINUTE", default=120)
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024

DEFAULT_EXCEPTION_REPORTER = "elaichi.crash_reports.Reporter"
DEFAULT_EXCEPTION_REPORTER_FILTER = "elaichi.crash_reports.Filter"
# Below this level these libraries write down what they send and get: addresses with keys, headers, bodies, tokens.
_TALKATIVE = ("authlib", "httpcore2", "httpx2", "mcp", "oauth2_provider", "oauthlib", "urllib3")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "request_id": {"()": "accesscontrol.request_id.RequestIdFilter"},
        "addresses": {"()": "elaichi.logged_addresses.AddressesCut"},
    },
    "formatters": {"line": {"format": "{asctime} {levelname} {name} [{request_id}] {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["request_id"]}},
    "loggers": {
        **{name: {"level": "WARNING"} for name in _TALKATIVE},
        **{name: {"filters": ["addresses"]} for name in ("django.request", "django.security.csrf")},
    },
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", default="INFO")},
}

# Tailwind's steps of a cardamom green, as unfold wants them.
PRIMARY = {
    "50": "oklch(97% .02 160)",
    "100": "oklch(94% .04 160)",
    "200": "oklch(88% .07 160)",
    "300": "oklch(80% .1 160)",
    "400": "oklch(70% .12 160)",
    "500": "oklch(58% .12 160)",
    "600": "oklch(48% .1 160)",
    "700": "oklch(41% .08 160)",
    "800": "oklch(34% .07 160)",
    "900": "oklch(28% .05 160)",
    "950": "oklch(20% .04 160)",
}
UNFOLD = {
    "SITE_TITLE": "elaichi",
    "SITE_HEADER": "elaichi",
    "SITE_SUBHEADER": "One address for every tool",
    "SITE_ICON": lambda request: static("elaichi/icon.svg"),
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("elaichi/icon.svg")},
    ],
    "COLORS": {"primary": PRIMARY},
    "SHOW_HISTORY": False,
}
