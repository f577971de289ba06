"""What is told of somebody in the third person, as they would have said it themselves.

The readers of danger read what a person says of themselves. A summary says "her son hits her": turned back into
"my son hits me" it is read like any message, so that what was kept out of a summary does not come in by a model's
own words.
"""

import re
from functools import cache

_WHO = "(?:the|this) (?:person|student|user|child|resident|patient|lady|man|woman|boy|girl)"
_AFTER = (
    "again|and|at|because|but|by|every|for|from|hard|if|in|often|on|or|so|then|to|until|wh(?:en|ere|ile)|with"
)
_OFTEN = "no longer |often |sometimes |also |still |always |never |really "
_STEPS = (
    (r"\b(?:himself|herself|themselves|themself|oneself)\b", "myself"),
    (rf"\b{_WHO}'s\b", "my"),
    (rf"\b{_WHO}\b", "I"),
    (rf"\b(?:her|him|them)\b(?=\s*(?:$|[.,;:!?)]|(?:{_AFTER})\b))", "me"),
    (r"\b(?:him|them)\b", "me"),
    (r"\b(?:her|his|their|one's)\b", "my"),
    (r"\b(?:she|he|they)\b", "I"),
    (r"\bI (?:is|are)\b", "I am"),
    (r"\bI has\b", "I have"),
    (r"\bI does\b", "I do"),
    (rf"\bI ({_OFTEN})?(\w{{2,}}[^s\W])s\b", r"I \1\2"),
)
_NAME = rf"(?:^|(?<=[.!?] ))[A-Z][\w'-]+(?= (?:{_OFTEN})?(?:\w{{2,}}[^s\W]s|said|told|felt|was)\b)"


@cache
def _steps() -> tuple[tuple[re.Pattern[str], str], ...]:
    return (
        (re.compile(_NAME), "I"),
        *((re.compile(pattern, re.IGNORECASE), to) for pattern, to in _STEPS),
    )


def as_said(text: str) -> str:
    """``text`` with whom it tells of in the first person."""
    for pattern, to in _steps():
        text = pattern.sub(to, text)
    return text
