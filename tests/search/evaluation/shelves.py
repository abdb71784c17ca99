"""A tiny data set of three apps, in memory and as files."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from search.evaluation.dataset import LabelledQuery, LabelledTool, load_queries, load_tools

TOOLS = (
    {"key": "n1", "app": "notion", "label": "Notion", "name": "notion_create_page", "description": "Creates a page."},
    {"key": "n2", "app": "notion", "label": "Notion", "name": "notion_delete_block", "description": "Deletes a block."},
    {"key": "s1", "app": "slack", "label": "Slack", "name": "slack_send_message", "description": "Sends a message."},
    {"key": "s2", "app": "slack", "label": "Slack", "name": "slack_list_channels", "description": "Lists channels."},
    {"key": "j1", "app": "jira", "label": "Jira", "name": "jira_close_issue", "parameters": ["issue_key"]},
)
QUERIES = (
    {"set": "phrase", "kind": "unnamed", "app": "notion", "gold": ["n1"], "query": "create page"},
    {
        "set": "phrase",
        "kind": "unnamed",
        "app": "slack",
        "gold": ["s2"],
        "query": "list everything on the moon tonight",
    },
    {"set": "named", "kind": "named", "app": "jira", "gold": ["j1"], "query": "jira_close_issue"},
    {"set": "named", "kind": "named", "app": "slack", "gold": ["s1"], "query": "slack_send_message"},
    {"set": "offtopic", "kind": "offtopic", "gold": [], "query": "recommend binoculars"},
    {"set": "offtopic", "kind": "offtopic", "gold": [], "query": "send message"},
)


def write(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def tools(folder: Path) -> list[LabelledTool]:
    return load_tools(write(folder / "tools.jsonl", TOOLS))


def queries(folder: Path) -> list[LabelledQuery]:
    return load_queries(write(folder / "queries.jsonl", QUERIES))
