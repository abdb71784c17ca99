"""An application that signs a person in, step by step, so that a test may take a wrong one."""

import hashlib
from base64 import urlsafe_b64encode
from typing import Any
from urllib.parse import urlencode

from django.test import Client

from accesscontrol.models import AuditEvent, Member
from tests.accesscontrol.oauth.browser import filled, query

VERIFIER = "a-verifier-that-is-long-enough-for-the-protocol-0123456789"
CALLBACK = "https://client.example/callback"


def challenge(verifier: str = VERIFIER) -> str:
    return urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def outcomes(action: str = "grant.refused") -> list[str]:
    return list(AuditEvent.objects.filter(action=action).order_by("at").values_list("outcome", flat=True))


class Dance:
    """`person` is whose browser it is; everything else goes without cookies."""

    def __init__(self, person: Member | None = None, **registered: Any) -> None:
        self.browser, self.http = Client(), Client()
        if person is not None:
            self.browser.force_login(person.user)
        self.redirect_uri = registered.get("redirect_uris", [CALLBACK])[0]
        answer = self.register(**registered)
        assert answer.status_code == 201, answer.content
        self.client: dict[str, Any] = answer.json()

    def register(self, **said: Any) -> Any:
        said = {"client_name": "A client", "redirect_uris": [CALLBACK], **said}
        return self.http.post("/oauth/register", data=said, content_type="application/json")

    def address(self, **changed: Any) -> str:
        asked = {
            "response_type": "code",
            "client_id": self.client["client_id"],
            "redirect_uri": self.redirect_uri,
            "state": "the state",
            "scope": "mcp:read mcp:tools",
            "code_challenge": challenge(),
            "code_challenge_method": "S256",
            **changed,
        }
        return "/oauth/authorize?" + urlencode({k: v for k, v in asked.items() if v is not None}, doseq=True)

    def opens(self, **changed: Any) -> Any:
        return self.browser.get(self.address(**changed))

    def answers(self, button: str = "allow", *, form: dict[str, Any] | None = None, **changed: Any) -> Any:
        page = self.opens(**changed)
        assert page.status_code == 200, page.content
        sent = {**filled(page.content.decode()), **(form or {}), button: "1"}
        return self.browser.post(self.address(**changed), data=sent)

    def code(self, **changed: Any) -> str:
        return query(self.answers(**changed)["Location"])["code"]

    def exchanges(self, code: str, **changed: Any) -> Any:
        return self.posts(
            grant_type="authorization_code",
            code=code,
            **{"redirect_uri": self.redirect_uri, "code_verifier": VERIFIER, **changed},
        )

    def refreshes(self, refresh_token: str, **changed: Any) -> Any:
        return self.posts(grant_type="refresh_token", refresh_token=refresh_token, **changed)

    def posts(self, address: str = "/oauth/token", **sent: Any) -> Any:
        sent = {"client_id": self.client["client_id"], **sent}
        return self.http.post(address, data={k: v for k, v in sent.items() if v is not None})

    def tokens(self, **changed: Any) -> dict[str, Any]:
        answer = self.exchanges(self.code(**changed))
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        return found

    def status_at_mcp(self, token: str) -> int:
        message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        headers = {"Authorization": f"Bearer {token}"}
        return self.http.post("/mcp", data=message, content_type="application/json", headers=headers).status_code
