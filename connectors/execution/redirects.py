"""Where a redirect leads and what goes along with it (RFC 9110, 15.4; Fetch, "HTTP-redirect fetch")."""

from collections.abc import Iterable

import httpx2

from connectors.execution.errors import BlockedAddress, UpstreamError
from connectors.execution.request import CREDENTIAL_PARAMETERS, same_name

REDIRECTS = frozenset({301, 302, 303, 307, 308})
# All that crosses to another origin: what says nothing of the account. An API key may travel in any header.
_CROSSES_ORIGINS = frozenset({"accept", "accept-encoding", "accept-language", "content-type", "user-agent"})
_OF_THE_BODY = frozenset({"content-type", "content-length", "transfer-encoding"})


def redirected(request: httpx2.Request, status: int, location: str) -> httpx2.Request:
    """The next request of the chain.

    POST becomes GET on 301 and 302; on 303 everything but HEAD does. What is dropped with a change of
    scheme, host or port does not come back when a later hop returns; an API key in the query neither crosses
    over where the upstream wrote it into the target, as servers do that pass on the whole query. Raises
    UpstreamError for a target that is no URL, and BlockedAddress for one that is not http or https or that
    would leave TLS.
    """
    url = _target(request.url, location)
    keys = request.extensions.get(CREDENTIAL_PARAMETERS, ())
    if keys and not _same_origin(request.url, url):
        url = _without(url, keys)
    keeps_body = not _becomes_get(request.method, status)
    headers = httpx2.Headers(
        [
            (name, value)
            for name, value in request.headers.multi_items()
            if name.lower() != "host"
            and (keeps_body or name.lower() not in _OF_THE_BODY)
            and (_same_origin(request.url, url) or name.lower() in _CROSSES_ORIGINS)
        ]
    )
    return httpx2.Request(
        request.method if keeps_body else "GET",
        url,
        headers=headers,
        content=request.content if keeps_body and request.content else None,
        extensions={CREDENTIAL_PARAMETERS: keys} if keys else None,
    )


def _target(base: httpx2.URL, location: str) -> httpx2.URL:
    try:
        url = base.join(location)
        # A user name in the URL would become an Authorization header of the upstream's choice.
        url = url.copy_with(userinfo=b"", fragment=None)
    except (httpx2.InvalidURL, UnicodeError, ValueError):
        raise UpstreamError(f"{base.host} redirects to something that is not a URL.") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise BlockedAddress(base.host, "redirects to something that is not an http or https address")
    if base.scheme == "https" and url.scheme == "http":
        raise BlockedAddress(url.host, "would be reached without TLS after a redirect")
    return url


def _without(url: httpx2.URL, parameters: Iterable[str]) -> httpx2.URL:
    pairs = url.query.decode("ascii").split("&")
    names = list(parameters)
    kept = "&".join(pair for pair in pairs if not any(same_name(pair.partition("=")[0], name) for name in names))
    return url.copy_with(query=kept.encode() or None)


def _becomes_get(method: str, status: int) -> bool:
    if status == 303:
        return method not in ("GET", "HEAD")
    return status in (301, 302) and method == "POST"


def _same_origin(one: httpx2.URL, other: httpx2.URL) -> bool:
    return (one.scheme, one.host, one.port) == (other.scheme, other.host, other.port)
