"""What a talk was about, by the words that came up again: for a talk whose topics no table knows."""

from collections import Counter
from collections.abc import Sequence

from memory.messages import Message
from memory.searching import indexed

LEAST_LETTERS = 5
LEAST_MESSAGES = 2


def keywords(messages: Sequence[Message], most: int) -> tuple[str, ...]:
    """Longer words that the person used and that stand in two messages or more, the most frequent first."""
    counts: Counter[str] = Counter()
    said: set[str] = set()
    for each in messages:
        here = {word for word in indexed(each.text).split() if len(word) >= LEAST_LETTERS and word.isalpha()}
        counts.update(here)
        if each.role == "user":
            said |= here
    found = [word for word, times in counts.items() if times >= LEAST_MESSAGES and word in said]
    return tuple(sorted(found, key=lambda word: -counts[word])[:most])
