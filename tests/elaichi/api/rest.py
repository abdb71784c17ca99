"""A client of the API."""

from typing import Any

from django.test import Client


class Rest:
    def __init__(self, token: str = "") -> None:
        self.client = Client()
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def send(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        call = getattr(self.client, method.lower())
        sent: dict[str, Any] = {"query_params": query, "headers": self.headers}
        if body is not None:
            sent |= {"data": body, "content_type": "application/json"}
        return call(f"/api/v1/{path}", **sent)
