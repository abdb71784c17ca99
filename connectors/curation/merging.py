"""One tool for all of a caller's accounts at a connector: how the account is asked for, and how it is chosen.

With a single account nothing is asked. With several, one more argument names the account, and a call that does not name
exactly one is refused with the accounts that it could have meant: a guess could write into the wrong company's books.
"""

from collections.abc import Mapping
from typing import Any

from accesscontrol.exceptions import Refusal
from connectors.curation import freezing
from connectors.curation.advertised import Account, AdvertisedTool, ToolEntry

ARGUMENT = "connection"
LISTED_ACCOUNTS = 12


class AmbiguousConnection(Refusal):
    """No account, or not exactly one, was named; `accounts` holds the labels to choose from."""

    code = "ambiguous_connection"

    def __init__(self, argument: str, accounts: tuple[str, ...]) -> None:
        named = ", ".join(accounts[:LISTED_ACCOUNTS])
        more = f" and {len(accounts) - LISTED_ACCOUNTS} more" if len(accounts) > LISTED_ACCOUNTS else ""
        super().__init__(
            f"Several accounts can run this tool. Set `{argument}` to exactly one of: {named}{more}.",
            argument=argument,
            accounts=list(accounts),
        )


def argument_for(schema: Mapping[str, Any]) -> str:
    """The argument that names the account: `connection`, or a longer word where the tool has one of that name."""
    name = ARGUMENT
    while name in schema.get("properties", {}):
        name = f"account_{name}"
    return name


def schema_for(advertised: AdvertisedTool, schema: dict[str, Any]) -> dict[str, Any]:
    """The tool's own schema without what is frozen, and with the account asked for where there are several."""
    shown = own_schema(advertised, schema)
    if not advertised.merged:
        return shown
    argument = argument_for(schema)
    return {
        **shown,
        "properties": {argument: _choice(advertised.accounts), **shown.get("properties", {})},
        "required": [argument, *shown.get("required", ())],
    }


def own_schema(advertised: AdvertisedTool, schema: dict[str, Any]) -> dict[str, Any]:
    """What a caller may send of the tool's own arguments."""
    frozen = advertised.entry.frozen
    return freezing.frozen(schema, frozen.fixed, frozen.defaults) if frozen else schema


def describe(entry: ToolEntry, accounts: tuple[Account, ...]) -> str:
    """The description, ending with the accounts to choose from where there are several, and with what is frozen."""
    note = entry.frozen.note if entry.frozen else ""
    if len(accounts) < 2:
        return f"{entry.description} {note}".strip() if note else entry.description
    shown = [account.label for account in accounts[:LISTED_ACCOUNTS]]
    more = len(accounts) - len(shown)
    names = f"{', '.join(shown)} and {more} more" if more else _and(shown)
    return f"{entry.description} Set `{entry.connection_argument}` to one of: {names}. {note}".strip()


def choose(advertised: AdvertisedTool, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> Account:
    """The account that a call names, or the only one there is. Raises AmbiguousConnection; it never guesses."""
    if not advertised.merged:
        return advertised.accounts[0]
    argument = argument_for(schema)
    given = arguments.get(argument)
    meant = [one for one in advertised.accounts if given in (one.label, str(one.connection_id))]
    # Somebody may have labelled an account with the id of another's.
    if len(meant) == 1:
        return meant[0]
    raise AmbiguousConnection(argument, _candidates(advertised.accounts, given))


def _candidates(accounts: tuple[Account, ...], given: object) -> tuple[str, ...]:
    wanted = given.casefold() if isinstance(given, str) else ""
    labels = tuple(account.label for account in accounts)
    return tuple(label for label in labels if wanted and wanted in label.casefold()) or labels


def _choice(accounts: tuple[Account, ...]) -> dict[str, Any]:
    if len(accounts) <= LISTED_ACCOUNTS:
        return {
            "type": "string",
            "enum": [account.label for account in accounts],
            "description": "Which account to use.",
        }
    return {
        "type": "string",
        "description": f"Which of {len(accounts)} accounts: its exact name or id, from elaichi__connection__list.",
    }


def _and(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
