"""The OpenAPI document of the API, written from the registry."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from accesscontrol.operation import input_schema
from elaichi.api.routes import PREFIX, Route, routes


@require_safe
def schema(request: HttpRequest) -> JsonResponse:
    return JsonResponse(document(), json_dumps_params={"indent": 1})


def document() -> dict[str, Any]:
    """OpenAPI 3.1, whose schemas are JSON Schema 2020-12: those of the operations' inputs, as MCP lists them."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes():
        paths.setdefault(f"/{route.path}", {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "elaichi", "version": settings.VERSION},
        "servers": [{"url": f"{settings.PUBLIC_URL}/{PREFIX}".rstrip("/")}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": _ERROR},
            "responses": {
                "Error": {
                    "description": "What stands in the way, and what would help.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
                }
            },
        },
        "security": [{"token": []}],
    }


_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
        }
    },
}


def _operation(route: Route) -> dict[str, Any]:
    operation = route.operation
    schema = input_schema(operation.input)
    in_path = {operation.subject} & schema["properties"].keys()
    needs = f"the permission {operation.permission}" if operation.permission else "no permission"
    described: dict[str, Any] = {
        "operationId": f"{operation.domain}_{operation.verb}",
        "summary": operation.title,
        "description": f"{operation.description} Needs {needs} and the scope {operation.scope}.",
        "tags": [operation.domain],
        "parameters": [_parameter(schema, name, "path") for name in sorted(in_path)],
        "responses": {
            "200": {"description": "The result.", "content": {"application/json": {"schema": {"type": "object"}}}},
            "default": {"$ref": "#/components/responses/Error"},
        },
    }
    rest = [name for name in schema["properties"] if name not in in_path]
    if route.takes_query:
        described["parameters"] += [_parameter(schema, name, "query") for name in rest]
    elif rest:
        described["requestBody"] = {"content": {"application/json": {"schema": _body(schema, in_path)}}}
    return described


def _parameter(schema: dict[str, Any], name: str, where: str) -> dict[str, Any]:
    described = dict(schema["properties"][name])
    description = described.pop("description", "")
    required = where == "path" or name in schema.get("required", ())
    return {"name": name, "in": where, "required": required, "description": description, "schema": described}


def _body(schema: dict[str, Any], in_path: set[str]) -> dict[str, Any]:
    return {
        **schema,
        "properties": {name: part for name, part in schema["properties"].items() if name not in in_path},
        "required": [name for name in schema.get("required", ()) if name not in in_path],
    }
