"""Secrets that are handed out once and kept as a hash: personal tokens, and the addresses of one-time pages."""

import hashlib
import secrets


def new_secret() -> str:
    """256 random bits, in characters that a URL and a header take as they are."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """SHA-256 in hexadecimal: so many random bits need neither salt nor a slow hash. Takes any string."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
