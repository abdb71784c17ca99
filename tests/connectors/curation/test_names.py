"""The name under which a connector's tool is advertised."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.curation.names import advertised_name

slugs = st.from_regex(r"[a-z0-9]{1,12}(?:[-_][a-z0-9]{1,12}){0,3}", fullmatch=True)
tool_names = st.from_regex(r"[a-z0-9]{1,12}(?:_[a-z0-9]{1,12}){0,9}", fullmatch=True)


@pytest.mark.parametrize(
    ("slug", "tool", "name"),
    [
        ("notion", "create_page", "notion_create_page"),
        ("notion", "list_all_notion_users", "list_all_notion_users"),
        ("cal-com", "list_all_cal_com_schedules", "list_all_cal_com_schedules"),
        ("cal-com", "com_cal_swapped", "cal_com_com_cal_swapped"),
        ("box", "list_inboxes", "box_list_inboxes"),
        ("help_desk", "help_desk", "help_desk"),
        ("mcp", "Search.Things", "mcp_search_things"),
        ("mcp", "domain__verb", "mcp_domain_verb"),
    ],
)
def test_the_connector_stands_before_the_tool_unless_the_tool_names_it(slug: str, tool: str, name: str) -> None:
    assert advertised_name(slug, tool) == name


def test_a_long_name_is_cut_and_ends_in_a_hash_of_the_whole() -> None:
    tool = "update_organizations_prefs_board_visibility_restrict_private_by_id_org"
    assert advertised_name("trello", tool) == "trello_update_organizations_prefs_board_visibility_re_f85609"
    assert len(advertised_name("trello", tool)) == 60
    assert advertised_name("trello", tool + "s") != advertised_name("trello", tool)


def test_a_name_of_sixty_characters_is_whole() -> None:
    assert advertised_name("desk", "x" * 55) == "desk_" + "x" * 55


@given(slugs, tool_names)
def test_every_name_is_one_that_clients_accept(slug: str, tool: str) -> None:
    name = advertised_name(slug, tool)
    assert re.fullmatch(r"[a-z0-9]+(?:_[a-z0-9]+)*", name)
    assert len(name) <= 60


@given(slugs, tool_names)
def test_naming_an_advertised_name_again_changes_nothing(slug: str, tool: str) -> None:
    name = advertised_name(slug, tool)
    if name.startswith(slug.replace("-", "_") + "_"):
        assert advertised_name(slug, name) == name


@given(st.text(max_size=80), st.text(max_size=80))
def test_whatever_a_tool_is_called_its_name_is_short_and_plain(slug: str, tool: str) -> None:
    assert re.fullmatch(r"[a-z0-9_]{0,60}", advertised_name(slug, tool))
    assert "__" not in advertised_name(slug, tool)
