"""Words to make invented catalogs of: real ones first, then as many made-up ones as a large catalog needs.

They are drawn so that the word of rank r comes up in proportion to 1/r (Zipf), as in real text: the vocabulary of
a pool then grows with it.
"""

import random
from functools import cache


def _listed(text: str) -> list[str]:
    return text.split()


VERBS = _listed(
    "get list create update delete search send add remove upload download archive restore cancel approve assign "
    "export import move copy rename publish schedule invite share start stop merge close reopen refund verify "
    "enable disable sync retry subscribe unsubscribe validate rotate"
)

NOUNS = _listed(
    "user account project task page file message invoice customer order event comment team payment contact report "
    "group member product ticket webhook channel folder issue subscription workflow document template campaign "
    "role permission token key label tag note board card list space site form field record table view query "
    "dashboard metric alert incident service deployment build branch commit release pipeline job run log repository "
    "review environment variable secret domain certificate server database backup snapshot region instance cluster "
    "image volume network policy rule audience segment lead deal opportunity quote contract company address "
    "shipment carrier warehouse inventory item category price discount coupon cart checkout refund dispute payout "
    "balance transaction statement transfer bank card tax currency employee department candidate interview offer "
    "timesheet leave shift payroll expense budget receipt meeting calendar attendee room reminder call recording "
    "transcript voicemail contact queue agent conversation thread reaction mention attachment survey question "
    "answer response course lesson student grade badge post article author media asset gallery video playlist track"
)

QUALIFIERS = _listed("all by-id active archived default shared public recent current batch draft custom")

COMMON = _listed("the a of to for and in with by this an or is that from on be can if your all specific given existing")

PARAMETERS = _listed("id limit cursor page filter sort fields include name query status start_date end_date owner_id")

SIZE = 40_000

_SYLLABLES = _listed(
    "ba co da el fi go ha in ka lo ma ne or pa qui ra si ta ul ve wo xa yo za tri sta ple mon der ling"
)


@cache
def words() -> tuple[str, ...]:
    """Every noun there is, most frequent first."""
    chosen = dict.fromkeys(NOUNS)
    source = random.Random("vocabulary")
    while len(chosen) < SIZE:
        chosen[made_up(source, 2 + int(source.random() * 3))] = None
    return tuple(chosen)


def any_word(source: random.Random) -> str:
    return words()[int(SIZE ** source.random()) - 1]


def pick(source: random.Random, choices: list[str]) -> str:
    """The first of them most often."""
    return choices[int(len(choices) ** source.random()) - 1]


def made_up(source: random.Random, syllables: int) -> str:
    return "".join(_SYLLABLES[int(source.random() * len(_SYLLABLES))] for _ in range(syllables))
