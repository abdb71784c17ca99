"""A sign-in that is not used any more here is ended at the product, too, where it has an address for that."""

from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError

from accesscontrol.models import Member, Surface
from connectors.models import Connection, OAuthApp
from connectors.services import oauth_apps
from tests import cast
from tests.connectors.oauth.conftest import Account
from tests.connectors.oauth.provider import SECRET, Provider
from tests.connectors.oauth.test_refreshing_at_once import begin, delete, disconnect, remove_the_owner

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def revocable(app: OAuthApp, provider: Provider) -> OAuthApp:
    app.revocation_url = f"{provider.url}/revoke"
    return oauth_apps.save(app=app, client_secret=SECRET, surface=Surface.SYSTEM)


@pytest.mark.parametrize("end", [disconnect, remove_the_owner, delete])
def test_the_end_of_an_account_is_told_to_the_product(
    revocable: OAuthApp, account: Account, provider: Provider, end: Callable[[Connection], None]
) -> None:
    ending = account(left=60)
    held = ending.credential["refresh_token"]
    end(ending)
    assert provider.revoked.get(timeout=10) == held
    assert held not in provider.refreshable


def test_a_product_that_fails_keeps_no_account(revocable: OAuthApp, account: Account, provider: Provider) -> None:
    provider.fails_with = 503
    disconnect(account(left=60))
    assert provider.revoked.get(timeout=10)
    assert Connection.objects.get().status == "disconnected"


def test_a_token_that_came_too_late_is_revoked(
    revocable: OAuthApp, account: Account, bob: Member, provider: Provider
) -> None:
    ending = account(left=-1)
    with provider.silent():
        call = begin(bob)
        assert provider.arrived.wait(10)
        disconnect(ending)
        provider.revoked.get(timeout=10)
        provider.refreshable[ending.credential["refresh_token"]] = True  # as if it had been rotated first
    assert call()[0].code == "needs_reauth"
    late = provider.revoked.get(timeout=10)
    assert late != ending.credential["refresh_token"]
    assert late not in provider.refreshable


def test_only_what_was_issued_there_is_sent_there(revocable: OAuthApp, bob: Member, provider: Provider) -> None:
    typed_in = cast.connection(bob, revocable.connector, credential={"access_token": "typed-in"})
    elsewhere = {"access_token": "x", "token_url": "https://elsewhere.example/token"}
    moved = cast.connection(bob, revocable.connector, "Moved", credential=elsewhere)
    for account in (typed_in, moved):
        disconnect(account)
    assert "/revoke" not in [one.target for one in provider.server.received]


def test_the_address_is_at_the_host_of_the_token_address(app: OAuthApp) -> None:
    app.revocation_url = "https://collector.example/revoke"
    with pytest.raises(ValidationError, match="same host"):
        oauth_apps.save(app=app, client_secret=SECRET, surface=Surface.SYSTEM)
