"""What full-text search makes of a message and of a question: the same words in both, brought to one form.

A message becomes the words it is found by, stop words left out, irregular forms and near twins replaced by
one of them (went, gone → go). Chinese, Japanese and Korean, written without spaces, become overlapping pairs;
long compound words are also found by their parts. A question becomes the words to look for, joined by OR,
and, counting less, the members of a kind that it names (instrument → guitar …).
"""

import re
from functools import cache
from itertools import islice

import msgspec

from memory.data import table
from memory.text import folded, sentences

LONG_WORD = 10
LONGEST_WORD = 64
"""Letters: what is longer (an address, a key, a picture as text) is no compound. Its ends would weigh its square."""
SHORTEST_PART = 4
MOST_LONG_WORDS = 1_000
MOST_TERMS = 60

_SELF = frozenset({"i", "my", "me", "mine", "myself", "we", "our", "us", "ours"})
_OTHER = frozenset({"you", "your", "yours", "yourself"})
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    words: str


class _Groups(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    words: list[str]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    stop: dict[str, str]
    same: _Groups
    kind: dict[str, str]
    when: _Words


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What to look for.

    ``terms`` are whole words, ``pieces`` beginnings of words (one Chinese character), ``parts`` what may
    stand inside a compound word, ``kinds`` words that count less, ``speakers`` the speakers it names, folded.
    ``about_time`` says that it asks when.
    """

    terms: tuple[str, ...]
    pieces: tuple[str, ...]
    parts: tuple[str, ...]
    kinds: tuple[str, ...]
    speakers: frozenset[str]
    about_time: bool


class Telling(msgspec.Struct, frozen=True, kw_only=True):
    """What a message says, beside its words.

    ``of_self`` and ``of_other``: it speaks of who says it, of who hears it (English). ``timed``: it places
    something in time. ``asking``: the part of its sentences that are questions, 0 to 1.
    """

    of_self: bool
    of_other: bool
    timed: bool
    asking: float


@cache
def _token() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:'[^\W_{_CJK}]+)*")


@cache
def _stop(language: str) -> frozenset[str]:
    return frozenset(_table().stop[language].split())


@cache
def _same() -> dict[str, str]:
    return {form: first for line in _table().same.words for first, *forms in [line.split()] for form in forms}


@cache
def _kinds() -> dict[str, tuple[str, ...]]:
    return {kind: tuple(members.split()) for kind, members in _table().kind.items()}


@cache
def _times() -> frozenset[str]:
    return frozenset(_table().when.words.split())


def _table() -> _Table:
    found: _Table = table("search.toml", _Table)
    return found


def _one_form(word: str) -> str:
    return _same().get(word, word)


def _plain(word: str) -> str:
    """The word without what an apostrophe adds (Anna's, l'eau keep what carries the meaning)."""
    if "'" not in word:
        return word
    head, _, tail = word.rpartition("'")
    return tail if len(tail) > 2 and len(head) <= 2 else head.replace("'", "")


def telling(text: str) -> Telling:
    """What kind of thing a message says, by its words alone."""
    said = set(_plain_words().findall(text.lower()))
    found = sentences(text)
    asks = sum(sentence.endswith(("?", "？")) for sentence in found)
    return Telling(
        of_self=not _SELF.isdisjoint(said),
        of_other=not _OTHER.isdisjoint(said),
        timed=not _times().isdisjoint(said),
        asking=asks / max(1, len(found)),
    )


@cache
def _plain_words() -> re.Pattern[str]:
    return re.compile(r"[^\W_]+")


def indexed(text: str) -> str:
    """The words by which a message is found, in order, separated by spaces."""
    return " ".join(_words_of(text, _stop("en")))


def _words_of(text: str, stop: frozenset[str]) -> list[str]:
    found: list[str] = []
    for token in _token().findall(folded(text)):
        if _is_cjk(token):
            found += _pairs(token)
        elif (token not in stop and (word := _plain(token)) not in stop and len(word) > 1) or token.isdigit():
            found.append(_one_form(_plain(token)))
    return found


def _is_cjk(token: str) -> bool:
    return "\u3040" <= token[0] <= "\u9fff" or "\uac00" <= token[0] <= "\ud7af"


def _pairs(run: str) -> list[str]:
    """Overlapping pairs, and the last character, so that each character begins a word."""
    return [run[place : place + 2] for place in range(len(run))]


def parts_of(text: str) -> str:
    """The ends of long words, by whose beginnings their parts are found, separated by spaces.

    Of words up to 64 letters, and of the first 1,000 of them: a message makes at most 2 MB of ends.
    """
    long = dict.fromkeys(
        token
        for token in _token().findall(folded(text))
        if LONG_WORD <= len(token) <= LONGEST_WORD and "'" not in token and not _is_cjk(token)
    )
    return " ".join(
        word[at:] for word in islice(long, MOST_LONG_WORDS) for at in range(len(word) - SHORTEST_PART + 1)
    )


def asked(query: str, speakers: frozenset[str] = frozenset()) -> Question:
    """What a question looks for. ``speakers`` are the folded names of those who may have spoken.

    A speaker it names is no word to look for: who spoke is weighed, not matched.
    """
    tokens = _token().findall(folded(query))
    named = frozenset(name for name in speakers if name and _names(tokens, name))
    parts_of_names = {part for name in named for part in name.split()}
    stop = _stop("en") | _language_stop(tokens)
    plain = [token for token in tokens if _plain(token) not in parts_of_names]
    kept = [word for token in plain for word in _words_of(token, stop)]
    terms = tuple(dict.fromkeys(kept))[:MOST_TERMS]
    whole = tuple(word for word in terms if not (_is_cjk(word) and _single(word, tokens)))
    return Question(
        terms=whole,
        pieces=tuple(word for word in terms if word not in whole),
        parts=tuple(
            dict.fromkeys(
                token
                for token in plain
                if len(token) >= SHORTEST_PART and token not in stop and "'" not in token
            )
        )[:MOST_TERMS],
        kinds=_members(terms),
        speakers=named,
        about_time="when" in tokens or ("how" in tokens and "long" in tokens),
    )


def _names(tokens: list[str], name: str) -> bool:
    first = name.split()[0]
    return any(_plain(token) == first for token in tokens)


def _language_stop(tokens: list[str]) -> frozenset[str]:
    """The stop words of the language that most of the words belong to, when it is not English."""
    hits = {language: sum(token in _stop(language) for token in tokens) for language in _table().stop}
    best = max(hits, key=lambda language: hits[language])
    return _stop(best) if best != "en" and hits[best] > hits["en"] else frozenset()


def _single(word: str, tokens: list[str]) -> bool:
    """A single character is a piece only where it stands alone; as the end of a run it is in a pair."""
    return len(word) == 1 and word in tokens


def _members(terms: tuple[str, ...]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for term in terms:
        singular = term.removesuffix("s")
        for kind in (term, singular, term.removesuffix("ies") + "y"):
            found |= dict.fromkeys(_one_form(member) for member in _kinds().get(kind, ()))
    return tuple(word for word in found if word not in terms)[:MOST_TERMS]
