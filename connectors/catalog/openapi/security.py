"""How a document says that calls are authenticated, as the kinds of credential that an account can hold."""

from typing import Any

from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.catalog.openapi.parameters import Secrets
from connectors.catalog.openapi.references import Document

_FLOWS = ("authorizationCode", "clientCredentials", "implicit", "password")
_API_KEYS = {"header": AuthKind.API_KEY_HEADER, "query": AuthKind.API_KEY_QUERY}
_HTTP = {"bearer": AuthKind.BEARER, "basic": AuthKind.BASIC}


def auth_schemes(document: Document) -> tuple[AuthScheme, ...]:
    """The schemes of the document's own `security` in its order, then the others as declared."""
    declared = _declared(document)
    return tuple(scheme for name in _in_order(document, declared) if (scheme := _scheme(name, declared[name])))


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


def _in_order(document: Document, declared: dict[str, Any]) -> list[str]:
    security = document.root.get("security")
    requirements = [item for item in security if isinstance(item, dict)] if isinstance(security, list) else []
    named = [name for requirement in requirements for name in requirement if name in declared]
    return list(dict.fromkeys([*named, *declared]))


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
