"""Peers rank the same documents, where they are installed."""

import pytest

from search.evaluation.exceptions import PeerNotInstalledError
from search.evaluation.peers import PEERS, Fts5, PeerFactory, installed_peers, peer, words
from search.evaluation.workspaces import Connector
from search.ranking import ToolDocument

DOCUMENTS = (
    ToolDocument("page", "notion_create_page", "Creates a page.", "Notion"),
    ToolDocument("block", "notion_delete_block", "Deletes a block.", "Notion", ("block_id",)),
    ToolDocument("message", "slack/send message", "Sends a message.", "Slack"),
)
NOTION = [Connector("all", DOCUMENTS)]

each_peer = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.skipif(name not in installed_peers(), reason=f"{name} is not installed"))
        for name in PEERS
    ],
)


@each_peer
def test_a_peer_finds_the_tool_that_says_it(name: str) -> None:
    found = peer(name).build(NOTION).search("delete block", 10)
    assert found[0].key == "block"
    assert len(peer(name).build(NOTION).search("notion page block", 1)) == 1


@each_peer
@pytest.mark.parametrize("query", ["", "—", "zebra"])
def test_a_peer_gives_nothing_where_no_word_is_shared(name: str, query: str) -> None:
    assert peer(name).build(NOTION).search(query, 10) == []


@each_peer
def test_a_peer_takes_a_pool_without_words(name: str) -> None:
    assert peer(name).build([Connector("x", (ToolDocument("k", "—", "", ""),))]).search("page", 10) == []


def test_a_peer_that_is_not_installed_says_so() -> None:
    absent = PeerFactory("absent", Fts5, "no_such_module", scores=False)
    assert not absent.is_installed()
    with pytest.raises(PeerNotInstalledError, match="absent is not installed here"):
        absent.load()


def test_peers_without_a_tokenizer_get_words_split_at_camel_case() -> None:
    assert words("getUserById of Notion-API v2") == ["get", "user", "by", "id", "of", "notion", "api", "v2"]
