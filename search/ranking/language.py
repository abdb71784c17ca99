"""The little English the default profile knows: function words, verbs of tool names, plurals."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SENTENCE_WORDS = _words(
    """
    a an the this that these those some any each every all both such same other another i me my mine myself
    we us our ours you your yours he him his she her hers it its they them their theirs am is are was were
    be been being do does did doing done have has had having can could will would shall should may might
    must what which who whom whose where when why how please kindly hey hi hello thanks thank okay ok yes no
    not don t s re ve ll m d there here just so too very really also only then than as if because while
    though want wants need needs like let lets help
    """
)
"""Words that make a sentence of a list of keywords: articles, pronouns, auxiliaries, questions, courtesies."""

LINK_WORDS = _words(
    """
    of in on at by for to from with without into onto over under about between within through via using per
    and or nor but
    """
)
"""Prepositions and conjunctions: they carry no mass either, but keyword lists use them too."""

FUNCTION_WORDS = SENTENCE_WORDS | LINK_WORDS

TOOL_VERBS = _words(
    """
    accept activate add approve archive assign attach batch block build bulk call cancel check clear clone
    close complete configure confirm convert copy count create deactivate decline delete deploy describe
    disable download duplicate edit enable execute export extract fetch filter find generate get import
    insert install invite join leave link list lock log lookup make mark merge modify move notify open order
    patch pause post publish pull push put query read remove rename reopen replace reply request reset
    resolve restore resume retrieve retry revoke run save schedule search select send set share show sign
    start stop subscribe submit sync test track transfer trigger unarchive unassign unblock unlink unlock
    unpublish unsubscribe update upload upsert validate verify view write
    """
)
"""Verbs that tool names begin with."""

VERB_CLASSES = {
    verb: number
    for number, verbs in enumerate(
        (
            "get retrieve fetch list show read find search view lookup look query display return describe browse"
            " see tell give check",
            "create add post new insert make generate register build",
            "update edit put patch modify change set rename replace",
            "delete remove destroy erase clear",
        ),
        start=1,
    )
    for verb in verbs.split()
}
"""Verbs that say the same of a record: reading, making, changing, removing it."""

TIME_WORDS = _words(
    """
    january february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday today tomorrow yesterday tonight now currently ago last next
    previous past recent recently latest newest oldest first second third top minute minutes hour hours day
    days week weeks weekend month months year years morning afternoon evening night one two three four five
    six seven eight nine ten dozen hundred
    """
)
"""Numbers, dates and ranges in words: they say which data, not which tool."""

_UNINFLECTED = _words(
    """
    news canvas alias atlas bias series species kubernetes https aws dns sms ios gas lens
    """
)
_PLURAL_ES = ("sses", "xes", "ches", "shes", "zzes", "tuses", "ruses")


def singular(word: str) -> str:
    """Fold a regular English plural: Harman's S-stemmer (1991), and -es after a sibilant.

    >>> [singular(word) for word in ("issues", "boxes", "companies", "status", "address", "ids")]
    ['issue', 'box', 'company', 'status', 'address', 'id']
    """
    if len(word) < 3 or word in _UNINFLECTED or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4 and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith(_PLURAL_ES):
        return word[:-2]
    return word[:-1]
