"""What words stand for: base forms, concepts, names, and the words that mean nothing for the matter.

All of it comes from the tables `questions.toml` and `synonyms.toml`; entries are brought to their base
form when they are read, so that a line added there covers every inflection.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain, islice, pairwise
from typing import Final

import msgspec

from memory.data import table
from memory.expressions import Expression
from memory.text import Remembered, folded

PERSON: Final = "P"
OWNER: Final = "p"
PRONOUN: Final = "o"
FUNCTION: Final = "f"
OTHER: Final = "n"
KINDS: Final[Mapping[str, str]] = {
    "person": PERSON,
    "animal": "A",
    "thing": "T",
    "place": "L",
    "meal": "M",
    "body": "B",
    "event": "E",
    "act": "v",
}
OBJECTS: Final = frozenset("ATLMBE")
THING: Final = "T"
POSSESSIONS: Final = frozenset("ATB")

_WORD = Expression(r"[^\W_]+(?:['-][^\W_]+)*|'s\b")
_ENDINGS: Final = {"n't": "not", "'re": "are", "'ll": "will", "'ve": "have", "'m": "am", "'d": "would"}


class WordLists(msgspec.Struct, frozen=True):
    """The word lists of the table of questions; each is one text, its words between white space."""

    stop_words: str
    fillers: str
    openings: list[str]
    manners: str
    base_forms: str
    spellings: str
    past_words: str
    noises: str
    asking: str
    addressed: str
    trailing: str
    leads_to: str
    pronouns: str
    doubting: str
    before_places: str
    before_past: str
    never_past: str
    determiners: str
    abstract: str
    opposites: list[str]
    is_after: str
    is_before: str
    future_words: str


class Token(msgspec.Struct, frozen=True):
    """A word by its concept; ``kind`` is one letter of :data:`KINDS` or one of the constants above."""

    concept: str
    kind: str


class Names(msgspec.Struct, frozen=True):
    """First names; ``in_capitals`` are plain words too, ``not_names`` are written large all the same."""

    known: frozenset[str]
    in_capitals: frozenset[str]
    not_names: frozenset[str]


Phrases = Mapping[str, Sequence[tuple[tuple[str, ...], Token]]]


@cache
def lists() -> WordLists:
    """The word lists, read once."""
    found: WordLists = table("questions.toml", WordLists)
    return found


@cache
def word_set(name: str) -> frozenset[str]:
    """The words of one list of the table of questions, by its name there."""
    return frozenset(str(getattr(lists(), name)).split())


@cache
def opposites() -> Sequence[tuple[str, str]]:
    """Pairs of concepts that tell otherwise like messages apart."""
    return [(one, other) for one, _, other in (pair.partition("/") for pair in lists().opposites)]


@cache
def manners() -> frozenset[str]:
    """What is said out of politeness and never counts as asking."""
    return frozenset(" ".join(part.split()) for part in lists().manners.split("|"))


@cache
def _base_forms() -> dict[str, str]:
    pairs = (line.split(":") for line in lists().base_forms.strip().splitlines())
    return {form: name for name, forms in pairs for form in [name, *forms.split()]}


@cache
def _whole() -> Mapping[str, tuple[str, ...]]:
    """The plain words that a contraction, or a word spelt as it is spoken somewhere, stands for."""
    pairs = (line.split(":") for line in lists().spellings.strip().splitlines())
    return {form: tuple(plain.split()) for plain, forms in pairs for form in forms.split()}


def base(word: str) -> str:
    """``word`` without its inflection: a rough stem, the same for every form of a word."""
    return _BASES[word]


def bases(found: Sequence[str]) -> list[str]:
    """The `base` of each word."""
    return [*map(_BASES.__getitem__, found)]


def _base(word: str) -> str:
    if (known := _base_forms().get(word)) is not None:
        return known
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-2] if word.endswith(("sses", "shes", "ches", "xes")) else word[:-1]
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 2 and word.endswith(ending):
            word = word[: -len(ending)]
            if word + "e" in _base_forms():
                return word + "e"
            return word[:-1] if word[-1] == word[-2] and word[-1] not in "ls" else word.removesuffix("e")
    return word.removesuffix("e") if len(word) > 4 else word


@cache
def phrases() -> Phrases:
    """The synonyms by the first base form of each, longest first."""
    kinds = table("synonyms.toml", dict[str, dict[str, str | list[str]]])
    found: dict[str, list[tuple[tuple[str, ...], Token]]] = {}
    for kind, letter in KINDS.items():
        for concept, variants in kinds[kind].items():
            for variant in {concept.replace("_", " "), *variants}:
                stems = tuple(base(word) for word in opened(folded(variant)))
                found.setdefault(stems[0], []).append((stems, Token(concept, letter)))
    for group in found.values():
        group.sort(key=lambda phrase: -len(phrase[0]))
    return found


@cache
def known_objects() -> frozenset[Token]:
    """The things, animals, places, meals, parts of the body and events of the table of synonyms."""
    every = chain.from_iterable(phrases().values())
    return frozenset(token for _, token in every if token.kind in OBJECTS)


@cache
def openings() -> Mapping[str, Mapping[str, Sequence[list[str]]]]:
    """The phrases around the matter, in opened words, by their first word and their second, longest first; those of
    a single word have none.
    """
    found: dict[str, dict[str, list[list[str]]]] = {}
    for phrase in lists().openings:
        first, *rest = parts = opened(folded(phrase))
        found.setdefault(first, {}).setdefault(rest[0] if rest else "", []).append(parts)
    for seconds in found.values():
        for group in seconds.values():
            group.sort(key=len, reverse=True)
    return found


@cache
def names() -> Names:
    """The table of first names."""
    raw = table("synonyms.toml", dict[str, dict[str, str | list[str]]])["names"]
    kinds = {key: frozenset(str(value).split()) for key, value in raw.items()}
    return Names(kinds["known"] - kinds["in_capitals"], kinds["in_capitals"], kinds["not_names"])


def opened(text: str) -> list[str]:
    """The words of folded ``text`` with contractions opened: ``where's`` gives ``where``, ``is``."""
    return opened_runs(text.split(" "))


