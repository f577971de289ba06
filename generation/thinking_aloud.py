"""Whether an answer begins like a model that thinks aloud, told by its first words.

The chat templates of some reasoning models write the opening mark, so the text begins inside the reasoning without
one. Nobody can know that of a model of unknown name, but such a text speaks *about* the person, or of what to
answer ("Okay, the user is asking …", "First, I need to respond …"), which an answer *to* the person does not.
"""

import re
from typing import Literal, TypeAlias

Likelihood: TypeAlias = Literal["no", "maybe", "yes"]

_LEADS = ("okay", "ok", "alright", "all", "right", "hmm", "well", "so", "now", "first", "wait")
_FIRST = {
    word[:end] for word in (*_LEADS, "the", "this", "i", "we", "let") for end in range(1, len(word) + 1)
}
_LEAD = rf"\W*(?:(?:{'|'.join(_LEADS)})\W+)*"
_WHO = r"(?:the|this) (?:user|person|student|human)"
_DOES = (
    r"(?:is|was|has|wants?|asks?|asked|says?|said|seems?|just|might|may|needs?|sent|wrote|greeted|mentions?|mentioned"
    r"|feels?|message|query|question|appears)"
)
_MUST = r"(?:i|we) (?:need|should|have|must|want)"
_REPLY = r"(?:respond|answer|reply|figure|think|consider|address|craft|understand|make sure|provide|come up)"
_LETS = r"let(?: me|['’]s) (?:think|start by|figure|break)"
_ALOUD = re.compile(
    rf"{_LEAD}(?:{_WHO}(?:['’]s)? {_DOES}\b|{_MUST} (?:to )?{_REPLY}\b|{_LETS}\b)",
    re.IGNORECASE,
)
_PART = r"(?:\s\w*)"
_UNDECIDED = re.compile(
    rf"{_LEAD}(?:(?:{'|'.join(_FIRST)})?|(?:the|this){_PART}|{_WHO}(?:['’]s?)?{_PART}?|(?:i|we){_PART}|{_MUST}{_PART}{{0,2}}"
    rf"|(?:i|we) \w+ to{_PART}|let(?:['’]s?)?{_PART}{{0,2}})",
    re.IGNORECASE,
)
MOST_UNDECIDED = 80  # characters; whoever has not begun by then does not think aloud


def thinks_aloud(text: str) -> Likelihood:
    """Whether ``text``, the beginning of an answer, is a model's thinking; ``maybe`` while too little is there."""
    if _ALOUD.match(text):
        return "yes"
    return "maybe" if len(text) < MOST_UNDECIDED and _UNDECIDED.fullmatch(text) else "no"
