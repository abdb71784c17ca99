"""What a frozen tool adds to a call: values that its caller cannot set, and accounts on somebody else's authority."""

from collections.abc import Mapping
from typing import Any

from accesscontrol.caller import Caller
from accesscontrol.exceptions import InvalidArguments, Problem, Refusal
from connectors.curation import freezing
from connectors.curation.advertised import Account, AdvertisedTool, FrozenValues
from connectors.curation.merging import own_schema
from connectors.execution.errors import UnusableTool
from connectors.execution.validation import validate
from connectors.frozen_reach import is_reached
from connectors.models import Connection
from connectors.pins import pinned_connection


class PinEnded(Refusal):
    """No account is named to a caller who does not reach it but by its label, and nobody who pinned it."""

    code = "conflict"

    def __init__(self, account: Account, toolbox: str) -> None:
        super().__init__(
            f"The account {account.label}, which this tool runs through, is not there for it any more. Ask whoever "
            f"keeps the toolbox {toolbox} to pin another."
        )


def complete(advertised: AdvertisedTool, schema: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What is sent for these arguments: they fit the advertised schema, and all of it the whole one.

    Raises InvalidArguments, and UnusableTool where what is frozen does not fit the tool as it is now.
    """
    frozen = advertised.entry.frozen
    if frozen is None:
        _assert_none(validate(schema, given))
        return dict(given)
    _assert_none(freezing.refused(schema, given, frozen.fixed))
    _assert_none(validate(own_schema(advertised, schema), given))
    sent = freezing.merged(given, frozen.fixed, frozen.defaults)
    if problems := validate(schema, sent):
        _assert_still_fits(schema, frozen)
        raise InvalidArguments(problems)
    return sent


def require_in_toolbox(caller: Caller, frozen: FrozenValues | None) -> None:
    """Raises UnusableTool where toolboxes or the caller's grant stand in the way of the tool at this moment."""
    if frozen is None:
        if caller.toolboxes is not None:
            raise UnusableTool("this client was confined to the tools of some toolboxes")
    elif not is_reached(caller, frozen.id):
        raise UnusableTool(f"it was taken out of the toolbox {frozen.toolbox}, or that is not shared with you any more")


def pinned_account(caller: Caller, advertised: AdvertisedTool, frozen: FrozenValues, account: Account) -> Connection:
    """The account, on the authority of whoever pinned it, as that is at this moment. Raises PinEnded."""
    found = pinned_connection(caller, frozen.id, account.connection_id, advertised.ref)
    if found is None:
        raise PinEnded(account, frozen.toolbox)
    return found


def _assert_none(problems: list[Problem]) -> None:
    if problems:
        raise InvalidArguments(problems)


def _assert_still_fits(schema: dict[str, Any], frozen: FrozenValues) -> None:
    """The catalog may have changed since the values were saved; no caller can mend that."""
    if stale := freezing.check(schema, frozen.fixed, frozen.defaults):
        named = ", ".join(problem.path for problem in stale[:5])
        raise UnusableTool(f"what the toolbox {frozen.toolbox} sets for it does not fit any more ({named})")
