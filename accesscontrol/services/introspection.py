"""What a token stands for, told to our own services (RFC 7662)."""

from typing import Any

from accesscontrol.bearer_secrets import digest
from accesscontrol.exceptions import InvalidToken
from accesscontrol.models import AccessToken
from accesscontrol.oauth import addresses
from accesscontrol.services import grants


def describe(token: str) -> dict[str, Any]:
    """`{"active": False}` for whatever /mcp would refuse, without a reason."""
    try:
        caller = grants.authenticate(token)
    except InvalidToken:
        return {"active": False}
    row = AccessToken.objects.filter(token_hash=digest(token)).first()
    said = {
        "active": True,
        "scope": " ".join(sorted(caller.scopes)),
        "sub": str(caller.member.pk),
        "username": caller.member.user.email,
        "token_type": "Bearer",
        "iss": addresses.issuer(),
        "aud": addresses.resource(),
    }
    return said | ({"exp": int(row.expires_at.timestamp()), "iat": int(row.created_at.timestamp())} if row else {})
