"""What the person wants of the companion with one message.

The set is closed: the dementia companion's storage design names ``calming_story`` and ``grounding`` as
categories of its narratives (sections 2.4 and 2.7); the others are what people ask of a companion besides.
Its third category, ``memory_loop``, is no intent: it is chosen by how often something was asked, not by the
message.
"""

from typing import Literal

from memory.emotion import Emotion
from memory.noticing import Noticed, noticed

Intent = Literal[
    "greeting",
    "farewell",
    "story_request",
    "practical",
    "grounding",
    "reassurance",
    "companionship",
    "comfort",
    "calming_story",
    "reminiscence",
    "general",
]
"""What each is for:

``greeting``, ``farewell``: hello and goodbye. ``story_request``: a story, song or poem was asked for.
``practical``: something is wanted or hurts (a drink, the toilet, help with a coat), and staff may be
needed. ``grounding``: lost in place, time or person. ``reassurance``: wants to hear that all is well, that
somebody comes. ``companionship``: wants company. ``comfort``: grieves or is low. ``calming_story``: upset,
without asking for anything that could be given. ``reminiscence``: tells of earlier days. ``general``:
anything else.
"""

_ALONE_WORDS = 8  # "hello, I can't find my room" is not a greeting
_BY_EMOTION: dict[str, Intent] = {
    "confused": "grounding",
    "lonely": "companionship",
    "sad": "comfort",
    "sadness": "comfort",
    "anxious": "calming_story",
    "anxiety": "calming_story",
    "fearful": "calming_story",
    "fear": "calming_story",
    "overwhelmed": "calming_story",
}
_PRECEDENCE: tuple[Intent, ...] = (
    "story_request",
    "grounding",
    "reassurance",
    "companionship",
    "practical",
    "comfort",
    "reminiscence",
)
_SURE = 0.4


def read_intent(text: str | list[str] | Noticed, emotion: Emotion) -> Intent:
    """What ``text`` wants, by its words first and by its feeling where they do not say."""
    words, found = noticed(text)
    named = {*found["intents"]}
    asked: Intent | None = next((intent for intent in _PRECEDENCE if intent in named), None)
    if asked is not None:
        return asked
    felt = _BY_EMOTION.get(emotion.label)
    if felt is not None and emotion.confidence >= _SURE:
        return felt
    if named and sum(word[0].isalnum() for word in words) <= _ALONE_WORDS:
        return "farewell" if "farewell" in named else "greeting" if "greeting" in named else "general"
    return "general"