def opened_runs(among: Sequence[str]) -> list[str]:
    """The same of folded text of which ``among`` stands between the spaces."""
    parts = [*map(_OPENED.__getitem__, among)]
    for at in [at for at, run in enumerate(among) if "'s" in run]:
        verb, owner = _OWNERS[among[at]]
        if verb != owner:
            after = next((first for run in islice(among, at + 1, None) if (first := _FIRSTS[run])), "")
            parts[at] = verb if _needs_verb(after) else owner
        else:
            parts[at] = verb
    return [*chain.from_iterable(parts)]


def _first(run: str) -> str:
    return next(iter(_words(run)), "")


def _owners(run: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a run is opened to, in which a word ends in *'s*: where *is* may follow its last word, and where what the
    word owns does.
    """
    found = _words(run)
    lead = [
        part for word, after in pairwise(found) for part in _open(word) or _owned(word, _needs_verb(after))
    ]
    last = (
        [_open(found[-1]) or _owned(found[-1], follows) for follows in (True, False)] if found else [(), ()]
    )
    return (*lead, *last[0]), (*lead, *last[1])


def _needs_verb(following: str) -> bool:
    return not following or following in word_set("is_before") or following.endswith("ing")


def _owned(word: str, verb: bool) -> tuple[str, str]:
    """A word that ends in *'s*, which is *is* or says whose what follows is."""
    owner = word[:-2]
    if len(whole := _whole().get(owner, ())) == 1:
        owner = whole[0]
    return owner, "is" if verb or owner in word_set("is_after") else "'s"


def _open(word: str) -> tuple[str, ...]:
    """What ``word`` is opened to; nothing where the word after it says."""
    if (whole := _whole().get(word)) is not None:
        return whole
    if "'" not in word:
        return tuple(word.split("-"))
    if word.endswith("'s") and len(word) > len("'s"):
        return ()
    for ending, meaning in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return word[: -len(ending)], meaning
    return (word,)


def _words(run: str) -> list[str]:
    return _WORD.findall(run)


def _opened(run: str) -> tuple[str, ...]:
    return tuple(chain.from_iterable(map(_open, _words(run))))


_BASES: Final = Remembered(_base)
_OPENED: Final = Remembered(_opened)
"""The runs met so far; of one with a word that ends in *'s* without that word."""
_OWNERS: Final = Remembered(_owners)
_FIRSTS: Final = Remembered(_first)
