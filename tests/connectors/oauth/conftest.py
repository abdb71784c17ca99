"""Pagebox, which people sign in to by OAuth, and Bob's account there."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from accesscontrol.models import Member, Organization, Surface
from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.models import Connection, Connector, OAuthApp
from connectors.services import oauth_apps
from tests import cast
from tests.conftest import reachable
from tests.connectors.oauth.provider import CLIENT, SECRET, Provider, running

type Account = Callable[..., Connection]


@pytest.fixture
def provider(settings: Any) -> Iterator[Provider]:
    with running() as provider, reachable(settings, provider.server.authority):
        yield provider


def pagebox(home: Organization, provider: Provider) -> Connector:
    scheme = AuthScheme(
        kind=AuthKind.OAUTH2,
        authorization_url=f"{provider.url}/authorize",
        token_url=f"{provider.url}/token",
        scopes=("pages:read", "pages:write"),
    )
    made = cast.connector(
        home, "pagebox", "Pagebox", base_url=provider.url, auth=scheme.to_json(), max_concurrent_calls=50
    )
    cast.tool(made, "get_page", "Get a page")
    cast.tool(made, "create_page", "Create a page", method="POST")
    return made


def register(connector: Connector, **fields: Any) -> OAuthApp:
    app = OAuthApp(connector=connector, client_id=CLIENT, **fields)
    return oauth_apps.save(app=app, client_secret=SECRET, surface=Surface.SYSTEM)


def account_of(owner: Member, connector: Connector, provider: Provider, *, left: float, label: str = "Main") -> Any:
    """An account whose access token is good for this many seconds more."""
    answer = provider.sign_in()
    kept: dict[str, Any] = {name: answer[name] for name in ("access_token", "refresh_token") if name in answer}
    app = OAuthApp.objects.get(connector=connector)
    credential = kept | {"expires_at": int(time.time() + left), "token_url": app.token_url}
    return cast.connection(owner, connector, label, credential=credential)


@pytest.fixture
def connector(bob: Member, provider: Provider) -> Connector:
    return pagebox(bob.organization, provider)


@pytest.fixture
def app(connector: Connector) -> OAuthApp:
    return register(connector)


@pytest.fixture
def account(bob: Member, app: OAuthApp, provider: Provider) -> Account:
    """Makes Bob's account."""
    return lambda **options: account_of(bob, app.connector, provider, **options)
