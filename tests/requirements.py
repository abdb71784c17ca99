"""The ledger of what was asked for: each statement by its id, and which of them this project meets so far.

A test of a statement carries `@pytest.mark.requirement("S7")`. `test_requirements.py` holds the ledger complete in both
directions: every statement that is met has a test, and none that is still to come has one.
"""

MET = {
    "S1": "Connected tools are never listed; search_tools and execute_tool are the only way to them.",
    "S2": "search_tools takes a query and returns a short ranked list, cut to a limit.",
    "S3": "execute_tool is the same tool name, arguments and gates as a direct tools/call.",
    "S4": "Operations are listed one by one, and search_tools never returns one.",
    "S5": "tools/list comes in a deterministic order.",
    "S6": "Search scores every connected tool the caller can reach, and only those.",
    "S7": "Name token 5, name prefix 3, label 2, description 1.",
    "S8": "set, connection, frozen, more do not score in descriptions; account labels and frozen values do.",
    "S9": "Equal scores are ordered by codepoint.",
    "S10": "A tool accounts for at least half of the query's weighted mass, or is not returned.",
    "S11": "Weights are inverse document frequency over the caller's pool, computed per query.",
    "S12": "The floor is relative to the query.",
    "S13": "list_all_cal_com_schedules with only Notion connected comes back empty.",
    "S14": "An empty result is visible.",
    "S15": "The floor is separate from the scoring and checked after it.",
    "S16": "A merged tool reaches several accounts; a tie never picks an arbitrary account.",
    "S17": "A frozen tool carries fixed values that the caller cannot set.",
    "S18": "An edit, a fork or a new connection is reflected by the next search.",
    "S19": "A restricted tool is withheld, cannot be called, never competes and never counts.",
    "S20": "Search ranks restricted tools apart and names them without a schema.",
    "S21": "A card says how many matches are restricted and names up to five.",
    "S22": "The resolver decides at every place where a member can reach a connector or tool.",
    "S23": "Members with different reach get different pools and weights.",
    "S24": "After a restriction changes, tasks propagate it within two minutes.",
    "S25": "Removing or suspending a member revokes every live grant in the same transaction.",
    "S26": "Connectors with over a hundred tools and members with several accounts are the normal case.",
    "S27": "An admin site manages connectors and restrictions.",
    "S28": "A JSON-RPC endpoint serves MCP clients.",
    "S29": "A management command imports connector catalogs.",
    "S30": "The frameworks are used for what they are for; the top level holds what was asked.",
}
TO_COME: dict[str, str] = {}
