"""What an empty answer says, so that its reader can rephrase or connect what is missing."""

from collections.abc import Sequence


def empty_note(
    *, total_tools: int, unmatched: Sequence[str], connectable: Sequence[str], unknown_apps: Sequence[str]
) -> str:
    """One short paragraph: what nothing holds, which named app is not connected, and what to do next.

    `connectable` are labels the caller could connect here; `unknown_apps` are products that nobody here can.
    """
    if total_tools == 0:
        return (
            "No tool can be called yet: you have no connected account. "
            "elaichi__connector__list names what can be connected; it is done in the browser."
        )
    said = ["No connected tool does this."]
    if connectable:
        said.append(f"{_join(connectable)} can be connected here but is not: connect an account in the browser first.")
    if unknown_apps:
        said.append(f"{_join(unknown_apps)} is not available here.")
    if unmatched and not (connectable or unknown_apps):
        said.append(f"No tool holds the words: {', '.join(unmatched[:10])}.")
    if not (connectable or unknown_apps):
        said.append("Try fewer or other words, such as the action and the kind of thing it is done to.")
    return " ".join(said)


def _join(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
