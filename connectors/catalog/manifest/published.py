"""The format's JSON Schema: what documents are held to, and what is served to whoever writes one."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from jsonschema_rs import Draft202012Validator

VERSION = 1
_FILE = Path(__file__).parent / f"catalog-{VERSION}.schema.json"


@cache
def schema() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(_FILE.read_bytes())
    return loaded


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(schema())


@require_safe
@cache_control(public=True, max_age=86_400)
def catalog_schema(request: HttpRequest) -> HttpResponse:
    """Open to everybody, as a format is."""
    return HttpResponse(_FILE.read_bytes(), content_type="application/schema+json")
