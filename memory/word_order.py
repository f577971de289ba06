"""A question in the order of words that most people put it in.

Who learned a language late, or grew up with another kind of it, asks *My brother, where he is?*, *This is which
place?*, *Where they have put me*, *A who dis?*. Here such a sentence becomes *where is my brother*, *which place is
this*, *where have they put me*, *who this*, so that the patterns and what was learned need to know one order only.
What is in the common order already stays as it is.
"""

from collections.abc import Sequence
from itertools import compress
from typing import Final, NamedTuple

from memory.text import Remembered
from memory.vocabulary import OBJECTS, PERSON, base, names, phrases, word_set

_WH: Final = frozenset(("where", "who", "what", "which", "when", "how", "why"))
_BE: Final = frozenset(("am", "is", "are", "was", "were"))
_HELPING: Final = _BE | {"has", "have", "will", "can", "should", "must", "could", "shall", "would"}
_I_OR_THEY: Final = frozenset(("i", "you", "he", "she", "it", "we", "they", "this", "that", "there"))
_HE_OR_SHE: Final = frozenset(("he", "she", "him", "her"))
_TAKES_UP: Final = _HE_OR_SHE | {"it", "they", "them"}
_NEAR: Final = frozenset(("i", "me", "my", "we", "us", "our", "you", "your", "it", "this", "that", "am"))
_OWNING: Final = frozenset(
    ("my", "our", "the", "this", "that", "your", "mi", "me", "these", "those", "and", "of")
)
_BEFORE_PLACE: Final = frozenset(("in", "at", "on", "to", "by"))
_AS_SPOKEN: Final = frozenset(
    ("wha", "weh", "wey", "deh", "dey", "ma", "mi", "ken", "ah", "si", "da", "mine")
)
_LONGEST: Final = 12  # words of a question that is put in order
_MOST_SUBJECT: Final = 4  # words


class Ordered(NamedTuple):
    """The words in order, and what of them is a name that no table knows."""

    words: list[str]
    name: str = ""


def spoken(found: list[str]) -> list[str]:
    """Words that stand for one or another plain word, by those beside them: *ma purse* is mine, *my ma* is not."""
    if _AS_SPOKEN.isdisjoint(found):
        return found
    out = list(found)
    for at in compress(range(len(found)), map(_AS_SPOKEN.__contains__, found)):
        before = found[at - 1] if at else ""
        after = found[at + 1] if at + 1 < len(found) else ""
        out[at] = _plain(found[at], before, after)
    return out


def _plain(word: str, before: str, after: str) -> str:
    match word:
        case "wha":
            return "who" if after in _BE or after == "'s" else "what"
        case "weh" | "wey" if after and before in ("", "a", "nurse"):
            return "where"
        case "deh" | "dey" if not after or after in _WH:
            return "is"
        case "dey":
            return "they"
        case "ma" if (
            after and before not in _OWNING and after not in word_set("asking") and kind_of(after) != "P"
        ):
            return "my"
        case "mi" if after in _HELPING or after in (
            "not",
            "want",
            "need",
            "find",
            "lose",
            "lost",
            "deh",
            "feel",
            "look",
            "go",
            "do",
            "see",
        ):
            return "i"
        case "da" if before in _OWNING or before in ("is", "will", "has"):
            return "dad"
        case "mine" if kind_of(after) not in ("", "v"):
            return "my"
        case "ken" if before in ("not", "i", "you", "we", "they"):
            return "know"
        case "si" if before in ("not", "nuh"):
            return "see"
        case "ah" if after in _HELPING or after in ("want", "need", "do", "did", "feel", "think"):
            return "i"
        case _:
            return word


def may_be_taken_up(head: Sequence[str]) -> bool:
    """Whether words before a comma name or address somebody or something, and do no more."""
    if not head or len(head) > _MOST_SUBJECT:
        return False
    return (len(head) == 1 and head[0] in word_set("addressed")) or _names_something(head)


def taken_up(head: Sequence[str], rest: Sequence[str]) -> Ordered | None:
    """``head``, what stands before a comma, put where the words after it take it up: *my bag, where it is*, or leave
    it unsaid: *dinner, what time*; None if they do neither. Who is only addressed (*Nurse, am I late?*) is left out.
    """
    if not rest:
        return None
    calls = len(head) == 1 and head[0] in word_set("addressed")
    if calls and not speaks_of_somebody(rest) and not _NEAR.isdisjoint(rest):
        return Ordered(list(rest))
    return _unsaid(head, rest) or _said_again(head, rest)


def _unsaid(head: Sequence[str], rest: Sequence[str]) -> Ordered | None:
    said = _NEAR | _TAKES_UP
    if rest[0] in _WH and len(rest) <= _MOST_SUBJECT and rest[-1] in _BE and said.isdisjoint(rest):
        return Ordered([*rest, *head])
    if rest[0] in _WH and rest[1:] in ([], ["now"], ["time"]):
        return Ordered([*rest, "is", *head])
    return None


def _said_again(head: Sequence[str], rest: Sequence[str]) -> Ordered | None:
    kind = kind_of(head[-1])
    somebody = kind == PERSON or (not kind and len(head) == 1)
    for at, word in enumerate(rest):
        if word not in _TAKES_UP or (word == "it" and somebody):
            continue
        if word not in _HE_OR_SHE or kind in ("", PERSON):
            name = head[0] if somebody and not kind and word in _HE_OR_SHE else ""
            return Ordered([*rest[:at], *head, *rest[at + 1 :]], name)
    return None


