"""What an operation is: one of our own control-plane actions, defined once and served by every adapter.

An operation is listed over MCP as `elaichi__domain__verb`. Its input is a pydantic model, so the schema a client sees
and the check its arguments meet are the same thing.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.urls import reverse
from pydantic import BaseModel, ConfigDict, ValidationError

from accesscontrol.caller import Caller
from accesscontrol.exceptions import InvalidArguments, OnlyInAdmin, Problem
from accesscontrol.permissions import Permission, Scope

PREFIX = "elaichi"


class OperationInput(BaseModel):
    """An unknown argument is refused, never dropped in silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def parse_input[InputT: OperationInput](model: type[InputT], arguments: dict[str, Any]) -> InputT:
    """The arguments as their type. Raises InvalidArguments, which names each path and never what was given."""
    try:
        return model.model_validate(arguments, strict=True)
    except ValidationError as error:
        problems = error.errors(include_input=False, include_url=False, include_context=False)
        raise InvalidArguments(
            [Problem(path="/".join(map(str, item["loc"])), reason=item["msg"]) for item in problems]
        ) from None


def from_texts(model: type[OperationInput], texts: Mapping[str, list[str]]) -> dict[str, Any]:
    """The values that a query string's texts stand for, where the input says what they are; else the texts.

    Raises InvalidArguments for a name that is given twice and holds one value.
    """
    properties = input_schema(model)["properties"]
    return {name: _from_text(name, properties.get(name, {}), given) for name, given in texts.items()}


def _from_text(name: str, schema: Mapping[str, Any], given: list[str]) -> Any:
    if schema.get("type") == "array":
        return given
    if len(given) != 1:
        raise InvalidArguments([Problem(name, "is given more than once")])
    kind, text = schema.get("type"), given[0]
    if kind == "integer" and text.removeprefix("-").isdecimal() and text.isascii():
        return int(text)
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    return text


def input_schema(model: type[OperationInput]) -> dict[str, Any]:
    """A model's JSON Schema, without the titles that only repeat its names. Made once: nobody may change it."""
    return _input_schema(model)


@cache
def _input_schema(model: type[OperationInput]) -> dict[str, Any]:
    schema = model.model_json_schema()
    for part in (schema, *schema.get("properties", {}).values()):
        part.pop("title", None)
    schema.pop("description", None)
    return {**schema, "properties": schema.get("properties", {})}


@dataclass(frozen=True, kw_only=True)
class Operation[InputT: OperationInput]:
    """`run` returns a JSON object; it raises Refusal for what a person can mend.

    Without a permission it is for every active member, as what concerns only themselves.
    """

    domain: str
    verb: str
    title: str
    description: str
    input: type[InputT]
    permission: Permission | None
    scope: Scope
    run: Callable[[Caller, InputT], dict[str, Any]]
    subject: str = ""
    """The input that names the one thing this is about, where there is one: over REST, its place in the address."""

    @property
    def name(self) -> str:
        return f"{PREFIX}__{self.domain}__{self.verb}"

    @property
    def annotations(self) -> Mapping[str, Any]:
        """MCP's hints, from the scope: what reads does not write, and only our own records are touched."""
        reads = self.scope in (Scope.READ, Scope.TOOLS)
        return {
            "readOnlyHint": reads,
            "destructiveHint": self.scope is Scope.DESTRUCTIVE,
            "idempotentHint": reads,
            "openWorldHint": False,
        }

    def admits(self, caller: Caller) -> bool:
        return self.permits(caller) and self.scope in caller.scopes

    def permits(self, caller: Caller) -> bool:
        return self.permission is None or caller.may(self.permission)


class Registry:
    """Every operation, by name. Listed in the order of their names, whoever was registered first.

    It also knows names that are deliberately none: what a client might look for, and only a person does, in the admin.
    """

    def __init__(self) -> None:
        self._operations: dict[str, Operation[Any]] = {}
        self._only_in_admin: dict[str, str] = {}

    def register(self, operation: Operation[Any]) -> None:
        """Raises ValueError where the name is taken."""
        self._assert_free(operation.name)
        self._operations[operation.name] = operation

    def reserve(self, domain: str, *verbs: str, admin_page: str) -> None:
        """Names that are no operations; `admin_page` is the URL name of where it is done. Raises ValueError."""
        for name in (f"{PREFIX}__{domain}__{verb}" for verb in verbs):
            self._assert_free(name)
            self._only_in_admin[name] = admin_page

    def only_in_admin(self, name: str) -> OnlyInAdmin | None:
        """The refusal of a reserved name."""
        page = self._only_in_admin.get(name)
        return OnlyInAdmin(f"{settings.PUBLIC_URL}{reverse(page)}") if page else None

    def get(self, name: str) -> Operation[Any] | None:
        return self._operations.get(name)

    def _assert_free(self, name: str) -> None:
        if name in self._operations or name in self._only_in_admin:
            raise ValueError(f"The operation {name} is registered twice.")

    def __iter__(self) -> Iterator[Operation[Any]]:
        return iter(sorted(self._operations.values(), key=lambda operation: operation.name))


registry = Registry()
