"""What is told of a talk with a person who lives with dementia: figures and names, made by code.

It is for those who care for them, and holds nothing that could be used against the person: no sentence of theirs,
no count of how often something was asked, no score (the dementia companion's storage design, 2.3 and 5.4). What
was said of abuse or self-harm is in none of it, the counts included (decision D25).
"""

from collections import Counter
from collections.abc import Sequence

import msgspec

from memory.extracts import Felt
from memory.messages import Message

MOST_TOPICS = 5
MOST_ANCHORS = 8


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """A talk in figures. ``seconds`` is from the first message to the last; ``said`` counts the person's."""

    seconds: int = 0
    messages: int = 0
    said: int = 0
    dominant_emotion: str = ""
    escalated: bool = False
    topics: tuple[str, ...] = ()
    emotional_arc: str = ""
    anchors: tuple[str, ...] = ()
    text: str = ""


def figures(
    messages: Sequence[Message], felt: dict[str, Felt], *, anchors: Sequence[str], escalated: bool
) -> Figures:
    """The figures of ``messages``, from which what is private was left out before."""
    said = [each for each in messages if each.role == "user"]
    feelings = [felt[each.id].emotion for each in said if each.id in felt]
    topics: Counter[str] = Counter()
    for each in said:
        topics.update(felt[each.id].topics if each.id in felt else ())
    arc = feelings[0] if feelings else ""
    if feelings and feelings[-1] != feelings[0]:
        arc = f"{feelings[0]} -> {feelings[-1]}"
    times = [each.at for each in messages]
    made = Figures(
        seconds=max(0, (max(times) - min(times)) // 1_000) if times else 0,
        messages=len(messages),
        said=len(said),
        dominant_emotion=_most_felt(feelings),
        escalated=escalated,
        topics=tuple(topic for topic, _ in topics.most_common(MOST_TOPICS)),
        emotional_arc=arc,
        anchors=tuple(dict.fromkeys(anchors))[:MOST_ANCHORS],
    )
    return msgspec.structs.replace(made, text=_told(made))


def _most_felt(feelings: Sequence[str]) -> str:
    """The feeling found most often; of equals the later one."""
    counts = Counter(feelings)
    return max(reversed(feelings), key=lambda each: counts[each], default="")


def _told(made: Figures) -> str:
    minutes = max(1, round(made.seconds / 60))
    parts = [
        f"{minutes} min, {made.messages} messages.",
        f"Feelings: {made.emotional_arc}, mostly {made.dominant_emotion}." if made.emotional_arc else "",
        "Help was called for." if made.escalated else "",
        f"Spoke of: {', '.join(made.topics)}." if made.topics else "",
        f"Liked to speak of: {', '.join(made.anchors)}." if made.anchors else "",
    ]
    return " ".join(part for part in parts if part)
