"""A talk in few words, in the form its companion has: by a model's answer, by the talk's own words, or by both."""

from collections.abc import Iterable, Sequence

import msgspec

from companions.changes import EmotionRow
from companions.companion import Companion
from memory.crisis import read_crisis
from memory.extracts import Felt, extract, outline
from memory.messages import Message
from memory.summing import Read, Summed, summed, told
from memory.talk_figures import Figures, figures

KEPT_OUT = frozenset({"abuse", "self_harm"})
"""Of summaries, notes and counts, unless the safeguarding contact releases them (D25)."""
DEFAULT_WORDS = 100
DEFAULT_TOKENS = 400


def felt_by_message(rows: Iterable[EmotionRow]) -> dict[str, Felt]:
    """What was read in each message."""
    return {
        row.message: Felt(emotion=row.emotion, intensity=row.intensity, topics=row.topics, flags=row.flags)
        for row in rows
    }


def open_to_summaries(messages: Sequence[Message], rows: Iterable[EmotionRow]) -> tuple[Message, ...]:
    """``messages`` without those that are kept out and their answers; one without a reading is read here."""
    known = {row.message: row.crisis_category for row in rows}
    private = {
        each.id
        for each in messages
        if each.role == "user" and (known[each.id] if each.id in known else _category(each.text)) in KEPT_OUT
    }
    return tuple(each for each in messages if each.text and {each.id, each.answers}.isdisjoint(private))


def _category(text: str) -> str | None:
    crisis = read_crisis(text)
    return None if crisis is None else crisis.category


def is_private(text: str) -> bool:
    """Whether words of a model speak of what no summary may hold."""
    return bool(text) and _category(text) in KEPT_OUT


def sum_up(read: Read, messages: Sequence[Message], felt: dict[str, Felt]) -> Summed:
    """The parts of a summary of ``messages``, which are open to summaries; an empty ``read`` takes all from them."""
    said = [each.text for each in messages if each.role == "user"]
    talk = [each.text for each in messages]
    return summed(read, extract(messages, felt), talk, said, private=is_private)


def finished(companion: Companion, made: Summed, messages: Sequence[Message]) -> Summed:
    """``made`` with the text in the companion's form, within its words and tokens."""
    policy = companion.policy.summary
    words = policy.words if policy is not None else DEFAULT_WORDS
    parts = policy is None or policy.form == "wellness"
    if not parts and not made.summary and (own := outline(messages, words)):
        made = msgspec.structs.replace(made, summary=own, extracted=(*made.extracted, "summary"))
    tier = companion.policy.budget.tiers.get("summaries")
    tokens = DEFAULT_TOKENS if tier is None else tier.item_tokens or tier.tokens
    return told(made, parts=parts, tokens=tokens, words_most=words * 3 // 2)


def stand_in(companion: Companion, messages: Sequence[Message], rows: Sequence[EmotionRow]) -> Summed:
    """A summary by the talk's own words, until the one that is to be made is there."""
    shown = open_to_summaries(messages, rows)
    return finished(companion, sum_up(Read(), shown, felt_by_message(rows)), shown)


def in_figures(
    messages: Sequence[Message], rows: Sequence[EmotionRow], anchors: Iterable[tuple[str, str]]
) -> Figures:
    """The talk with a person who lives with dementia; ``anchors`` are pairs of message and thing."""
    shown = open_to_summaries(messages, rows)
    ids = {each.id for each in shown}
    escalated = any(row.crisis_category is not None and row.message in ids for row in rows)
    named = [thing for message, thing in anchors if message in ids]
    return figures(shown, felt_by_message(rows), anchors=named, escalated=escalated)


def made_by(made: Summed, model: str | None) -> str:
    """Who made it: the model, the talk's own words, or the one completed by the other."""
    given = any(
        (made.topics, made.emotional_arc, made.key_insight, made.follow_ups, made.quote, made.summary)
    )
    all_own = len(made.extracted) == sum(
        bool(each)
        for each in (
            made.topics,
            made.emotional_arc,
            made.key_insight,
            made.follow_ups,
            made.quote,
            made.summary,
        )
    )
    if model is None or not given or all_own:
        return "extract"
    return f"{model}+extract" if made.extracted else model
