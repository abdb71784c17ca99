"""A running sandbox and its accounts' clients."""

from collections.abc import Callable, Iterator

import httpx2
import pytest

from elaichi.sandbox.accounts import ACCOUNTS
from elaichi.sandbox.server import running

type Clients = Callable[[str, str], httpx2.Client]


@pytest.fixture
def url() -> Iterator[str]:
    with running() as address:
        yield address


@pytest.fixture
def anybody(url: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=url) as client:
        yield client


@pytest.fixture
def client(url: str) -> Iterator[Clients]:
    """A client of a product that is logged in with an account of that name."""
    made: list[httpx2.Client] = []

    def make(product: str, name: str = "Acme") -> httpx2.Client:
        headers, login = credentials(product, name)
        made.append(httpx2.Client(base_url=f"{url}/{product}", headers=headers, auth=login))
        return made[-1]

    yield make
    for one in made:
        one.close()


def credentials(product: str, name: str) -> tuple[dict[str, str], tuple[str, str] | None]:
    account = next(one for one in ACCOUNTS if (one.product, one.name) == (product, name))
    match product:
        case "deskline":
            return {"Authorization": f"Bearer {account.secret}"}, None
        case "ledgerbox":
            return {"X-Api-Key": account.secret}, None
        case _:
            return {}, (account.username, account.secret)
