"""Small pools for the tests, and the few words it takes to make one."""

from collections.abc import Iterable

from search.ranking import PROFILES, AppName, PoolIndex, SearchResult, ToolDocument

PUBLISHED = PROFILES["published"]


def tool(name: str, description: str = "", label: str = "", parameters: tuple[str, ...] = ()) -> ToolDocument:
    return ToolDocument(key=name, name=name, description=description, connector_label=label, parameters=parameters)


def names(result: SearchResult) -> list[str]:
    return [hit.document.name for hit in result.hits]


def scores(result: SearchResult) -> dict[str, float]:
    return {hit.document.name: hit.score for hit in result.hits}


def published(*documents: ToolDocument, restricted: Iterable[ToolDocument] = ()) -> PoolIndex:
    return PoolIndex.build(documents, profile=PUBLISHED, restricted=restricted)


def pool(*documents: ToolDocument, known: Iterable[str | AppName] = ()) -> PoolIndex:
    """Ranked by the default profile."""
    return PoolIndex.build(documents, known_labels=known)


NOTION = (
    tool("notion_list_all_users", "Lists every user of the workspace.", "Notion"),
    tool("notion_list_all_comments", "Lists the comments of a block.", "Notion"),
    tool("notion_create_page", "Creates a page below a parent.", "Notion", ("parent", "properties")),
    tool("notion_search", "Finds pages by title.", "Notion", ("query",)),
    tool("notion_delete_block", "Moves a block to the trash.", "Notion", ("block_id",)),
)
JIRA = (
    tool("jira_create_issue", "Creates an issue in a project.", "Jira", ("summary", "project_key")),
    tool("jira_list_issues", "Lists the issues of a project.", "Jira", ("project_key",)),
    tool("jira_get_issue", "Returns one issue with its fields.", "Jira", ("issue_key",)),
    tool("jira_add_comment", "Adds a comment to an issue.", "Jira", ("issue_key", "body")),
    tool("jira_delete_issue", "Deletes an issue.", "Jira", ("issue_key",)),
)
BOX = (
    tool("box_list_files", "Lists the files of a folder.", "Box", ("folder_id",)),
    tool("box_create_folder", "Creates a folder.", "Box", ("name",)),
    tool("box_share_file", "Makes a link to a file.", "Box", ("file_id",)),
)
CLOSE = (
    tool("close_list_leads", "Lists leads.", "Close"),
    tool("close_create_lead", "Creates a lead.", "Close"),
)
OFFICE = (*NOTION, *JIRA, *BOX, *CLOSE)
