"""Pagewell: pages of written knowledge. Its operations, by their ids in the document."""

from collections.abc import Mapping

from elaichi.sandbox.arguments import Arguments, Operate
from elaichi.sandbox.dataset import Table, has_words, matching
from elaichi.sandbox.wire import NO_CONTENT, Answer, Record, RefusalError

_SPACES = {
    "Acme": [("HR", "People"), ("ENG", "Engineering")],
    "Globex": [("LAB", "Laboratory"), ("SEC", "Security")],
}
_PAGES = {
    "Acme": [
        ("HR", "Holidays", "Thirty days a year. Ask your lead two weeks ahead.", ["policy"]),
        ("HR", "First day", "Your laptop waits at the front desk.", ["onboarding"]),
        ("ENG", "Deploying", "Merge to main; the pipeline does the rest.", ["howto", "release"]),
    ],
    "Globex": [
        ("LAB", "Centrifuge", "Balance the tubes. Error 17 means they are not.", ["howto"]),
        ("SEC", "Badges", "Report a lost badge at once.", ["policy"]),
    ],
}


class Pagewell:
    """One account's spaces, pages and comments."""

    def __init__(self, account: str) -> None:
        self.spaces = {key: {"key": key, "name": name} for key, name in _SPACES[account]}
        self.pages = Table("page", prefix="p-")
        self.comments = Table("comment", prefix="c-")
        for space, title, text, labels in _PAGES[account]:
            self._write({"space": space, "content": {"title": title, "text": text, "labels": labels}})

    def _write(self, draft: Record) -> Record:
        content = {"labels": []} | draft["content"]
        return self.pages.add({"parent": None, "version": 1} | draft | {"content": content})

    def list_spaces(self, given: Arguments) -> Answer:
        return Answer(list(self.spaces.values()))

    def list_pages(self, given: Arguments) -> Answer:
        wanted = set(given.get("label") or [])
        found = matching(self.pages, space=given.get("space"))
        return _summaries([page for page in found if wanted <= set(page["content"]["labels"])], given["limit"])

    def search_pages(self, given: Arguments) -> Answer:
        only = given.body.get("only", {})
        found = [
            page
            for page in self.pages
            if has_words(given.body["words"], page["content"]["title"], page["content"]["text"])
            and (not only.get("spaces") or page["space"] in only["spaces"])
            and set(only.get("labels", [])) <= set(page["content"]["labels"])
        ]
        return _summaries(found, given.body.get("limit", 50))

    def get_page(self, given: Arguments) -> Answer:
        return Answer(self.pages.get(given["page_id"]))

    def create_page(self, given: Arguments) -> Answer:
        if given.body["space"] not in self.spaces:
            raise RefusalError(422, f"there is no space {given.body['space']}")
        if (parent := given.body.get("parent")) is not None:
            self.pages.must_hold(parent)
        return Answer(self._write(given.body), 201)

    def replace_page(self, given: Arguments) -> Answer:
        page = self.pages.get(given["page_id"])
        expected = given.get("If-Match")
        if expected is not None and int(expected) != page["version"]:
            raise RefusalError(412, f"page {page['id']} is at version {page['version']}, not {expected}")
        page["content"] = {"labels": []} | given.body
        page["version"] += 1
        return Answer(page)

    def delete_page(self, given: Arguments) -> Answer:
        self.pages.delete(given["page_id"])
        self.comments.delete_where("page", given["page_id"])
        return NO_CONTENT

    def list_comments(self, given: Arguments) -> Answer:
        page = self.pages.get(given["page_id"])
        return Answer(matching(self.comments, page=page["id"]))

    def comment(self, given: Arguments) -> Answer:
        page = self.pages.get(given["page_id"])
        if (answered := given.body.get("in_reply_to")) is not None:
            self.comments.must_hold(answered)
        return Answer(self.comments.add({"in_reply_to": None} | given.body | {"page": page["id"]}), 201)

    @property
    def operations(self) -> Mapping[str, Operate]:
        return {
            "list-spaces": self.list_spaces,
            "list-pages": self.list_pages,
            "create-page": self.create_page,
            "search-pages": self.search_pages,
            "get-page": self.get_page,
            "replace-page": self.replace_page,
            "delete-page": self.delete_page,
            "list-page-comments": self.list_comments,
            "comment-on-page": self.comment,
        }

    def records(self) -> Record:
        spaces = {"space": list(self.spaces.values())}
        return spaces | {table.noun: list(table) for table in (self.pages, self.comments)}


def _summaries(found: list[Record], limit: int) -> Answer:
    return Answer(
        [
            {field: page[field] for field in ("id", "space", "version")} | {"title": page["content"]["title"]}
            for page in found[:limit]
        ]
    )
