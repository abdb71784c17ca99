"""The page that a person sees who opens the sandbox in a browser."""

from collections.abc import Mapping
from html import escape

from elaichi.sandbox.accounts import ACCOUNTS
from elaichi.sandbox.document import Document

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sandbox</title>
<style>body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem
}}</style> <h1>Sandbox</h1> <p>Invented products that elaichi talks to on this machine. Their records live in
memory: a restart brings back the first ones. <a href="/_journal">What has arrived so far</a>.</p> {products}
<h2>Calendary</h2>
<p>A calendar that people sign in to, by OAuth. <a href="/calendary/openapi.json">OpenAPI document</a></p>
</html>
"""


def front_page(documents: Mapping[str, Document]) -> str:
    return _PAGE.format(products="\n".join(_product(slug, one) for slug, one in documents.items()))


def _product(slug: str, document: Document) -> str:
    records = ", ".join(
        f'<a href="/_records/{slug}/{escape(account.name)}">{escape(account.name)}</a>'
        for account in ACCOUNTS
        if account.product == slug
    )
    return (
        f"<h2>{escape(document.title)}</h2>\n<p>{escape(document.content['info']['description'])}</p>\n"
        f'<p>Records of {records} · <a href="/{slug}/openapi.json">OpenAPI document</a></p>'
    )
