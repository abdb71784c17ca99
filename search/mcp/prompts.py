"""Prompts: what a person picks in their client to have a model do one of our jobs, step by step.

A prompt is offered where its operations are: a job that the caller's role or grant would stop half-way is not listed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from accesscontrol.caller import Caller
from accesscontrol.operation import registry as operations
from accesscontrol.permissions import Permission
from search.mcp.completion import Completer, no_suggestions

type Message = dict[str, Any]
"""In MCP's shape: a role and its content."""
type Write = Callable[[Caller, Mapping[str, str]], list[Message]]


class UnknownPrompt(Exception):
    """No prompt of this name is offered to the caller."""


class MissingArgument(Exception):
    """A required argument of a prompt was left out; the message names it."""


@dataclass(frozen=True, kw_only=True)
class PromptArgument:
    name: str
    description: str
    required: bool = True
    complete: Completer = no_suggestions


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """`write` returns the messages; `needs` are the operations that its steps call, by name.

    `permission` is set where the job needs more than they do: everybody may list audit events, but only their own.
    """

    name: str
    title: str
    description: str
    write: Write
    arguments: tuple[PromptArgument, ...] = ()
    needs: tuple[str, ...] = ()
    permission: Permission | None = None

    def admits(self, caller: Caller) -> bool:
        found = (operations.get(name) for name in self.needs)
        permitted = self.permission is None or caller.may(self.permission)
        return permitted and all(operation is not None and operation.admits(caller) for operation in found)

    def argument(self, name: str) -> PromptArgument | None:
        return next((argument for argument in self.arguments if argument.name == name), None)

    @property
    def definition(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "arguments": [
                {"name": one.name, "description": one.description, "required": one.required} for one in self.arguments
            ],
        }


class PromptRegistry:
    """Every prompt, listed in the order of their names."""

    def __init__(self) -> None:
        self._prompts: dict[str, Prompt] = {}

    def register(self, prompt: Prompt) -> None:
        """Raises ValueError where the name is taken."""
        if prompt.name in self._prompts:
            raise ValueError(f"The prompt {prompt.name} is registered twice.")
        self._prompts[prompt.name] = prompt

    def offered(self, caller: Caller) -> Iterator[Prompt]:
        return (prompt for _, prompt in sorted(self._prompts.items()) if prompt.admits(caller))

    def find(self, caller: Caller, name: str) -> Prompt:
        """Raises UnknownPrompt."""
        prompt = self._prompts.get(name)
        if prompt is None or not prompt.admits(caller):
            raise UnknownPrompt
        return prompt


prompts = PromptRegistry()


def get(caller: Caller, name: str, arguments: Mapping[str, str]) -> dict[str, Any]:
    """The prompt, written out. Raises UnknownPrompt, MissingArgument."""
    prompt = prompts.find(caller, name)
    for argument in prompt.arguments:
        if argument.required and not arguments.get(argument.name, "").strip():
            raise MissingArgument(f"Give the argument {argument.name}: {argument.description}")
    return {"description": prompt.description, "messages": prompt.write(caller, arguments)}
