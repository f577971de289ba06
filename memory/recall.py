"""Tier 2 of the coach: earlier messages that state something the current one needs to know.

Not the same words bring a message back but what it states: a request about food needs allergies and diets,
one about sport injuries and limits. Statements are read once, when they are said; a recall only compares
topics. What was superseded, and what is true of somebody else, stays away. A message that touches nothing
important brings back nothing: there are no random old messages (the coach's memory design, scenario 4;
decision D12).
"""

import re
from collections.abc import Sequence
from typing import Final

from memory.recall_index import Reach, Recalled, Remembered
from memory.recall_kept import Stated
from memory.recall_told import OVERHEARD, overheard, turns
from memory.recall_topics import Needs, default_needs
from memory.statements import (
    Sentences,
    Statement,
    last_mentioned,
    own_sentences,
    read_statements,
    read_widely,
)

__all__ = [
    "OVERHEARD",
    "Needs",
    "Reach",
    "Recalled",
    "Remembered",
    "Stated",
    "default_needs",
    "recall",
    "recall_batch",
    "stated",
    "stated_by",
    "suggested",
]

WORKING = 10
"""Messages of tier 1, always in the context and so never recalled (the coach's memory design)."""
SHORT: Final = 200
"""Characters of a message whose sentences are read together when none of them states anything by itself."""
_END: Final = re.compile(r"[.?!]+\s+(?=\S)")
_OPENING: Final = re.compile(
    r"^\W*(?:did i (?:mention|say|tell you(?: about)?)|have i (?:mentioned|told you(?: about)?))\b",
    re.IGNORECASE,
)


def recall(
    query: str, earlier: Sequence[Stated], limit: int = 3, needs: Needs | None = None
) -> tuple[Recalled, ...]:
    """The messages of ``earlier`` that ``query`` needs, best first, at most ``limit``; usually none.

    ``earlier`` holds the person's messages in any order; those that state nothing may be left out. For more
    than one recall over a growing history keep a ``Remembered``.
    """
    return Remembered(earlier, needs).recall(query, limit)


def stated(
    message_id: str, position: int, text: str, asked: str | None = None, other: str | None = None
) -> Stated | None:
    """What a message of the person states, read for recall: also what only its words' company suggests.

    ``asked`` is what the companion said just before, ``other`` whom the person mentioned last. ``None``
    when the message states nothing.
    """
    said = own_sentences(text)
    sure = read_statements(said, asked, other)
    read = (*sure, *suggested(said, sure, other))
    every = (*read, *overheard(text, read))
    return Stated(message_id, position, every, text) if every else None


def suggested(said: Sentences, sure: Sequence[Statement], other: str | None = None) -> tuple[Statement, ...]:
    """What only the company of its words suggests, of kinds that are not among what is ``sure``: for recall alone."""
    kinds = {one.kind for one in sure}
    read = read_widely(said, other)
    if not kinds and all(map(turns, read)) and len(said.text) <= SHORT and _END.search(said.text):
        again = read_widely(_END.sub(", ", _OPENING.sub("", said.text)), other)  # "Prawns? My lips blow up."
        read = (*read, *(one for one in again if not turns(one)))
    return tuple(one for one in read if turns(one) or one.kind not in kinds)


def stated_by(messages: Sequence[tuple[str, str, str]]) -> list[Stated]:
    """What the person states in ``messages`` (id, role, text; oldest first), without those that state
    nothing.
    """
    found: list[Stated] = []
    asked: str | None = None
    other: str | None = None
    for position, (message_id, role, text) in enumerate(messages):
        if role != "user":
            asked = text
            continue
        if one := stated(message_id, position, text, asked, other):
            found.append(one)
        asked, other = None, last_mentioned(text, other)
    return found


def recall_batch(messages: Sequence[tuple[str, str, str]], query: str, limit: int = 3) -> list[str]:
    """What tier 2 adds for ``query`` beyond the last ten of ``messages`` (id, role, text; oldest first)."""
    remembered = Remembered(stated_by(messages))
    return [one.message_id for one in remembered.recall(query, limit, before=len(messages) - WORKING)]
