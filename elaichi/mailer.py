"""EMAIL_URL as Django's MAILERS wants it."""

from typing import Any

from environ import Env

SECONDS = 10
"""As long as a worker waits for the mail server at each step."""


def mailer(url: str) -> dict[str, Any]:
    parsed: dict[str, Any] = Env.email_url_config(url)  # type: ignore[no-untyped-call]
    backend = parsed["EMAIL_BACKEND"]
    if backend.endswith("filebased.EmailBackend"):
        return {"BACKEND": backend, "OPTIONS": {"file_path": parsed["EMAIL_FILE_PATH"]}}
    if not backend.endswith("smtp.EmailBackend"):
        return {"BACKEND": backend}
    options = {
        "host": parsed["EMAIL_HOST"],
        "port": parsed["EMAIL_PORT"],
        "username": parsed["EMAIL_HOST_USER"],
        "password": parsed["EMAIL_HOST_PASSWORD"],
        "use_tls": bool(parsed.get("EMAIL_USE_TLS")),
        "use_ssl": bool(parsed.get("EMAIL_USE_SSL")),
        "timeout": SECONDS,
    }
    return {"BACKEND": backend, "OPTIONS": options}
