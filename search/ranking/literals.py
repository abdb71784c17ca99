"""Literals: parts of a query that are data for a tool, not words that name one."""

import re

GAP = "\n"
"""Stands where a literal was: words on both sides are not neighbours."""

_LITERAL = re.compile(
    r"""
      (?<![^\W_])(?:
          "[^"\n]*" | “[^”\n]*” | «[^»\n]*» | 「[^」\n]*」
        | (?<!\w)'[^'\n]*(?:'(?=\w)[^'\n]*)*'(?!\w) | (?<!\w)\u2018[^\u2018’\n]*(?:’(?=\w)[^\u2018’\n]*)*’(?!\w)
      )
    | https?://\S+ | \bwww\.\S+
    | (?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+                      # e-mail
    | (?<![\w/])[@\#][\w-]+                             # @handle, #channel
    | (?<!\w)~?/[\w.-]+(?:/[\w.-]*)*                    # /path
    | (?<![\w./-])[\w-]+(?:/[\w.-]+)*\.(?:
          pdf|csv|xlsx?|docx?|pptx?|txt|md|png|jpe?g|gif|svg|json|xml|html?|zip|py|mp[34]|wav
      )\b                                              # file.ext
    | \b[0-9a-fA-F]{8}-[0-9a-fA-F-]{20,}\b              # UUID
    | (?<![\w./-])(?=[\w./-]*[A-Z\d]|[\w-]*\.\w)(?!\w*_)\w[\w.-]*(?:/[\w.-]+)+   # owner/repository, Folder/Name
    | \b[A-Z][A-Z0-9]+-\d+\b                            # PROJ-12
    | \b(?=[a-z]*\d+[a-z]+\d)[a-z0-9]{12,}\b            # ids: letters and digits mixed more than once
    | \b(?=(?:[A-Za-z_-]*\d+[A-Za-z_-]+){3})[\w-]{20,}\b
    | (?<!\w)[$€£+-]?\d[\d.,:/-]*(?:st|nd|rd|th|am|pm|h|min|%)?(?!\w)
    """,
    re.VERBOSE,
)


_SIGN_OF_ONE = re.compile(r"""["'“\u2018«「@\#/\d]|\bwww\.|\.\w""")


def mask(text: str) -> str:
    """The text with a gap where each literal was."""
    return _LITERAL.sub(GAP, text) if _SIGN_OF_ONE.search(text) else text
