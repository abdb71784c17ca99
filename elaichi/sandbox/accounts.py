"""Who may log in to the sandbox. These are demonstration values, printed in the open and worth nothing."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Account:
    """A customer of a product: their own data, reached with their own secret."""

    product: str
    name: str
    secret: str
    username: str = ""


ACCOUNTS = (
    Account(product="deskline", name="Acme", secret="demo-deskline-acme"),
    Account(product="deskline", name="Globex", secret="demo-deskline-globex"),
    Account(product="ledgerbox", name="Acme", secret="demo-ledgerbox-acme"),
    Account(product="ledgerbox", name="Globex", secret="demo-ledgerbox-globex"),
    Account(product="pagewell", name="Acme", username="acme", secret="demo-pagewell-acme"),
    Account(product="pagewell", name="Globex", username="globex", secret="demo-pagewell-globex"),
)


def _expected_header(account: Account) -> tuple[str, str]:
    if account.product == "ledgerbox":
        return "x-api-key", account.secret
    if account.product == "deskline":
        return "authorization", f"Bearer {account.secret}"
    login = f"{account.username}:{account.secret}".encode()
    return "authorization", f"Basic {base64.b64encode(login).decode()}"


_EXPECTED = [(account, *_expected_header(account)) for account in ACCOUNTS]

CHALLENGES: Mapping[str, Mapping[str, str]] = {
    "deskline": {"WWW-Authenticate": 'Bearer realm="Deskline"'},
    "ledgerbox": {},
    "pagewell": {"WWW-Authenticate": 'Basic realm="Pagewell"'},
}


def identify(product: str, headers: Mapping[str, str]) -> Account | None:
    """The account whose secret the request carries, in the way that the product asks for it."""
    for account, header, value in _EXPECTED:
        if account.product == product and headers.get(header) == value:
            return account
    return None
