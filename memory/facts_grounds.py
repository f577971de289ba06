"""Whether what a model proposes is really said: held against the person's words, and what was read in them.

A model may invent, take another's allergy for the person's own, follow an order that stands in a text, or want
everything forgotten. Nothing of that is in the person's words as it claims, and so nothing of it is kept.
"""

import re
from collections.abc import Sequence

from memory.statements import takes_back
from memory.statements_ends import core, same, touches
from memory.statements_kinds import Statement
from memory.text import folded

MOST_VALUE = 200  # characters of a value
_ATTRIBUTE = re.compile(r"[^\W\d_][\w ]{0,39}")
_LINK = re.compile(r"https?://|www\.|<[a-z/!]|[\x00-\x1f]", re.IGNORECASE)


def checked(
    proposed: Statement, cited: Sequence[str], said: Sequence[str], read: Sequence[Statement]
) -> Statement | None:
    """What remains of ``proposed``: None, or the statement, said of whom the person said it.

    ``cited`` are the person's messages it rests on, ``said`` all of theirs in the batch, ``read`` what code read in
    the cited ones.
    """
    if not _well_formed(proposed):
        return None
    words = frozenset[str]().union(*map(core, cited))
    value = core(proposed.value)
    if not value or not value <= words:
        return None
    if proposed.negated and not _denied(proposed, cited, read):
        return None
    return _of_whom(proposed, said, read)


def _well_formed(proposed: Statement) -> bool:
    fits = 0 < len(proposed.value.strip()) <= MOST_VALUE and len(proposed.subject) <= MOST_VALUE
    named = _ATTRIBUTE.fullmatch(proposed.attribute) is not None
    return fits and named and _LINK.search(f"{proposed.subject} {proposed.value}") is None


def _denied(proposed: Statement, cited: Sequence[str], read: Sequence[Statement]) -> bool:
    """Whether the person denies it themselves: a model's word alone ends nothing."""
    named = any(each.negated and touches(each.value, proposed.value) for each in read)
    return named or any(takes_back(text) for text in cited)


def _of_whom(proposed: Statement, said: Sequence[str], read: Sequence[Statement]) -> Statement | None:
    """Of whom it was said, where that was read; else whom the model names, if the person did."""
    for each in read:
        if same(each.value, proposed.value) and not each.negated:
            return _about(proposed, each.subject)
    if proposed.subject.lower() == "user":
        return _about(proposed, "user")
    named = folded(proposed.subject)
    spoken = any(re.search(rf"(?<!\w){re.escape(named)}(?!\w)", folded(text)) for text in said)
    return proposed if named and spoken else None


def _about(proposed: Statement, subject: str) -> Statement:
    return Statement(
        kind=proposed.kind,
        value=proposed.value.strip(),
        subject=subject,
        negated=proposed.negated,
        tense=proposed.tense,
        attribute=proposed.attribute,
        words=proposed.words,
    )
