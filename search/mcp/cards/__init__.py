"""The cards: pages that a client with the MCP Apps extension shows beside a tool's result.

A host lets a card load nothing, so what its page refers to beside it in this folder is put into the page.
"""

import re
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from accesscontrol.caller import Caller
from accesscontrol.permissions import Scope
from search.mcp.resources import Contents, Resource, resources

EXTENSION = "io.modelcontextprotocol/ui"
MEDIA_TYPE = "text/html;profile=mcp-app"
_FOLDER = Path(__file__).parent
_STYLE = re.compile(r'<link rel="stylesheet" href="(\w+\.css)">')
_SCRIPT = re.compile(r'<script src="(\w+\.js)"></script>')
_NOTHING: dict[str, list[str]] = {
    "connectDomains": [],
    "resourceDomains": [],
    "frameDomains": [],
    "baseUriDomains": [],
}


def uri_of(card: str) -> str:
    return f"ui://elaichi/{card}"


def shown_by(card: str) -> dict[str, Any]:
    """The `_meta` of a tool whose results this card shows; the flat key is for hosts of before the revision."""
    return {"ui": {"resourceUri": uri_of(card)}, "ui/resourceUri": uri_of(card)}


@cache
def page(card: str) -> str:
    html = (_FOLDER / f"{card}.html").read_text()
    html = _STYLE.sub(lambda found: f"<style>\n{_file(found[1])}</style>", html)
    return _SCRIPT.sub(lambda found: f"<script>\n{_file(found[1])}</script>", html)


def _file(name: str) -> str:
    return (_FOLDER / name).read_text()


def _read(card: str, caller: Caller, values: Mapping[str, str]) -> Contents:
    return Contents(media_type=MEDIA_TYPE, text=page(card), meta={"ui": {"csp": _NOTHING, "prefersBorder": True}})


def _register(card: str, title: str, description: str) -> None:
    resources.register(
        Resource(
            uri=uri_of(card),
            name=f"{card}_card",
            title=title,
            description=description,
            media_type=MEDIA_TYPE,
            read=partial(_read, card),
            scope=Scope.TOOLS,
            listed=False,
        )
    )


_register("search", "Search results", "Shows what search_tools found, runs it, and asks for access to the rest.")
_register("call", "Result of a call", "Shows what execute_tool came to, and what would help where it was refused.")
