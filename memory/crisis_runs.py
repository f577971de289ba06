"""The signs of danger in a message, read by what stands between two of its spaces.

A message is mostly words that came before, so reading one is looking these up: each gives its letters in English and,
as marks that no letter is, what else has to be known of the whole message. Joined they are one string, in which such
a mark is found at once.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Final

from memory.crisis_message import TOKENS, Message, Written
from memory.crisis_reader import ALWAYS, LANGUAGES, OTHERS, Sign, reader
from memory.crisis_words import between_spaces, lone, lowered, plain, tokens
from memory.expressions import Expression
from memory.text import Remembered

_LANGUAGE_MARKS: Final = {"de": "d", "es": "e"}  # after a word of that language
_LONE: Final = "12-"  # what `lone` says of a run that may be part of a word written letter by letter
_NOTHING: Final = "0"  # of what has no letters and is no such part
_NOTES = Expression("[ -~]+")
_ALL_MARKS: Final = frozenset(_LANGUAGE_MARKS.values())
_FIRST = itemgetter(0)
_MARKS_ENOUGH = 3
_MARKS_FOREIGN = 2  # where no common English word stands beside them
_WORDS_A_MARK = 8
_WORDS_ENOUGH = 2 * _MARKS_ENOUGH * _WORDS_A_MARK  # so many that the most marks are asked for in any case


@cache
def marks(name: str) -> frozenset[str]:
    """The words by which a language is known: its marks, and what its phrases need and English has not."""
    own = reader(name)
    return (own.marks | own.words) - reader(ALWAYS).speller.known.keys()


def _noted(run: str) -> str:
    """The letters of a run in English, and the marks of other languages and of words written letter by letter."""
    found = TOKENS[run]
    letters = reader(ALWAYS).speller.run(found)
    words = [*map(plain, found)]
    letters += "".join(_LANGUAGE_MARKS[name] for name in OTHERS if not marks(name).isdisjoint(words))
    part = lone(run)
    return part + letters if part in _LONE else letters or _NOTHING


NOTED: Final = Remembered(_noted)


def signs(text: str) -> list[Sign]:
    """The signs of danger in ``text``: as English, and as any other language it has words of."""
    low = lowered(text)
    written = low.split(" ")
    noted = [*map(NOTED.__getitem__, written)]
    if not between_spaces(low, "".join(map(_FIRST, noted))):
        return [sign for name in _spoken(tokens(text)) for sign in reader(name).signs(text)]

    whole = Written(low, written, noted)

    def found(name: str, letters: Iterable[str]) -> list[Sign]:
        speller = reader(name).speller
        return reader(name).found(Message(text, speller, speller.joined(letters), whole))

    joined = "".join(noted)
    signs = found(ALWAYS, [_NOTES.sub("", joined)])
    seen = [name for name in OTHERS if _LANGUAGE_MARKS[name] in joined]
    if signs and seen and _has_no_english(dict(zip(written, noted, strict=True))):
        signs = []
    for name in _seem_spoken(text, dict(zip(written, noted, strict=True))) if seen else ():
        signs += found(name, map(reader(name).speller.met_runs.__getitem__, written))
    return signs


def _seem_spoken(text: str, noted: Mapping[str, str]) -> Sequence[str]:
    """The other languages that a text of these runs is read in; when they are few all words are counted."""
    count = Counter(name for name, _ in _marked(noted))
    if len(noted) > _WORDS_ENOUGH or all(number >= _MARKS_ENOUGH for number in count.values()):
        return [name for name in OTHERS if count[name] >= _MARKS_ENOUGH]
    return [name for name in _spoken(tokens(text)) if name != ALWAYS]


def _has_no_english(said: Mapping[str, str]) -> bool:
    """Whether a text of these runs is in another language, so that "die" is an article and no death."""
    others = Counter(name for name, _ in _marked(said))
    if max(others.values(), default=0) < _MARKS_FOREIGN:
        return False
    return all(reader(ALWAYS).marks.isdisjoint(map(plain, TOKENS[run])) for run in said)


def _marked(noted: Mapping[str, str]) -> set[tuple[str, str]]:
    """The different words of other languages, each with its language."""
    runs = [
        (name, run)
        for run, letters in noted.items()
        if letters[-1] in _ALL_MARKS
        for name in OTHERS
        if _LANGUAGE_MARKS[name] in letters
    ]
    return {(name, word) for name, run in runs for word in map(plain, TOKENS[run]) if word in marks(name)}


def _spoken(found: Sequence[str]) -> list[str]:
    seen = {plain(token) for token in set(found)}
    enough = min(_MARKS_ENOUGH, max(1, len(seen) // _WORDS_A_MARK))
    return [name for name in LANGUAGES if name == ALWAYS or len(seen & marks(name)) >= enough]
