"""One authorization request, read from the address that a client sent the browser to.

An unknown client or an unregistered redirect is fatal: nobody is sent anywhere. All else is the client's to know, and
goes back to it.
"""

from dataclasses import dataclass
from re import compile as pattern

from django.http import HttpRequest
from oauthlib.common import add_params_to_uri
from oauthlib.oauth2.rfc6749 import errors

from accesscontrol.models import OAuthClient
from accesscontrol.oauth import addresses
from accesscontrol.oauth.server import server_for_one_request
from accesscontrol.permissions import Scope

_S256 = pattern(r"[A-Za-z0-9_-]{43}")


class Unanswerable(Exception):
    """Told to the person alone. `client` and `code` are for the trail."""

    def __init__(self, message: str, *, client: str, code: str) -> None:
        super().__init__(message)
        self.client = client
        self.code = code


@dataclass(frozen=True, kw_only=True)
class AuthorizationRequest:
    client: OAuthClient
    redirect_uri: str
    state: str | None
    scopes: tuple[Scope, ...]
    code_challenge: str

    def answer(self, **parameters: str) -> str:
        """Where the browser goes next: with the state, and with our name so that no other server can pass as us."""
        return answer_at(self.redirect_uri, self.state, **parameters)


class RefusedRequest(Exception):
    """The client's own fault, for it to know: `location` is its registered address with the error."""

    def __init__(self, message: str, *, client: OAuthClient, redirect_uri: str, code: str, location: str) -> None:
        super().__init__(message)
        self.client = client
        self.redirect_uri = redirect_uri
        self.code = code
        self.location = location


def answer_at(redirect_uri: str, state: str | None, **parameters: str) -> str:
    given = {**parameters, **({"state": state} if state is not None else {}), "iss": addresses.issuer()}
    return str(add_params_to_uri(redirect_uri, list(given.items())))


def read(request: HttpRequest) -> AuthorizationRequest:
    """Raises Unanswerable and RefusedRequest."""
    core, _ = server_for_one_request()
    uri, _, _, headers = core._extract_params(request)
    try:
        scopes, found = core.server.validate_authorization_request(uri, http_method="GET", body="", headers=headers)
    except errors.FatalClientError as error:
        who = "".join(filter(str.isprintable, request.GET.get("client_id", "")))
        raise Unanswerable(_words(error), client=who, code=str(error.error)) from None
    except errors.OAuth2Error as error:
        asking = OAuthClient.objects.get(client_id=error.client_id)
        raise _refused(asking, error.redirect_uri, error.state, str(error.error), _words(error)) from None
    client: OAuthClient = found["request"].client
    problem = _problem(request, found)
    if problem is not None:
        raise _refused(client, found["redirect_uri"], found["state"], *problem)
    return AuthorizationRequest(
        client=client,
        redirect_uri=found["redirect_uri"],
        state=found["state"],
        scopes=tuple(Scope(scope) for scope in scopes),
        code_challenge=found["code_challenge"],
    )


def _words(error: errors.OAuth2Error) -> str:
    return str(error.description or error.error)


def _problem(request: HttpRequest, found: dict[str, str]) -> tuple[str, str] | None:
    """What oauthlib lets pass and we do not: an error's code and its description."""
    if found.get("code_challenge_method") != "S256" or not _S256.fullmatch(found["code_challenge"]):
        return "invalid_request", "Send a code_challenge with code_challenge_method=S256."
    if not all(addresses.is_ours(one) for one in request.GET.getlist("resource")):
        return "invalid_target", f"Access is given here to {addresses.resource()} alone."
    return None


def _refused(client: OAuthClient, redirect_uri: str, state: str | None, code: str, message: str) -> RefusedRequest:
    location = answer_at(redirect_uri, state, error=code, error_description=message)
    return RefusedRequest(message, client=client, redirect_uri=redirect_uri, code=code, location=location)
