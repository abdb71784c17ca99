"""What a client's model is told about this server when it connects."""

from search.pool import Pool


def instructions(pool: Pool) -> str:
    """A few lines that teach the two-step use and name the connected apps."""
    apps = ", ".join(pool.app_labels)
    reachable = f"Connected apps: {apps}." if apps else "No app is connected yet."
    return (
        "This server reaches the apps that this person has connected, within what they may do. "
        "Their tools are not listed: call search_tools with a few words (action, thing, app), read the rows, then call "
        "execute_tool with a row's name and arguments that fit its input_schema. "
        "An empty search means that no connected tool does it: rephrase once, then say so; do not use a tool that does "
        f"something else. {reachable}"
    )
