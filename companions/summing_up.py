"""A talk in few words, in the form its companion has: by a model's answer, by the talk's own words, or by both."""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

import msgspec

from companions.changes import EmotionRow
from companions.companion import Companion
from memory.crisis import read_crisis
from memory.extracts import Felt, extract, outline
from memory.messages import Message
from memory.summing import Read, Summed, summed, told
from memory.talk_figures import Figures, figures
from memory.text import words
from memory.told_of import as_said

KEPT_OUT = frozenset({"abuse", "self_harm"})
"""Of summaries, notes and counts, unless the safeguarding contact releases them (D25)."""
_NAMED = {
    "abuse": (" abuse", " abusive ", " mistreat", " maltreat", " molest", " assault", " violence at home "),
    "self_harm": (
        " suicid",
        " self harm",
        " selfharm",
        " self injur",
        " end their life ",
        " end her life ",
        " end his life ",
    ),
}
"""Words that name what happened where it is told of."""
DEFAULT_WORDS = 100
DEFAULT_TOKENS = 400


def felt_by_message(rows: Iterable[EmotionRow]) -> dict[str, Felt]:
    """What was read in each message."""
    return {
        row.message: Felt(emotion=row.emotion, intensity=row.intensity, topics=row.topics, flags=row.flags)
        for row in rows
    }


def open_to_summaries(
    messages: Sequence[Message], rows: Iterable[EmotionRow], released: AbstractSet[str] = frozenset()
) -> tuple[Message, ...]:
    """``messages`` without those that are kept out and their answers; one without a reading is read here.

    What the safeguarding contact has ``released``, by the ids of the messages, is not kept out.
    """
    return _without(messages, _kept_out(messages, rows).keys() - released)


def _without(messages: Iterable[Message], private: AbstractSet[str]) -> tuple[Message, ...]:
    return tuple(each for each in messages if each.text and {each.id, each.answers}.isdisjoint(private))


def _kept_out(messages: Sequence[Message], rows: Iterable[EmotionRow]) -> dict[str, str]:
    """The messages that are kept out, and what they are about."""
    known = {row.message: row.crisis_category for row in rows}
    found = {
        each.id: known[each.id] if each.id in known else _category(each.text)
        for each in messages
        if each.role == "user"
    }
    return {message: category for message, category in found.items() if category in KEPT_OUT}


def open_to_others(
    messages: Sequence[Message],
    rows: Iterable[EmotionRow],
    released: AbstractSet[str] = frozenset(),
    *,
    removed_at: int | None = None,
) -> tuple[Message, ...]:
    """What words about a talk that others read are made of: what is open to summaries, and of the companion's own
    words those from before anything that is kept out, and before ``removed_at``, as below.

    From there on what it says may speak of that, however plain the message that it answers. ``messages`` are all of
    the talk: what others are told nothing of for another reason is left out afterwards.
    """
    private = _kept_out(messages, rows).keys() - released
    begins = _first(messages, private, removed_at)
    shown = _without(messages, private)
    return tuple(each for each in shown if each.role == "user" or begins is None or each.position < begins)


def open_word_for_word(
    messages: Sequence[Message],
    rows: Iterable[EmotionRow],
    released: AbstractSet[str] = frozenset(),
    *,
    removed_at: int | None = None,
) -> tuple[Message, ...]:
    """What family reads of a talk as it was said: all of it, up to the first message that is kept out.

    What follows may speak of it on both sides, and messages without their answers would mark where it was. So may
    what follows ``removed_at``, where the first message of the person stood that was removed: nobody knows any more
    what that was about.
    """
    ends = _first(messages, _kept_out(messages, rows).keys() - released, removed_at)
    return tuple(each for each in messages if each.text and (ends is None or each.position < ends))


def _first(messages: Sequence[Message], private: AbstractSet[str], removed_at: int | None) -> int | None:
    """Where the first message stands, or stood, that is kept out or removed; None where none is."""
    kept = (each.position for each in messages if each.id in private)
    return min(kept if removed_at is None else (*kept, removed_at), default=None)


