"""Names for tools: snake_case, unique in a catalog, the same for the same document, good ones out of bad ids.

An operation's candidates, best first: its operationId without noise; its summary; its method and path.
Where two operations would have one name, the one whose path and method sort first has it, and the other
takes its next candidate: so a new operation elsewhere in the document renames nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from unicodedata import normalize

MAX_NAME = 120
MAX_SUMMARY_WORDS = 7

_WORD = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|[A-Z]\d*|\d+")
_DATE = re.compile(r"(?<!\d)\d{4}[-_]\d{2}[-_]\d{2}(?!\d)")
_VERSION = re.compile(r"v\d+(?:[._]\d+)*(?:beta|alpha)?\d*|\d+(?:\.\d+)+", re.IGNORECASE)
_SAYS_NOTHING = re.compile(rf"apis?|rest|openapi|[-_\d]+|{_VERSION.pattern}", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_METHOD_AND_PATH = re.compile(r"(?:get|put|post|delete|options|head|patch|trace)[\s_:-]*/", re.IGNORECASE)
_CLASS = re.compile(r"^[A-Za-z0-9]*Controller(?:[._]|(?=[-\d]))")
_RANDOM = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![A-Za-z0-9])[0-9a-f]{24,}(?![A-Za-z0-9])")

_VERBS = frozenset(
    re.findall(
        r"\w+",
        """
        add all archive batch bulk cancel change check clear close copy count create delete destroy disable
        enable export fetch find get import index list lookup many merge modify move one open patch post
        publish put query read refresh remove rename replace reset restore resume retrieve revoke run save
        search send set show start stop store submit sync test unarchive update upload upsert validate
        verify view
        """,
    )
)
_ARTICLES = frozenset({"a", "an", "the", "your", "this", "these"})
_METHOD_VERBS = {"POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete"}


@dataclass(frozen=True, kw_only=True)
class OperationId:
    """What a document says that can name an operation; texts may be empty."""

    operation_id: str
    method: str
    path: str
    summary: str


def tool_names(operations: Sequence[OperationId]) -> list[str]:
    """One name for each operation, in their order: `[a-z0-9_]`, at most 120 characters, no two alike."""
    candidates = {index: list(_candidates(operation)) for index, operation in enumerate(operations)}
    order = sorted(candidates, key=lambda index: (operations[index].path, operations[index].method, index))
    taken: dict[str, int] = {}
    for index in order:
        taken.setdefault(candidates[index][0], index)
    names = {index: name for name, index in taken.items()}
    for index in order:
        if index not in names:
            names[index] = next(name for name in _and_numbered(candidates[index]) if name not in taken)
            taken[names[index]] = index
    return [names[index] for index in range(len(operations))]


def _and_numbered(candidates: list[str]) -> Iterator[str]:
    yield from candidates[1:]
    for number in count(2):
        yield _fit(f"{candidates[0]}_{number}")


def _candidates(operation: OperationId) -> Iterator[str]:
    """At least one, each fit to be a name."""
    from_path = _from_path(operation)
    words = (
        _from_id(operation),
        _from_summary(operation.summary),
        from_path,
        [*(from_path or [operation.method.lower()]), *_parameters(operation)],
    )
    yield from dict.fromkeys(_fit("_".join(parts)) for parts in words if parts)


def _from_id(operation: OperationId) -> list[str]:
    """The id's words without class names, dates and versions; plus the path's noun if they have none."""
    text = operation.operation_id.strip()
    if not text or _METHOD_AND_PATH.match(text) or "{" in text:
        return []
    text = _without_generated_suffix(text, operation)
    bare = _CLASS.sub("", _RANDOM.sub(" ", _DATE.sub("", text)))
    words = [word for word in _words(bare) if not _VERSION.fullmatch(word)] or _words(bare)
    if words and set(words) <= _VERBS:
        return words + _noun(operation.path, words)
    return words


def _without_generated_suffix(text: str, operation: OperationId) -> str:
    """FastAPI writes function, path and method: `read_user_users__user_id__get`."""
    suffix = re.sub(r"\W", "_", operation.path) + "_" + operation.method.lower()
    return text.removesuffix(suffix) or text


def _from_summary(summary: str) -> list[str]:
    """A short summary names its operation: `Retrieve a user` → retrieve, user."""
    sentence = re.sub(r"\([^()]*\)|['\u2019]s\b", "", summary.strip())
    words = [word for word in _words(sentence) if word not in _ARTICLES]
    return words if 2 <= len(words) <= MAX_SUMMARY_WORDS else []


def _from_path(operation: OperationId) -> list[str]:
    """A verb for the method and the path's words, the singular where one thing of many is meant."""
    segments = _segments(operation.path)
    statics = [
        _singular(words) if followed and words else words
        for words, followed in zip(segments, [*(not it for it in segments[1:]), False], strict=False)
        if words
    ]
    verb = _METHOD_VERBS.get(operation.method, operation.method.lower())
    if operation.method == "GET" and statics and segments[-1] and segments[-1][-1].endswith("s"):
        verb = "list"
    if operation.method in ("POST", "PUT", "PATCH") and len(statics) > 1 and statics[-1][0] in _VERBS:
        return [*statics[-1], *(word for words in statics[:-1] for word in words)]
    return [verb, *(word for words in statics for word in words)] if statics else []


def _segments(path: str) -> list[list[str]]:
    """The words of each segment without versions and file endings; none for a placeholder."""
    segments = re.sub(r"\.(?:json|xml)(?=/|$)", "", path).strip("/").split("/")
    return [_words(_PLACEHOLDER.sub(" ", it)) for it in segments if it and not _SAYS_NOTHING.fullmatch(it)]


def _parameters(operation: OperationId) -> list[str]:
    words = [word for name in _PLACEHOLDER.findall(operation.path) for word in _words(name)]
    return ["by", *words] if words else []


def _noun(path: str, words: list[str]) -> list[str]:
    """The last words of the path that say a thing, as the verbs of an id do not."""
    for segment in reversed(_segments(path)):
        if segment and not set(segment) <= _VERBS | set(words):
            return segment
    return []


def _singular(words: list[str]) -> list[str]:
    last = words[-1]
    if last.endswith("ies") and len(last) > 4:
        last = last[:-3] + "y"
    elif re.search(r"(?:ss|x|ch|sh)es$", last):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith(("ss", "us", "is")) and len(last) > 3:
        last = last[:-1]
    return [*words[:-1], last]


def _words(text: str) -> list[str]:
    """Lower-case ASCII words, split at whatever is no letter or digit and at camelCase."""
    ascii_text = normalize("NFKD", text).encode("ascii", "ignore").decode()
    spelled = ascii_text.replace("OAuth", "Oauth").replace("GraphQL", "Graphql").replace("iOS", "Ios")
    return [word.lower() for word in _WORD.findall(spelled)]


def _fit(name: str) -> str:
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 7].rstrip('_')}_{_digest(name)}"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:6]
