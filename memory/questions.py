"""What a message asks: its class, what it is about, in which tense.

The classes (location, identity, time, activity, person, general) and the fingerprint are those of the
dementia companion's storage design, sections 4.1 and 4.2. The design names keywords for each class; here a
message is read by its grammar, sentence by sentence (`memory.phrasing`, `memory.frames`), because people
in distress seldom use the sentence of a list.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, Literal, TypeAlias

import msgspec

from memory.expressions import Expression
from memory.frames import Ask, asks
from memory.matters import BREAK, QuestionType, features, read_matters, seen
from memory.phrasing import Sentence, read_sentences
from memory.text import Remembered, joined, runs
from memory.text import sentences as sentences_of
from memory.vocabulary import FUNCTION, OBJECTS, PERSON, POSSESSIONS, Token, known_objects, word_set
from memory.word_order import kind_of

Tense: TypeAlias = Literal["past", "present", "future"]

SOMEBODY: Final = "presence"
_LONGEST = 240  # characters
_WORD = Expression(r"[^\W_]+(?:'[^\W_]+)*")
_OWNERS = frozenset(("your", "his", "her", "their"))
_QUESTION_WORDS = ("where", "who", "what", "when", "why", "how", "which")


class Question(msgspec.Struct, frozen=True):
    """A message as a question or a wish.

    ``object`` is what it is about (``home``, ``daughter``, ``lunch``, a name; empty when nothing in
    particular), ``fingerprint`` its words without stop words, sorted, and ``words`` the same as a set.
    ``content`` are its concepts; ``asks`` what it asks or says, read by grammar, and ``aspects`` the names
    of those; ``asides`` what tells it from a question of one's own: that it offers, praises, tells of long ago;
    ``matters`` the everyday matters it likely raises, by probability, ``elsewhere`` what is left for all others;
    ``persons`` and ``things`` the ones it names, ``objects`` those that the table of synonyms knows, with their kinds;
    ``switches`` *on* or *off*; ``word`` the question word, if any;
    ``owners`` whose somebody or something in it is, if not one's own (*your* sister, *her* name);
    ``touches`` its aspects, matters and words: two messages that share none of them ask nothing alike.
    """

    type: QuestionType
    object: str
    tense: Tense
    fingerprint: str
    words: frozenset[str] = frozenset()
    content: frozenset[str] = frozenset()
    asks: tuple[Ask, ...] = ()
    aspects: frozenset[str] = frozenset()
    asides: frozenset[str] = frozenset()
    matters: Mapping[str, float] = msgspec.field(default_factory=dict[str, float])
    elsewhere: float = 1.0
    persons: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()
    objects: frozenset[Token] = frozenset()
    switches: frozenset[str] = frozenset()
    word: str = ""
    asked: bool = False
    negated: bool = False
    owners: frozenset[str] = frozenset()
    touches: frozenset[str] = frozenset()


def read_question(text: str, known: frozenset[str] = frozenset()) -> Question:
    """What ``text`` asks; ``known`` are words in it that earlier messages showed to be names.

    Of a text over 240 characters only its questions are read, where it has any. One that asks of nothing in
    particular ("What do you think?") is as little the matter of a long text as it is another's: its kind is that of
    its questions, all else is read of the text itself.
    """
    part = _shortened(text)
    question = _read(part, known)
    if question.aspects or question.persons or question.things or part == (whole := _ends(text)):
        return question
    return msgspec.structs.replace(_read(whole, known), type=question.type, object=question.object)


def _read(text: str, known: frozenset[str]) -> Question:
    sentences = read_sentences(text, known)
    tokens = [token for sentence in sentences for token in sentence.tokens]
    words = fingerprint(text).split()
    content = frozenset(token.concept for token in tokens if token.kind != FUNCTION)
    persons = frozenset(token.concept for token in tokens if token.kind == PERSON)
    objects = [token for token in tokens if token.kind in OBJECTS]
    things = frozenset([token.concept for token in objects])
    found, aspects, asides = _found(sentences, persons)
    learned = read_matters(seen(sentences, aspects))
    return Question(
        type=learned.type,
        matters=learned.matters,
        elsewhere=1.0 - sum(learned.matters.values()),
        object=_object(found, persons, things),
        tense=_tense(sentences),
        fingerprint=" ".join(words),
        words=frozenset(words),
        content=content,
        asks=tuple(dict.fromkeys(found)),
        aspects=aspects,
        asides=asides,
        persons=persons,
        things=things,
        objects=known_objects().intersection(objects),
        switches=frozenset(_switches(sentences)),
        word=_question_word(sentences),
        asked=any(sentence.asks for sentence in sentences),
        negated=any(token.concept in ("not", "no", "nobody") for token in tokens),
        owners=frozenset(_owners(sentences, persons)),
        touches=aspects.union(learned.matters, words),
    )


def question_features(text: str) -> AbstractSet[str]:
    """What the learned readings are trained on: what they look at in ``text``."""
    sentences = read_sentences(_shortened(text))
    tokens = [token for sentence in sentences for token in sentence.tokens]
    persons = frozenset(token.concept for token in tokens if token.kind == PERSON)
    found = features(seen(sentences, _found(sentences, persons)[1]))
    return frozenset(" ".join(feature) for feature in found if BREAK not in feature)


def fingerprint(text: str) -> str:
    """Lower-cased, stop words removed, the remaining words sorted and joined; often empty."""
    return " ".join(sorted(joined(_TELLING, runs(text))))


def _telling(run: str) -> tuple[str, ...]:
    """The words in what stands between two spaces that are no stop words."""
    return tuple(word for word in _WORD.findall(run) if word not in word_set("stop_words"))


_TELLING: Final = Remembered(_telling)


def _found(
    sentences: Sequence[Sentence], persons: frozenset[str]
) -> tuple[list[Ask], frozenset[str], frozenset[str]]:
    """What the sentences ask, in the order of the table, which puts the telling frames first; its aspects; and their
    asides.
    """
    found = [each for sentence in sentences for each in asks(sentence, persons)]
    found.sort(key=lambda one: one[0])
    known = [ask for _, frame, ask in found if not frame.aside]
    asides = frozenset(frame.aspect for _, frame, _ in found if frame.aside)
    if not known and _about_somebody(sentences):
        known = [Ask(SOMEBODY, persons, past=False)]
    return known, frozenset(ask.aspect for ask in known), asides


def _about_somebody(sentences: Sequence[Sentence]) -> bool:
    """Whether something is asked about somebody: where no frame knows what, it is read as where they are."""
    return any(
        (sentence.asks or sentence.future or "should" in sentence.raw)
        and not sentence.past
        and any(token.kind == PERSON for token in sentence.tokens)
        for sentence in sentences
    )


def _shortened(text: str) -> str:
    """``text``; of a long one the sentences with a question mark, because what stands around them hides their class.

    Of those, or of a text without any, head and tail where they are long.
    """
    if len(text) <= _LONGEST:
        return text
    return _ends("\n".join(part for part in sentences_of(text) if "?" in part) or text)


def _ends(text: str) -> str:
    """``text``, or head and tail of a long one."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}\n{text[-_LONGEST // 2 :]}"


