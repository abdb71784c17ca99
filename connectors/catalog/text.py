"""What a vendor wrote for people, as plain text of a bounded length for a model."""

import re
from html import unescape

_BLOCKS = "p|div|br|hr|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|h[1-6]|pre|blockquote|section|aside|details|summary"
_INLINE = "a|b|i|u|em|strong|small|big|span|code|kbd|sup|sub|s|q|img|td|th|font|center|tt|var|abbr|cite|caption"
_SILENT = re.compile(r"<(script|style)\b[^<>]*>.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_BLOCK_TAG = re.compile(rf"</?(?:{_BLOCKS})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_INLINE_TAG = re.compile(rf"</?(?:{_INLINE})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?](?=\s)")
_READ = 20
"""How many times its limit of a text is looked at; descriptions of a megabyte exist."""


def plain_text(text: str, limit: int) -> str:
    """At most `limit` characters, without HTML and needless space, cut after a sentence if one ends in time.

    Only tags that HTML knows count as markup: `<user_id>` is a placeholder and stays.
    """
    return _cut(_tidy_space(_strip_tags(text[: limit * _READ])), limit)


def _strip_tags(text: str) -> str:
    if "<" in text:
        text = _INLINE_TAG.sub("", _BLOCK_TAG.sub("\n", _SILENT.sub(" ", text)))
    return unescape(text) if "&" in text else text


def _tidy_space(text: str) -> str:
    """One space between words and at most one empty line between paragraphs."""
    lines = "\n".join(" ".join(line.split()) for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).strip()


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, limit + 1)]
    if ends and ends[-1] > limit // 2:
        return text[: ends[-1]]
    words = text[:limit].rpartition(" ")[0] or text[: limit - 1]
    return words.rstrip() + "…"
