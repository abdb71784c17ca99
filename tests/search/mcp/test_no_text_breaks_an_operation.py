"""Texts that a database or parser could stumble over, in every text input of every operation: no failure of ours."""

from typing import Any

import pytest

from accesscontrol.models import Member
from accesscontrol.operation import Operation, input_schema, registry
from connectors.models import Connector
from tests import cast
from tests.search.mcp.rpc import Rpc

HARD = ("a\0b", "\ud7ff\uffff", "%", "' OR 1=1 --", "\U0001d7d9" * 30, "{}", "[", "../..", "\u202e")


def texts(operation: Operation[Any]) -> list[str]:
    return [name for name, part in input_schema(operation.input)["properties"].items() if part.get("type") == "string"]


@pytest.mark.parametrize("operation", [it for it in registry if texts(it)], ids=lambda operation: operation.name)
def test_a_hard_text_is_no_failure_of_ours(alice: Member, notion: Connector, operation: Operation[Any]) -> None:
    rpc = Rpc(cast.token(alice))
    required = dict.fromkeys(input_schema(operation.input).get("required", ()), "x")
    for name in texts(operation):
        for text in HARD:
            rpc.call(operation.name, **{**required, name: text})


def test_nor_is_one_in_a_search(alice: Member, notion: Connector) -> None:
    cast.connection(alice, notion, "Of Alice")
    rpc = Rpc(cast.token(alice))
    for name in ("query", "cursor", "toolbox"):
        for text in HARD:
            rpc.call("search_tools", **{"query": "page", name: text})
