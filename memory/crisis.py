"""Does this message speak of danger: to oneself, to others, from others, or to life and limb?

Not a word list. A message is put into plain words (``crisis_words``), phrases of subject, act and object are
looked for (``crisis_grammar``), and what is denied, told or joked is set aside (``crisis_guards``); what was learned
from examples finds more and sets aside some (``crisis_learned``). Phrases, synonyms and guards are tables,
``memory/data/crisis_*.toml``. It misses people: ``docs/measures.md`` says how
many. It is neither a medical device nor an emergency service.
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Final

from msgspec import Struct, structs

from memory.crisis_reader import LANGUAGES, ORDER, OTHERS, Sign, reader
from memory.crisis_runs import marks, signs
from memory.crisis_table import CrisisCategory

__all__ = ["Crisis", "CrisisCategory", "read_crisis", "warm"]

_LOOKED_BACK: Final = 2
_SHORT: Final = 200  # characters of messages that may be one sentence
_ENDS: Final = ".!?…;:)"


class Crisis(Struct, frozen=True):
    """What a message was read as; ``severity`` is 3 for a plan or a life in danger now, 1 for unclear signs.

    ``words`` are the very words of the message that it rests on.
    """

    category: CrisisCategory
    severity: int
    words: str


def warm() -> None:
    """Read the tables now, so that the first message does not wait for them."""
    for name in LANGUAGES:
        reader(name).warm()
    for name in OTHERS:
        marks(name)


def read_crisis(text: str, recent: Sequence[str] = ()) -> Crisis | None:
    """The gravest danger ``text`` speaks of, or None.

    ``recent`` are the person's previous messages, oldest first; the last two count together with ``text``
    where each has a sign, but what only they said was theirs to raise. Time is linear in the length.
    """
    before = recent[-_LOOKED_BACK:]
    own = [*signs(text), *_across(before[-1], text)] if before else signs(text)
    if not own:
        return None
    raised = [Crisis(sign.category, sign.severity, sign.words) for sign in own if sign.severity]
    tagged = [sign for sign in own if sign.tag]
    if tagged:
        tags = {sign.tag for sign in chain(own, *map(signs, before))}
        raised = [*chain.from_iterable(_together(sign, tags) for sign in tagged), *raised]
    return max(raised, key=_gravity, default=None)


def _across(before: str, text: str) -> Iterator[Sign]:
    """The signs of danger in what was begun in one message and ended in the next: "I want to", "die".

    Only in short messages of which the first has no end. The words are those of the second.
    """
    begun = before.rstrip()
    if not begun or begun[-1] in _ENDS or len(begun) + len(text) > _SHORT:
        return
    joined = f"{begun} {text}"
    for sign in signs(joined):
        start = joined.find(sign.words)
        end = start + len(sign.words)
        if start < len(begun) < end - 1:
            yield structs.replace(sign, words=joined[len(begun) + 1 : end].strip())


def _together(sign: Sign, tags: AbstractSet[str]) -> Iterable[Crisis]:
    """What ``sign`` amounts to beside those of ``tags``: pills in the house and no wish to wake up."""
    for pair in reader("en").pairs:
        first, second = pair.tags
        if (sign.tag == first and second in tags) or (sign.tag == second and first in tags):
            yield Crisis(pair.category, pair.severity, sign.words)


def _gravity(crisis: Crisis) -> tuple[int, int, int]:
    return crisis.severity, -ORDER.index(crisis.category), len(crisis.words)
