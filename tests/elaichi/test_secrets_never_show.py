"""No secret shows: in no answer, page, export, dump, log or crash report, whatever goes wrong, and in no encoding."""

import json
import logging
from base64 import b64encode
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils.log import AdminEmailHandler
from django.views.debug import technical_500_response
from pytest_django.fixtures import Settings

from accesscontrol.models import Member, OAuthClient
from connectors.auth_scheme import AuthKind, AuthScheme, combined
from connectors.connecting.sessions import open_session
from connectors.models import Connection, Connector, OAuthApp, Tool
from tests import cast
from tests.accesscontrol.oauth.browser import query
from tests.accesscontrol.oauth.dance import Dance
from tests.conftest import reachable
from tests.connectors.execution.upstream import Handler, Server, respond, serving
from tests.connectors.oauth.conftest import account_of, pagebox, register
from tests.connectors.oauth.provider import SECRET, Provider, running
from tests.connectors.oauth.test_signing_in import come_back, leave
from tests.connectors.sharing import fresh
from tests.connectors.test_connecting import signed_in, start
from tests.elaichi.canaries import dump, exported, shown
from tests.search.mcp.rpc import Rpc

CANARY = 'cnry/{}+7f3a="q\\z&9'
"""Each encoding writes it in another way."""
_KEYS = [AuthScheme(kind=AuthKind.API_KEY_QUERY, parameter=name) for name in ("key", "token")]
SCHEMES = {
    "bearer": AuthScheme(kind=AuthKind.BEARER),
    "header": AuthScheme(kind=AuthKind.API_KEY_HEADER, parameter="X-Api-Key"),
    "query": _KEYS[0],
    "basic": AuthScheme(kind=AuthKind.BASIC),
    "several keys": combined(_KEYS),
    "mixed": combined([AuthScheme(kind=AuthKind.BEARER), _KEYS[0]]),
}
ROUTES = ("fine", "denied", "bad", "broken", "busy", "moved", "away", "slow", "cut")


def credential_of(scheme: AuthScheme) -> dict[str, str]:
    return {name: CANARY.format(name.replace("_", "-")) for name in scheme.fields}


def echo(status: int, **headers: str) -> Any:
    """Says all that it was sent, in the body in several encodings and in headers."""

    def route(handler: Handler) -> None:
        got = handler.server.received[-1]
        said = f"{got.target} {got.headers}"
        values = [
            *got.headers.values(),
            *(value for one in parse_qs(urlsplit(got.target).query).values() for value in one),
        ]
        values += [value.removeprefix("Bearer ") for value in values]
        encoded = [f(value) for value in values for f in (json.dumps, _in_base64, _in_hex, str)]
        body = json.dumps({"said": said, "values": values, "encoded": encoded}).encode()
        sent = {"X_Echo": said.replace("\n", " "), "Content_Type": "application/json", **headers}
        respond(status, body, **sent)(handler)

    return route


def _in_base64(value: str) -> str:
    return b64encode(value.encode()).decode()


def _in_hex(value: str) -> str:
    return value.encode().hex()


def _slow(handler: Handler) -> None:
    handler.server.stopping.wait(1)


def _cut(handler: Handler) -> None:
    handler.close_connection = True
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    handler.wfile.write(str(handler.headers).encode()[:500])


@pytest.fixture
def upstream(settings: Settings) -> Iterator[Server]:
    settings.OUTBOUND_SECONDS = 0.5
    with serving(Server()) as server, reachable(settings, server.authority):
        statuses = {"fine": 200, "denied": 401, "bad": 422, "broken": 500, "busy": 429}
        server.routes = {f"/{name}": echo(status) for name, status in statuses.items()}
        server.routes["/moved"] = lambda handler: respond(302, Location=f"/fine?{urlsplit(handler.path).query}")(
            handler
        )
        server.routes["/away"] = lambda handler: respond(
            302, Location=f"http://127.0.0.1:9/?{urlsplit(handler.path).query}"
        )(handler)
        server.routes |= {"/slow": _slow, "/cut": _cut}
        yield server


