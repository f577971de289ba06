"""What a person tells of themselves that no rule reads ("Gels come straight back up on me, every flavour").

Nobody can foresee all that matters for a plan. A message in the first person about food, the body, training or the
days of somebody's week is kept by the words that say what it is about; a recall brings it only beside what it finds
otherwise, and a fact never rests on it.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final

import msgspec

from memory import data
from memory.statements_kinds import Statement
from memory.statements_subjects import is_relation, is_speaker, relation
from memory.statements_text import Sentences
from memory.statements_words import known_words
from memory.text import words

REMARK: Final = "remark"
"""The attribute under which a remark is held; it is a statement of no kind of its own."""
_MOST_CHARACTERS: Final = 400
_ADDRESSED: Final = frozenset({"coach", "trainer", "buddy", "mate", "friend", "bro", "chef"})
_HEALTH: Final = frozenset({"body", "sport", "condition", "medicine"})
_SAYS_NOTHING: Final = frozenset({"identity", "relation"})


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    groups: str
    words: str
    moment: str
    was: str
    lasting: str
    says: str
    alone: str
    health: str
    most_words: int


@cache
def _table() -> _Table:
    found: _Table = data.table("recall_remarks.toml", _Table)
    return found


@cache
def _listed(name: str) -> frozenset[str]:
    """The words of one list of the table, by its name there."""
    return frozenset(str(getattr(_table(), name)).split())


def remarks(said: Sentences, stated: Sequence[Statement], other: str | None = None) -> tuple[Statement, ...]:
    """What ``said`` tells of the person beside what is ``stated``, that no rule reads."""
    if len(said.text) > _MOST_CHARACTERS:
        return ()
    spoken = [word.removesuffix("'s") for word in words(said.text)]
    if said.text.rstrip().endswith("?") or not 2 < len(spoken) <= _table().most_words:
        return ()
    if any(one.subject != "user" or one.kind not in _SAYS_NOTHING for one in stated):
        return ()
    about = _about(spoken)
    speaks = any(is_speaker(word.split("'")[0]) for word in spoken)
    told = about and _told_of(spoken, other) == "user" and _listed("moment").isdisjoint(spoken)
    if not told or only_was(spoken) or not (speaks or len({*about}) > 1):
        return ()
    return (Statement("strategy", " ".join(about), attribute=REMARK, words=said.text),)


def of_health(said: str) -> bool:
    """Whether words of the body, of sport, or of those who treat somebody are among what is ``said``."""
    spoken = words(said)
    return not _listed("health").isdisjoint(spoken) or not _HEALTH.isdisjoint(known_words().groups_of(spoken))


def only_was(spoken: Sequence[str]) -> bool:
    """Whether a message only tells of something that was, and of nothing that lasts ("I had a lie-in")."""
    lasts = not _listed("lasting").isdisjoint(known_words().groups_of(spoken))
    return not lasts and not _listed("was").isdisjoint(spoken)


def _about(spoken: Sequence[str]) -> Sequence[str]:
    """The words that say what a remark is about."""
    known = known_words()
    return [
        word
        for word in spoken
        if word in _listed("words") or not _listed("groups").isdisjoint(known.of(word))
    ]


def _told_of(spoken: Sequence[str], other: str | None) -> str:
    """Whom a message tells of: the first that it names, unless only what they say is told; else the person."""
    for at, word in enumerate(spoken):
        if (
            is_relation(word)
            and not (at == 0 and word in _ADDRESSED)
            and not _listed("says").intersection(spoken[at + 1 : at + 3])
        ):
            return relation(word)
        if is_speaker(word.split("'")[0]) and not any(map(is_relation, spoken[at + 1 : at + 3])):
            return "user"
    return other if other is not None and not _listed("alone").isdisjoint(spoken) else "user"