def withheld(messages: Sequence[Message], rows: Sequence[EmotionRow]) -> bool:
    """Whether family is not told of one of ``messages``, or of what was read in one."""
    return any(row.crisis_category in KEPT_OUT for row in rows) or bool(_kept_out(messages, rows))


def let_known(
    messages: Sequence[Message], rows: Iterable[EmotionRow], released: AbstractSet[str]
) -> frozenset[str]:
    """What words about the talk may speak of: each subject of which every message in it was released."""
    kept = _kept_out(messages, rows)
    held = {category for message, category in kept.items() if message not in released}
    return frozenset(kept.values()) - held


def _category(text: str) -> str | None:
    crisis = read_crisis(text)
    return None if crisis is None else crisis.category


def is_private(text: str, allowed: AbstractSet[str] = frozenset()) -> bool:
    """Whether words about a talk speak of what no summary may hold, but for what is ``allowed``.

    They are read as they stand, as the person would have said them, and for plain names of what happened: whoever
    made them, a model included, may tell of the person.
    """
    return bool(text) and not _spoken_of(text) <= allowed


def _spoken_of(text: str) -> frozenset[str]:
    folded_text = f" {' '.join(words(text))} "
    named = {category for category, marks in _NAMED.items() if any(mark in folded_text for mark in marks)}
    read_as = {_category(text), _category(as_said(text))}
    return frozenset(category for category in named | read_as if category in KEPT_OUT)


def sum_up(
    read: Read, messages: Sequence[Message], felt: dict[str, Felt], allowed: AbstractSet[str] = frozenset()
) -> Summed:
    """The parts of a summary of ``messages``, which are open to summaries; an empty ``read`` takes all from them.

    ``allowed``: what it may speak of although summaries otherwise do not.
    """
    said = [each.text for each in messages if each.role == "user"]
    talk = [each.text for each in messages]
    private: Callable[[str], bool] = partial(is_private, allowed=allowed)
    return summed(read, extract(messages, felt), talk, said, private=private)


def finished(companion: Companion, made: Summed, messages: Sequence[Message]) -> Summed:
    """``made`` with the text in the companion's form, within its words and tokens."""
    policy = companion.policy.summary
    most = policy.words if policy is not None else DEFAULT_WORDS
    parts = policy is None or policy.form == "wellness"
    if not parts and not made.summary and (own := outline(messages, most)):
        made = msgspec.structs.replace(made, summary=own, extracted=(*made.extracted, "summary"))
    tier = companion.policy.budget.tiers.get("summaries")
    tokens = DEFAULT_TOKENS if tier is None else tier.item_tokens or tier.tokens
    return told(made, parts=parts, tokens=tokens, words_most=most * 3 // 2)


def stand_in(companion: Companion, messages: Sequence[Message], rows: Sequence[EmotionRow]) -> Summed:
    """A summary by the talk's own words, until the one that is to be made is there."""
    shown = open_to_summaries(messages, rows)
    return finished(companion, sum_up(Read(), shown, felt_by_message(rows)), shown)


def in_figures(
    messages: Sequence[Message],
    rows: Sequence[EmotionRow],
    anchors: Iterable[tuple[str, str]],
    released: AbstractSet[str] = frozenset(),
    *,
    heard: AbstractSet[str],
    removed_at: int | None = None,
) -> Figures:
    """What was ``heard`` of the talk with a person who lives with dementia; ``anchors`` are pairs of message and
    thing, and those named after something was kept out or removed are left out too.
    """
    shown = [each for each in open_to_summaries(messages, rows, released) if each.id in heard]
    ids = {each.id for each in shown}
    escalated = any(row.crisis_category is not None and row.message in ids for row in rows)
    told = {each.id for each in open_to_others(messages, rows, released, removed_at=removed_at)} & ids
    named = [thing for message, thing in anchors if message in told]
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