def product(owner: Member, scheme: AuthScheme, url: str, slug: str = "echoes") -> Connector:
    connector = cast.connector(
        owner.organization, slug, slug.title(), auth=scheme.to_json(), base_url=url, max_concurrent_calls=50
    )
    for name in ROUTES:
        cast.tool(connector, name, f"Is {name}")
    cast.tool(connector, "wrong", "Stored in a way that our code does not expect", binding={"method": 1})
    return connector


@pytest.mark.parametrize("kind", SCHEMES)
def test_whatever_a_call_comes_to(
    kind: str, upstream: Server, alice: Member, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    scheme = SCHEMES[kind]
    assert scheme is not None
    credential = credential_of(scheme)
    cast.connection(alice, product(alice, scheme, upstream.url), "Main", credential=credential)
    cast.connection(alice, product(alice, scheme, "http://127.0.0.1:9", "closed"), "Main", credential=credential)
    token = cast.token(alice)
    rpc, said = Rpc(token), []
    rpc.client.raise_request_exception = False
    with caplog.at_level(0):
        for name in (*(f"echoes_{route}" for route in ROUTES), "echoes_wrong", "closed_fine"):
            answer = rpc.send("tools/call", {"name": name, "arguments": {}})
            said.append(f"{answer.content.decode()} {answer.headers}")
        for name in ("echoes_fine", "echoes_broken"):
            said.append(str(rpc.call("execute_tool", name=name, arguments={})))
        Tool.objects.filter(name="wrong").delete()  # which can't be exported
        said += pages(alice)
    assert any("redacted" in one for one in said)
    assert any("went wrong" in one for one in said)
    written = "\n".join([*said, logged(caplog), *capfd.readouterr(), dump(), exported()])
    secrets = {value for name, value in credential.items() if name != "username"} | {token}
    assert shown(written, secrets) == []
    assert len(upstream.received) > len(ROUTES)


def pages(member: Member) -> list[str]:
    """The admin's lists and pages of what has something to do with a secret."""
    client = signed_in(member)
    rows = [*Connection.objects.all(), *Connector.objects.all(), *OAuthApp.objects.all(), *OAuthClient.objects.all()]
    urls = {reverse(f"admin:connectors_{name}_changelist") for name in ("connection", "connector", "oauthapp")}
    urls |= {
        reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
        for row in rows
        if not isinstance(row, OAuthClient)
    }
    urls |= {reverse("admin:accesscontrol_auditevent_changelist"), reverse("admin:accesscontrol_grant_changelist")}
    found = [client.get(url) for url in sorted(urls)]
    assert {answer.status_code for answer in found} == {200}
    return [answer.content.decode() for answer in found]


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """What handlers would write, and what a handler that serializes whole records would."""
    return caplog.text + "".join(f"{record.getMessage()} {record.args}" for record in caplog.records)


@pytest.mark.parametrize("debug", [True, False])
@pytest.mark.parametrize("kind", SCHEMES)
def test_a_crash_while_a_credential_is_being_checked(
    kind: str, debug: bool, upstream: Server, alice: Member, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.DEBUG = debug
    scheme = SCHEMES[kind]
    assert scheme is not None
    connector = product(alice, scheme, upstream.url)
    Tool.objects.exclude(name="wrong").delete()
    _, url = open_session(fresh(alice), connector)
    client = Client(raise_request_exception=False)
    client.force_login(alice.user)
    credential = credential_of(scheme)
    with caplog.at_level(0):
        answer = client.post(urlsplit(url).path, {"label": "Main", **credential})
    assert answer.status_code == 500
    page = answer.content.decode()
    assert ("Traceback" in page) == debug
    assert "Internal Server Error" in caplog.text
    assert shown(page + logged(caplog) + dump(), {v for name, v in credential.items() if name != "username"}) == []


@pytest.mark.parametrize("accept", ["text/html", "text/plain"])
def test_a_crash_report_says_where_and_nothing_of_what(accept: str, settings: Settings) -> None:
    settings.DEBUG = True
    secret = CANARY.format("local")
    settings.UNUSUAL_NAME = secret
    request = RequestFactory().post(
        f"/connect/{cast.PASSWORD.replace(' ', '')}/?code={secret}",
        {"label": secret},
        headers={"Authorization": f"Bearer {secret}", "Accept": accept, "X-Odd": secret},
    )
    request.COOKIES["session"] = secret
    try:
        _fails({"token": secret})
    except ZeroDivisionError as error:
        page = technical_500_response(request, type(error), error, error.__traceback__).content.decode()
    assert "division by zero" in page
    assert "_fails" in page
    assert shown(page, [secret, cast.PASSWORD.replace(" ", "")]) == []


def _fails(credential: dict[str, str]) -> float:
    return len(credential) / 0


def test_the_report_to_administrators_by_mail_holds_nothing_either(settings: Settings, mailoutbox: list[Any]) -> None:
    secret = CANARY.format("mailed")
    settings.ADMINS = ["root@example.com"]
    request = RequestFactory().get(f"/connect/callback/?code={secret}", headers={"Authorization": secret})
    try:
        _fails({"token": secret})
    except ZeroDivisionError as error:
        record = logging.LogRecord(
            "django.request", logging.ERROR, "", 1, "It failed", (), (type(error), error, error.__traceback__)
        )
    record.__dict__["request"] = request
    AdminEmailHandler(include_html=True).emit(record)
    [mail] = mailoutbox
    sent = f"{mail.subject} {mail.body} {mail.alternatives}"
    assert "division by zero" in sent
    assert shown(sent, [secret]) == []


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    with running() as provider, reachable(settings, provider.server.authority):
        yield provider


def test_a_sign_in_at_a_product_its_renewal_and_its_failures(
    provider: Provider, alice: Member, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    connector = pagebox(alice.organization, provider)
    register(connector)
    said: list[str] = []
    with caplog.at_level(0):
        client, page = signed_in(alice), start(alice, "pagebox")
        back = come_back(leave(client, page))
        said.append(client.get(back).content.decode())
        first = Connection.objects.get().credential.reveal()
        provider.end_access_tokens()
        rpc = Rpc(cast.token(alice))
        said.append(str(rpc.call("pagebox_get_page")))
        second = Connection.objects.get().credential.reveal()
        assert second["access_token"] != first["access_token"]
        provider.end_access_tokens()
        for status in (500, 400):
            provider.fails_with = status
            said.append(str(rpc.call("pagebox_get_page")))
        provider.fails_with = 0
        account_of(alice, connector, provider, left=3600, label="Second")
        said += pages(alice)
    tokens = {str(one[name]) for one in (first, second) for name in ("access_token", "refresh_token")}
    in_query = parse_qs(urlsplit(back).query)
    written = "\n".join([*said, logged(caplog), *capfd.readouterr(), dump(), exported()])
    assert shown(written, {*tokens, SECRET, *in_query["code"], *in_query["state"]}) == []


def test_codes_and_tokens_of_our_own_server_are_kept_and_written_down_nowhere(
    alice: Member, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    dance = Dance(alice)
    with caplog.at_level(0):
        code = query(dance.answers()["Location"])["code"]
        wrong = dance.exchanges(code, code_verifier="another-verifier-that-is-long-enough-0123456789abc")
        second = dance.code()
        first = dance.exchanges(second).json()
        later = dance.refreshes(first["refresh_token"]).json()
        dance.status_at_mcp(later["access_token"])
        again = dance.refreshes(first["refresh_token"])
        dance.posts("/oauth/revoke", token=later["refresh_token"])
        personal = cast.token(alice)
        Rpc(personal).send("tools/list")
        Rpc(personal + "x").post(b"{}")
        said = [wrong.content.decode(), again.content.decode(), *pages(alice)]
    tokens = {one[name] for one in (first, later) for name in ("access_token", "refresh_token")}
    written = "\n".join([*said, logged(caplog), *capfd.readouterr(), dump(), exported()])
    assert shown(written, {code, second, personal, *tokens}) == []
