"""What a companion says by itself: when a danger forbids that the model speaks, and when the model is away."""

from companions.narratives import Narrative
from companions.talk import Talk
from companions.texts import Texts, Variants, reflection_keys
from memory.crisis import Crisis
from memory.reading import Reading


def safe_answer(texts: Texts, talk: Talk, crisis: Crisis) -> str:
    """A safe answer from the bank: another one when the same danger was spoken of before."""
    earlier = sum(1 for row in talk.emotions if row.crisis_category == crisis.category)
    answers = texts.safe_answers
    later = answers.later.get(crisis.category, ())
    return by_turns(later if earlier and later else answers.first[crisis.category], earlier)


def reflection(texts: Texts, reading: Reading, talk: Talk) -> str:
    """A variant not said in this conversation yet, from the pool that fits best."""
    said = "\n".join(each.text for each in talk.messages if each.role == "assistant")
    for key in reflection_keys(reading.question.type, reading.intent, reading.emotion):
        pool = texts.reflections.get(key, ())
        if fresh := [each for each in pool if each not in said]:
            return fresh[talk.message_count % len(fresh)]
    return by_turns(texts.reflections.get("general") or texts.safe_answers.fallback, talk.message_count)


def as_told(story: Narrative) -> str:
    """A story as it is told: its lines are only how it is written down."""
    return " ".join(story.text.split())


def by_turns(pool: Variants, turn: int) -> str:
    """One of a pool after the other."""
    return pool[turn % len(pool)] if pool else ""
