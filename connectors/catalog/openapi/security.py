"""How a document says that calls are authenticated, as the kinds of credential that an account can hold."""

from typing import Any

from connectors.auth_scheme import AuthKind, AuthScheme, combined
from connectors.catalog.openapi.parameters import Secrets
from connectors.catalog.openapi.references import Document

_FLOWS = ("authorizationCode", "clientCredentials", "implicit", "password")
_API_KEYS = {"header": AuthKind.API_KEY_HEADER, "query": AuthKind.API_KEY_QUERY}
_HTTP = {"bearer": AuthKind.BEARER, "basic": AuthKind.BASIC}


def auth_schemes(document: Document) -> tuple[AuthScheme, ...]:
    """The ways that the document's own `security` offers in its order, then the other schemes as declared.

    A requirement that names several schemes asks for all of them in one request.
    """
    declared = _declared(document)
    known = {name: scheme for name, node in declared.items() if (scheme := _scheme(name, node))}
    ways = [way for names in _requirements(document, declared) for way in _ways([known.get(name) for name in names])]
    if together := _keys_that_go_together(ways):
        ways.insert(0, together)
    in_ways = {part.name for way in ways for part in way.parts}
    return tuple(dict.fromkeys([*ways, *(scheme for name, scheme in known.items() if name not in in_ways)]))


def secret_parameters(document: Document) -> Secrets:
    """The parameters that hold an API key, which some documents list among an operation's parameters too."""
    return frozenset(
        (str(node.get("in")), node["name"].lower())
        for node in _declared(document).values()
        if node.get("type") == "apiKey" and isinstance(node.get("name"), str)
    )


def _declared(document: Document) -> dict[str, dict[str, Any]]:
    components = document.root.get("components")
    schemes = components.get("securitySchemes") if isinstance(components, dict) else None
    found = {name: document.follow_or_none(node) for name, node in schemes.items()} if isinstance(schemes, dict) else {}
    return {name: node for name, node in found.items() if isinstance(node, dict)}


def _requirements(document: Document, declared: dict[str, Any]) -> list[list[str]]:
    security = document.root.get("security")
    requirements = [item for item in security if isinstance(item, dict)] if isinstance(security, list) else []
    return [[name for name in requirement if name in declared] for requirement in requirements]


def _ways(schemes: list[AuthScheme | None]) -> list[AuthScheme]:
    """One way that asks for all of them; where that can't be, each by itself is better than none."""
    usable = [scheme for scheme in schemes if scheme]
    if len(usable) > 1 and len(usable) == len(schemes) and (together := combined(usable)):
        return [together]
    return usable


def _keys_that_go_together(ways: list[AuthScheme]) -> AuthScheme | None:
    """Documents that offer nothing but API keys of one place as alternatives mean all of them.

    Trello's lists its `key` and its `token` so, of which neither is anything without the other.
    """
    distinct = list(dict.fromkeys(ways))
    kinds = {way.kind for way in distinct}
    if len(distinct) < 2 or len(kinds) > 1 or not kinds <= set(_API_KEYS.values()) or any(it.also for it in distinct):
        return None
    return combined(distinct)


def _scheme(name: str, node: dict[str, Any]) -> AuthScheme | None:
    """None for what no account can hold: cookies, digests, client certificates."""
    match node.get("type"):
        case "http" if kind := _HTTP.get(str(node.get("scheme")).lower()):
            return AuthScheme(kind=kind, name=name)
        case "apiKey" if kind := _API_KEYS.get(str(node.get("in"))):
            return AuthScheme(kind=kind, name=name, parameter=str(node.get("name", "")))
        case "oauth2":
            return _oauth2(name, node.get("flows"))
    return None


def _oauth2(name: str, flows: Any) -> AuthScheme:
    offered = flows if isinstance(flows, dict) else {}
    found = [offered[key] for key in _FLOWS if isinstance(offered.get(key), dict)]
    flow: dict[str, Any] = found[0] if found else {}
    scopes = flow.get("scopes")
    return AuthScheme(
        kind=AuthKind.OAUTH2,
        name=name,
        authorization_url=str(flow.get("authorizationUrl") or ""),
        token_url=str(flow.get("tokenUrl") or ""),
        scopes=tuple(scopes) if isinstance(scopes, dict) else (),
    )