def addressed(tail: str) -> bool:
    """Whether what stands after the last comma may only address somebody: *Is it night, daughter?*."""
    return tail.strip(" ?!.").lower() in word_set("addressed")


def speaks_of_somebody(found: Sequence[str]) -> bool:
    """Whether *he* or *she* is among the words."""
    return not _HE_OR_SHE.isdisjoint(found)


def in_order(raw: list[str], asked: bool) -> list[str]:
    """``raw``, one sentence in opened words, as a question in the common order, if it is one."""
    if len(raw) < 2 or len(raw) > _LONGEST:
        return raw
    raw = _once(raw)
    if _WH.isdisjoint(raw):
        return raw
    if raw[:2] == ["for", "what"] and len(raw) > 2:
        raw = ["why", *raw[2:]]
    at = next(compress(range(len(raw)), map(_WH.__contains__, raw)))
    if at and raw[at - 1] in ("a", "is", "na") and at == 1:
        raw, at = raw[1:], 0
    fronted = at > 0 and _asked_at_the_end(raw, at)
    if fronted:
        raw = [*raw[at : _end(raw, at)], *_without_now(raw[:at])]
    elif at == 1 and raw[0] in _BEFORE_PLACE:
        raw = raw[1:]
    elif at:
        return raw
    raw = _question_words(raw)
    return _inverted(raw) if fronted or asked or (len(raw) <= 6 and raw[0] != "when") else raw


def _once(raw: list[str]) -> list[str]:
    """Without a subject said twice: *my brother he is coming* is *my brother is coming*."""
    for at in range(1, min(len(raw) - 1, _MOST_SUBJECT)):
        if raw[at] in ("he", "she", "it", "they") and _names_something(raw[:at]) and kind_of(raw[at - 1]):
            return [*raw[:at], *raw[at + 1 :]]
    return raw


def _asked_at_the_end(raw: Sequence[str], at: int) -> bool:
    if raw[0] in word_set("asking") or raw[at - 1] in word_set("leads_to"):
        return False
    return all(word in word_set("trailing") for word in raw[_end(raw, at) :])


def _end(raw: Sequence[str], at: int) -> int:
    """Where what is asked for ends: after *where*, or after the noun of *which place*."""
    noun = (
        raw[at] in ("which", "what", "how") and at + 1 < len(raw) and raw[at + 1] not in word_set("trailing")
    )
    return at + 2 if noun else at + 1


def _without_now(raw: Sequence[str]) -> Sequence[str]:
    return raw[1:] if len(raw) > 1 and raw[0] in ("now", "and", "then", "so") and raw[1] not in _BE else raw


def _question_words(raw: list[str]) -> list[str]:
    """*Where* for *which place*, *what time* for *which hour*."""
    match raw:
        case ["which" | "what", "place" | "side", after, *_] if (
            after not in _BE and after in _I_OR_THEY | _OWNING
        ):
            return ["where", *raw[2:]]
        case ["which" | "what", "hour" | "o'clock" | "clock", *_] | ["which", "time", *_]:
            return ["what", "time", *raw[2:]]
        case _:
            return raw


def _inverted(raw: list[str]) -> list[str]:
    """With the verb before the subject: *where he is* is *where is he*."""
    start = (
        2 if raw[0] in ("which", "what", "how") and len(raw) > 1 and raw[1] not in _I_OR_THEY | _OWNING else 1
    )
    for at in range(start + 1, min(len(raw), start + _MOST_SUBJECT)):
        if raw[at] not in _HELPING:
            continue
        subject = raw[start:at]
        have_to = raw[at] in ("have", "has") and raw[at + 1 : at + 2] == ["to"]
        if have_to or not ((subject[0] in _I_OR_THEY and at == start + 1) or _names_something(subject)):
            return raw
        return [*raw[:start], raw[at], *subject, *raw[at + 1 :]]
    return raw


def _names_something(found: Sequence[str]) -> bool:
    """Whether words are a thing or a person and no more: *my brother Yusuf*, *door*, *the hour*."""
    if any(word in word_set("stop_words") and word not in _OWNING for word in found):
        return False
    last = found[-1]
    if last in _OWNING or last in word_set("fillers") or last in word_set("noises"):
        return False
    return kind_of(last) != "v" and (bool(kind_of(last)) or found[0] in _OWNING or len(found) == 1)


def is_person(word: str) -> bool:
    """Whether ``word`` by itself names a person."""
    return kind_of(word) == PERSON


def unknown(word: str) -> str:
    """``word`` if no table knows it: written large before what is asked of it, it is a name."""
    plain = kind_of(word) or word in word_set("stop_words") | word_set("fillers") | word_set("noises")
    return "" if plain else word


def kind_of(word: str) -> str:
    """The letter of what ``word`` names by itself, a person or a kind of thing; *v* of another word of the tables."""
    return _KINDS[word]


def _kind(word: str) -> str:
    if word in names().known:
        return PERSON
    for phrase, token in phrases().get(base(word), ()):
        if len(phrase) == 1:
            return token.kind if token.kind in OBJECTS or token.kind == PERSON else "v"
    return ""


_KINDS: Final = Remembered(_kind)
