"""Which messages of the open conversation the model sees word for word.

The sizes are policy; the choice is a pure function of the talk (dementia storage design, 5.1 and 6.1; decisions
on repetition). Answers stand behind the message they answer, also when another message came in between.
"""

from collections.abc import Sequence

import msgspec

from memory.messages import Message
from memory.tokens import TURN, count, shortened


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """How many messages, by what is going on. None switches a rule off."""

    messages: int
    young_session: int = 0
    distress_over: float | None = None
    distress_lookback: int = 3
    distress_messages: int = 16
    repeats_from: int | None = None
    repeats_messages: int = 6
    until_summary: int = 0


class Repeated(msgspec.Struct, frozen=True):
    """``message`` asked what ``earlier`` had asked."""

    message: str
    earlier: str


def in_turns(messages: Sequence[Message]) -> list[Message]:
    """By position, but each answer directly behind what it answers."""
    positions: dict[str | None, int] = {each.id: each.position for each in messages}
    places = [(positions.get(each.answers, each.position), each.answers in positions) for each in messages]
    return [messages[at] for at in sorted(range(len(messages)), key=places.__getitem__)]


def size(sizes: Sizes, *, so_far: int, repeats: int, distress: Sequence[float], uncovered: int | None) -> int:
    """How many messages the window takes: a young talk whole, then distress, then repetition, then the usual.

    ``so_far`` counts the messages before the current one, ``distress`` is oldest first and ends with the current
    message, ``uncovered`` are messages no summary covers (None where there are no summaries in mid-talk).
    """
    if so_far < sizes.young_session:
        return so_far
    upset = sizes.distress_over is not None and any(
        each > sizes.distress_over for each in distress[-sizes.distress_lookback :]
    )
    if upset:
        return sizes.distress_messages
    if sizes.repeats_from is not None and repeats >= sizes.repeats_from:
        return sizes.repeats_messages
    if uncovered is not None:
        return max(sizes.messages, min(uncovered, sizes.until_summary))
    return sizes.messages


def without_repeats(messages: Sequence[Message], repeats: Sequence[Repeated], current: str) -> list[Message]:
    """Leave out what would show that a question was asked already.

    Of each repeated question only the latest instance stays, none when the current message asks it once more;
    an answer goes with its question, and of answers in the same words the latest stays.
    """
    asks_as: dict[str, str] = {}

    def root(message: str) -> str:
        while message in asks_as:
            message = asks_as[message]
        return message

    for pair in repeats:
        if root(pair.message) != root(pair.earlier):
            asks_as[root(pair.message)] = root(pair.earlier)
    latest: dict[str, str] = {}
    for each in messages:
        if each.role == "user":
            latest[root(each.id)] = each.id
    latest[root(current)] = current
    dropped = {each.id for each in messages if each.role == "user" and latest[root(each.id)] != each.id}
    kept = [each for each in messages if each.id not in dropped and each.answers not in dropped]
    last_words = {each.text: each.id for each in kept if each.role == "assistant"}
    return [each for each in kept if each.role == "user" or last_words[each.text] == each.id]


def shorten_old(texts: Sequence[str], *, over_chars: int | None, keep_last: int) -> list[str]:
    """Texts of over ``over_chars`` characters cut to their head, unless among the last ``keep_last`` (D10)."""
    border = len(texts) - keep_last
    return [
        _first(text, over_chars) if over_chars and len(text) > over_chars and at < border else text
        for at, text in enumerate(texts)
    ]


def _first(text: str, chars: int) -> str:
    """At most ``chars`` characters of ``text``, cut between words where there are any, and a mark."""
    border = text.rfind(" ", chars // 2, chars)
    return f"{text[: border if border > 0 else chars - 1].rstrip()}…"


def fitted(
    texts: Sequence[str], tokens: int, *, shortest: int, longest: int | None = None
) -> list[str | None]:
    """``texts`` made to cost at most ``tokens``: the longest shortened first, then the oldest left out (None).

    None is shortened below ``shortest`` tokens; with ``shortest`` 0 texts are left out whole. One that costs more than
    ``longest`` tokens is shortened to that in any case.
    """
    fit: list[str | None] = list(texts)
    costs = [count(text) + TURN for text in texts]
    level = max(costs, default=0) if longest is None else longest + TURN
    if shortest and sum(min(cost, level) for cost in costs) > tokens:
        level = min(level, _level(costs, tokens, shortest + TURN))
    for at, text in enumerate(texts):
        if costs[at] > level:
            cut = shortened(text, level - TURN)
            fit[at], costs[at] = cut, count(cut) + TURN
    for at in range(len(fit)):
        if sum(costs) <= tokens:
            break
        fit[at], costs[at] = None, 0
    return fit


def _level(costs: Sequence[int], tokens: int, least: int) -> int:
    """The highest cost a text may keep so that all together fit, but not below ``least``."""
    left = tokens
    for at, cost in enumerate(sorted(costs)):
        level = left // (len(costs) - at)  # for this one and all that cost more
        if level < cost:
            return max(least, level)
        left -= cost
    return max(least, *costs)
