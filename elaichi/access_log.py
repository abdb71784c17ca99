"""gunicorn's log of requests, which holds no address that opens something."""

from typing import Any

from gunicorn.glogging import Logger  # type: ignore[import-untyped]

from elaichi.logged_addresses import cut


class WithoutSecrets(Logger):  # type: ignore[misc]
    def atoms(self, resp: Any, req: Any, environ: Any, request_time: Any) -> dict[str, Any]:
        """Whatever the format asks for: the address and the request line."""
        found: dict[str, Any] = super().atoms(resp, req, environ, request_time)
        path = cut(str(found["U"]))
        return {**found, "U": path, "r": f"{found['m']} {path} {found['H']}"}