def _object(found: Sequence[Ask], persons: frozenset[str], things: frozenset[str]) -> str:
    """What the message is about: what its first aspect names, else whom or what it names at all."""
    named = next((min(ask.objects) for ask in found if ask.objects), "")
    if named or found:
        return named
    return min(persons or things, default="")


def _tense(sentences: Sequence[Sentence]) -> Tense:
    if any(sentence.past for sentence in sentences):
        return "past"
    return "future" if any(sentence.future for sentence in sentences) else "present"


def _switches(sentences: Sequence[Sentence]) -> Iterator[str]:
    """*On* or *off*; *up* or *down* of what is turned."""
    for sentence in sentences:
        turned = ("on", "off", "up", "down") if "turn" in sentence.raw else ("on", "off")
        yield from (word for word in sentence.raw if word in turned)


def _owners(sentences: Sequence[Sentence], persons: AbstractSet[str]) -> Iterator[str]:
    """Whose a person, a name or a thing is that is not one's own: *your* purse, *his* wife."""
    if persons and any("your" in sentence.raw for sentence in sentences):
        yield "your"
    for sentence in sentences:
        if _OWNERS.isdisjoint(sentence.raw):
            continue
        for owner, owned, after in zip(sentence.raw, sentence.raw[1:], (*sentence.raw[2:], ""), strict=False):
            of_you = owner == "your" and not POSSESSIONS.isdisjoint((kind_of(owned), kind_of(after)))
            if of_you or (owner in ("his", "her", "their") and (owned == "name" or persons == {owned})):
                yield owner


def _question_word(sentences: Sequence[Sentence]) -> str:
    return next((word for s in sentences for word in s.raw if s.asks and word in _QUESTION_WORDS), "")
