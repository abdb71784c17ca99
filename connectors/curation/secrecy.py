"""Values that must not be kept in a frozen tool, since whoever it is shared with would read or use them.

A frozen value is stored as it is and shown in descriptions. A credential belongs to a connection, which encrypts it.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Any

from accesscontrol.exceptions import Problem
from connectors.curation.declared import Schema, inlined
from connectors.curation.freezing import leaves
from connectors.execution.problems import pointer

MAX_VALUE = 2_000
"""Characters of a value, as JSON where it is no text."""

_SECRET_WORDS = frozenset(
    {"password", "passwd", "pwd", "passphrase", "secret", "secrets", "token", "authorization", "bearer", "jwt"}
    | {"credential", "credentials", "apikey"}
)
_KEY_OF = frozenset({"api", "access", "private", "signing", "auth", "encryption"})
"""A `key` of these is a secret, and one of others names a thing."""
_PLACES_IN_A_LIST = frozenset({"page", "next", "continuation", "sync", "cursor", "previous", "prev"})
"""`page_token` and its like say where a list goes on."""

_KEYS = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}"  # Stripe, OpenAI, Anthropic
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}"
    r"|\bxox[abeprs]-[A-Za-z0-9-]{10,}|\bA(?:KIA|SIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{20,}"
    r"|\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,}|\bnpm_[A-Za-z0-9]{30,}|\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"
    r"|\b(?:ntn|secret|lin_api|elaichi)_[A-Za-z0-9_-]{30,}"
    r"|\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*"  # a JSON Web Token
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----|(?i:\b(?:bearer|basic) [A-Za-z0-9+/=._-]{16,})"
)
_LOOKS = "looks like a credential, which everybody with this tool could use; connect an account with it instead"
_SHORTEST_CREDENTIAL = 6
_CREDENTIAL_FIELDS = frozenset({"token", "key", "password", "secret"})


def unfit(place: str, schema: Schema, values: Mapping[str, Any], own: Collection[str] = ()) -> list[Problem]:
    """A problem for each value that is too long or looks like a secret; none says the value.

    `own` are credentials of the people concerned, which no value may hold. `place` begins each path.
    """
    return [
        Problem(pointer((place, *path)), reason)
        for path, value, member in leaves(schema, values)
        if (reason := _objection(path[-1], value, inlined(member or {}, schema), own))
    ]


def secrets_in(credential: Mapping[str, Any]) -> set[str]:
    """What of an account's credential is secret, and long enough to be looked for."""
    texts = ((name, text) for name, text in _texts("", dict(credential)) if len(text) >= _SHORTEST_CREDENTIAL)
    return {text for name, text in texts if name.rpartition("_")[2] in _CREDENTIAL_FIELDS}


def _objection(name: str, value: Any, member: Schema, own: Collection[str]) -> str:
    size = len(value) if isinstance(value, str) else len(json.dumps(value, ensure_ascii=False))
    if size > MAX_VALUE:
        return f"must have at most {MAX_VALUE} characters"
    if "\\u0000" in json.dumps(value):
        return "must hold no NUL character"
    texts = list(_texts(name, value))
    if texts and (member.get("format") == "password" or member.get("writeOnly") is True):
        return _LOOKS
    named = any(_names_a_secret(called) and text for called, text in texts)
    return _LOOKS if named or any(_is_a_key(text, own) for _, text in texts) else ""


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Every text in a value, with the name of the member that it is the value of."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for member, inner in value.items():
            yield from _texts(member, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(name, inner)


def _names_a_secret(name: str) -> bool:
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    lowered = [word.lower() for word in words]
    if set(lowered) & _PLACES_IN_A_LIST and lowered[-1] == "token":
        return False
    keys = any(kind in _KEY_OF and word == "key" for kind, word in pairwise(lowered))
    return keys or bool(set(lowered) & _SECRET_WORDS)


def _is_a_key(text: str, own: Collection[str]) -> bool:
    return bool(_KEYS.search(text)) or any(secret in text for secret in own)
