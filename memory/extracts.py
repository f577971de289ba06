"""A summary without a model: what can be told of a talk from its own words.

It is the stand-in for what a model would write and never says more than was said: topics that came up, the way
the feelings went, the sentence of the person that carries most of the talk, and what they mean to do.
"""

from collections import Counter
from collections.abc import Sequence

import msgspec

from memory.messages import Message
from memory.text import sentences, words

QUOTE_CHARS = 160
MOST_TOPICS = 10


class Felt(msgspec.Struct, frozen=True, kw_only=True):
    """What was read in one message of the person."""

    emotion: str
    intensity: int
    topics: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


class Extract(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a summary (wellness document, summary format); parts that the talk did not give are empty."""

    topics: tuple[str, ...] = ()
    emotional_arc: str = ""
    key_insight: str = ""
    follow_ups: tuple[str, ...] = ()
    quote: str = ""
    text: str = ""


def extract(messages: Sequence[Message], felt: dict[str, Felt]) -> Extract:
    """The summary of ``messages``; ``felt`` is by message id. Quoted words are the person's own."""
    said = [each for each in messages if each.role == "user" and each.text.strip()]
    topics = _topics(said, felt)
    arc = _arc([felt[each.id] for each in said if each.id in felt])
    insight = _flagged(said, felt, "breakthrough")
    follow_ups = _follow_ups(said, felt)
    quote = _quote(said, felt)
    return Extract(
        topics=topics,
        emotional_arc=arc,
        key_insight=insight,
        follow_ups=follow_ups,
        quote=quote,
        text=_told(topics, arc, insight, follow_ups, quote),
    )


def outline(messages: Sequence[Message], most_words: int) -> str:
    """What the person asked for and said, the beginning of each message, the latest kept where all are too many."""
    said = [each.text for each in messages if each.role == "user" and each.text.strip()]
    heads = [_clipped(sentences(text)[0]).rstrip(".") for text in said if sentences(text)]
    kept: list[str] = []
    taken = 0
    for head in reversed(list(dict.fromkeys(heads))):
        taken += len(head.split())
        if kept and taken > most_words:
            break
        kept.insert(0, head)
    return f"{'; '.join(kept)}." if kept else ""


def _topics(said: Sequence[Message], felt: dict[str, Felt]) -> tuple[str, ...]:
    counts: Counter[str] = Counter()
    for each in said:
        counts.update(felt[each.id].topics if each.id in felt else ())
    return tuple(topic for topic, _ in counts.most_common(MOST_TOPICS))


def _arc(felt: Sequence[Felt]) -> str:
    """Start and end, in the document's form: ``anxiety (7/10) -> calm (4/10)``."""
    if not felt:
        return ""
    first, last = felt[0], felt[-1]
    start = f"{first.emotion} ({first.intensity}/10)"
    return start if len(felt) == 1 else f"{start} -> {last.emotion} ({last.intensity}/10)"


def _flagged(said: Sequence[Message], felt: dict[str, Felt], flag: str) -> str:
    found = [each.text for each in said if each.id in felt and flag in felt[each.id].flags]
    return _clipped(sentences(found[-1])[0]) if found else ""


def _follow_ups(said: Sequence[Message], felt: dict[str, Felt]) -> tuple[str, ...]:
    found = [each.text for each in said if each.id in felt and "action_item" in felt[each.id].flags]
    return tuple(_clipped(sentences(text)[-1]) for text in found[-3:])


def _quote(said: Sequence[Message], felt: dict[str, Felt]) -> str:
    """The sentence of the person with most weight: felt strongly, long enough to mean something."""
    best, weight = "", -1.0
    for each in said:
        intensity = felt[each.id].intensity if each.id in felt else 1
        for sentence in sentences(each.text):
            length = len(words(sentence))
            score = intensity + min(length, 14) / 7 - max(0, length - 24) / 8
            if length >= 3 and not sentence.endswith("?") and score > weight:
                best, weight = sentence, score
    return _clipped(best)


def _clipped(text: str) -> str:
    return text if len(text) <= QUOTE_CHARS else f"{text[:QUOTE_CHARS].rsplit(' ', 1)[0]}…"


def _told(topics: tuple[str, ...], arc: str, insight: str, follow_ups: tuple[str, ...], quote: str) -> str:
    parts = [
        f"Topics: {', '.join(topics)}." if topics else "",
        f"Emotional arc: {arc}." if arc else "",
        f"Insight: {insight}" if insight else "",
        f"Follow-ups: {'; '.join(follow_ups)}" if follow_ups else "",
        f'In their words: "{quote}"' if quote else "",
    ]
    return " ".join(part for part in parts if part)
