"""The organization's own OAuth applications: who keeps them, and what never leaves them."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accesscontrol.exceptions import PermissionRequired
from accesscontrol.models import AuditEvent, Member, Notice, Surface
from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.credentials.oauth.addresses import problem_of
from connectors.models import Connection, Connector, OAuthApp
from connectors.services import oauth_apps
from tests import cast

SECRET = "canary-client-secret"
SCHEME = AuthScheme(
    kind=AuthKind.OAUTH2,
    authorization_url="https://pagebox.example/authorize",
    token_url="https://pagebox.example/token",
    scopes=("pages:read",),
)


@pytest.fixture
def pagebox(alice: Member) -> Connector:
    return cast.connector(alice.organization, "pagebox", "Pagebox", auth=SCHEME.to_json())


def save(app: OAuthApp, secret: str = SECRET, actor: Member | None = None, **fields: Any) -> OAuthApp:
    for name, value in fields.items():
        setattr(app, name, value)
    return oauth_apps.save(app=app, client_secret=secret, surface=Surface.SYSTEM, actor=actor)


@pytest.fixture
def app(pagebox: Connector) -> OAuthApp:
    return save(OAuthApp(connector=pagebox, client_id="elaichi"))


def secret_of(app: OAuthApp) -> Any:
    app.refresh_from_db()
    return app.client_secret.reveal().get("client_secret")


def test_the_addresses_that_are_left_empty_are_those_of_the_catalog_for_good(app: OAuthApp, pagebox: Connector) -> None:
    """A later change of the connector leads nobody's refresh token elsewhere."""
    Connector.objects.update(auth={**SCHEME.to_json(), "token_url": "https://evil.example/token"})
    app.refresh_from_db()
    assert (app.authorization_url, app.token_url) == (SCHEME.authorization_url, SCHEME.token_url)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("token_url", "http://pagebox.example/token"),
        ("token_url", "http://127.0.0.1:9/token"),
        ("token_url", "https://user@pagebox.example/token"),
        ("token_url", "ftp://pagebox.example/token"),
        ("authorization_url", "http://pagebox.example/authorize"),
        ("authorization_url", "https://pagebox.example/authorize#x"),
        ("authorization_url", "javascript:alert(1)"),
        ("client_id", "clé"),
        ("scopes", ["two words"]),
        ("scopes", "pages:read"),
        ("authorization_parameters", {"state": "mine"}),
        ("authorization_parameters", {"redirect_uri": "https://evil.example"}),
        ("authorization_parameters", {"prompt": 1}),
        ("authorization_parameters", []),
    ],
)
def test_what_cannot_be_used_is_refused_at_its_field(app: OAuthApp, field: str, value: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        save(app, **{field: value})
    assert list(refused.value.message_dict) == [field]


def test_plain_http_is_for_servers_of_this_machine(app: OAuthApp, settings: Any) -> None:
    settings.EGRESS_ALLOWED = ["sandbox.localhost:8001"]
    save(app, token_url="http://sandbox.localhost:8001/token")
    assert problem_of("http://127.0.0.1:9/token")
    settings.DEBUG = True
    assert not problem_of("http://127.0.0.1:9/token")
    assert not problem_of("http://[::1]:9/token")
    assert problem_of("http://pagebox.example/token")


def test_a_catalog_that_names_no_address_is_told(alice: Member) -> None:
    bare = cast.connector(alice.organization, auth=AuthScheme(kind=AuthKind.OAUTH2).to_json())
    with pytest.raises(ValidationError) as refused:
        save(OAuthApp(connector=bare, client_id="elaichi"))
    assert set(refused.value.message_dict) == {"authorization_url", "token_url"}
    save(
        OAuthApp(connector=bare, client_id="elaichi"),
        grant_type="client_credentials",
        token_url="https://pagebox.example/token",
    )


def test_an_empty_secret_keeps_the_stored_one(app: OAuthApp) -> None:
    save(app, "", scopes=["pages:read"])
    assert secret_of(app) == SECRET
    save(app, "another")
    assert secret_of(app) == "another"
    save(app, "", client_authentication="none")
    assert secret_of(app) is None
    with pytest.raises(ValidationError, match="Enter the client secret"):
        save(app, "", client_authentication="client_secret_post")


def test_the_stored_secret_is_not_sent_to_an_address_that_somebody_puts_in_later(app: OAuthApp) -> None:
    save(app, "", token_url="https://pagebox.example:443/v2/token")
    with pytest.raises(ValidationError, match="another one now"):
        save(app, "", token_url="https://collector.example/token")
    app.refresh_from_db()
    assert app.token_url == "https://pagebox.example:443/v2/token"
    save(app, SECRET, token_url="https://collector.example/token")


def test_accounts_do_not_follow_the_token_address_to_another_place(app: OAuthApp, bob: Member) -> None:
    version = bob.organization.version
    cast.connection(bob, app.connector)
    save(app, token_url="https://pagebox.example/v2/token")
    assert Connection.objects.get().status == "active"
    save(app, token_url="https://elsewhere.example/token")
    moved = Connection.objects.get()
    assert moved.status == "needs_reauth"
    assert "sign-in address has changed" in moved.status_reason
    assert Notice.objects.get().member == bob
    bob.organization.refresh_from_db()
    assert bob.organization.version > version


def test_who_may_not_manage_connectors_keeps_no_application(app: OAuthApp, bob: Member, charlie: Member) -> None:
    for other in (bob, charlie):
        with pytest.raises(PermissionRequired):
            save(app, actor=other, client_id="theirs")
        with pytest.raises(PermissionRequired):
            oauth_apps.delete(app=app, surface=Surface.SYSTEM, actor=other)
    assert OAuthApp.objects.get().client_id == "elaichi"


def test_the_trail_names_the_place_and_no_secret(app: OAuthApp) -> None:
    save(app, "another-canary")
    oauth_apps.delete(app=app, surface=Surface.SYSTEM)
    events = AuditEvent.objects.filter(action__startswith="oauth_app.").order_by("at")
    assert [event.action for event in events] == ["oauth_app.create", "oauth_app.change", "oauth_app.delete"]
    assert events[0].detail == {"connector": "pagebox", "token_origin": "https://pagebox.example"}
    assert "canary" not in str(list(AuditEvent.objects.values()))


def test_a_rotation_covers_client_secrets(pagebox: Connector, settings: Any) -> None:
    settings.CREDENTIAL_KEYS = ["the-old-key-of-this-test"]
    app = save(OAuthApp(connector=pagebox, client_id="elaichi"))
    settings.CREDENTIAL_KEYS = ["the-new-key-of-this-test", *settings.CREDENTIAL_KEYS]
    call_command("rotate_credentials")
    settings.CREDENTIAL_KEYS = settings.CREDENTIAL_KEYS[:1]
    assert secret_of(app) == SECRET


class TestAdmin:
    FORM: dict[str, str] = {  # noqa: RUF012
        "grant_type": "authorization_code",
        "client_id": "elaichi",
        "client_authentication": "client_secret_basic",
        "authorization_url": "",
        "token_url": "",
        "issuer": "",
        "scopes": "pages:read  offline",
        "authorization_parameters": "{}",
    }

    @pytest.fixture
    def client(self, alice: Member) -> Client:
        client = Client()
        client.force_login(alice.user)
        return client

    def test_an_administrator_registers_one(self, client: Client, pagebox: Connector) -> None:
        page = reverse("admin:connectors_oauthapp_add")
        assert "http://127.0.0.1:8000/connect/callback/" in client.get(page).content.decode()
        form = {**self.FORM, "connector": str(pagebox.pk), "secret": SECRET}
        assert client.post(page, form).status_code == 302
        app = OAuthApp.objects.get()
        assert (app.token_url, app.scopes, secret_of(app)) == (SCHEME.token_url, ["pages:read", "offline"], SECRET)
        assert AuditEvent.objects.get(action="oauth_app.create").actor is not None

    def test_no_page_shows_the_secret_and_leaving_it_empty_keeps_it(self, client: Client, app: OAuthApp) -> None:
        page = reverse("admin:connectors_oauthapp_change", args=[app.pk])
        shown = client.get(page).content.decode()
        assert "pages:read" in shown
        for text in (shown, client.get(reverse("admin:connectors_oauthapp_changelist")).content.decode()):
            assert SECRET not in text
            assert app.client_secret.ciphertext not in text
        form = {**self.FORM, "secret": "", "token_url": SCHEME.token_url}
        assert client.post(page, form).status_code == 302
        assert secret_of(app) == SECRET
        assert app.scopes == ["pages:read", "offline"]

    def test_a_mistake_is_told_at_its_field(self, client: Client, app: OAuthApp) -> None:
        page = reverse("admin:connectors_oauthapp_change", args=[app.pk])
        answer = client.post(page, {**self.FORM, "secret": "", "token_url": "http://pagebox.example/token"})
        assert answer.context["adminform"].form.errors == {
            "token_url": ["The address must begin with https://: secrets are sent there."]
        }
        moved = {**self.FORM, "secret": "", "token_url": "https://collector.example/token"}
        assert "enter the client secret again" in client.post(page, moved, follow=True).content.decode()

    def test_another_organization_s_connector_is_no_choice(
        self, client: Client, pagebox: Connector, charlie: Member
    ) -> None:
        theirs = cast.connector(charlie.organization, auth=SCHEME.to_json())
        form = {**self.FORM, "connector": str(theirs.pk), "secret": SECRET}
        assert client.post(reverse("admin:connectors_oauthapp_add"), form).status_code == 200
        assert not OAuthApp.objects.exists()

    def test_it_is_deleted_through_the_service(self, client: Client, app: OAuthApp) -> None:
        client.post(reverse("admin:connectors_oauthapp_delete", args=[app.pk]), {"post": "yes"})
        assert not OAuthApp.objects.exists()
        assert AuditEvent.objects.filter(action="oauth_app.delete").exists()
