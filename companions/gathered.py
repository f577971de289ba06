"""What of a talk, and of what is permitted, bears on the next answer: gathered by the companion's policy.

Pure functions of the talk and the message; nothing here knows a prompt.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from textwrap import indent
from typing import NamedTuple

import msgspec

from companions.known import recalled_line
from companions.policy import Policy
from companions.policy_memory import Facts, TierBudget
from companions.quoting import quoted, unforged
from companions.remembered import Permitted
from companions.same import Same
from companions.state import Waiting
from companions.talk import Talk, replaced, without
from companions.tiers import LINE
from memory.messages import Message
from memory.recall import OVERHEARD, Reach, Recalled, Stated
from memory.recall import Remembered as Index
from memory.statements_kinds import StatementKind
from memory.text import sentences
from memory.tokens import count, shortened
from memory.window import Repeated, Sizes, fitted, in_turns, size, without_repeats

EDGE = "    "  # before each line of a value of several
MOST_CONTEXT_ENTRIES = 20  # of a message's own context
MOST_STATED_TOKENS = 120  # of one recalled message; of a longer one the sentences that state something


def up_to(talk: Talk, waiting: Waiting) -> Talk:
    """The talk before the message: without it, and without what stands behind it when it is answered anew.

    A message that waited while others were answered knows the answers to those before it, and to none behind it.
    """
    at, hides = waiting.message.position, waiting.hides_from
    talk = replaced(talk, waiting.hides(talk))
    first = at if hides is None else min(at, hides)
    later = [*takewhile(lambda each: each.position >= first, reversed(talk.messages))]
    gone = {each.id for each in later if each.role == "user" and each.position >= at}
    gone |= {each.id for each in later if hides is not None and each.position >= hides}
    return without(talk, [each.id for each in later if each.id in gone or each.answers in gone])


def window_of(policy: Policy, talk: Talk, waiting: Waiting) -> tuple[Message, ...]:
    """The messages before the current one that the model sees word for word (D11, D14, D15)."""
    rules, summary = policy.window, policy.summary
    before = [each for each in in_turns(talk.messages) if each.id != waiting.message.id]
    covered = talk.summary_covers if talk.summary is not None else None
    uncovered = [each for each in before if covered is None or each.position > covered]
    sizes = Sizes(
        messages=rules.messages if covered is None or summary is None else summary.during_keep,
        young_session=rules.young_session,
        distress_over=rules.distress_over,
        distress_lookback=rules.distress_lookback,
        distress_messages=rules.distress_messages,
        repeats_from=rules.repeats_from,
        repeats_messages=rules.repeats_messages,
        until_summary=rules.until_summary,
    )
    most = size(
        sizes,
        so_far=len(before),
        repeats=waiting.reading.repeat_count,
        distress=[*(row.distress for row in talk.emotions), waiting.reading.distress],
        uncovered=len(uncovered) if rules.until_summary else None,
    )
    if rules.remove_repeats:
        before = without_repeats(before, _repeats(talk, waiting), waiting.message.id)
    return tuple(before[-most:]) if most else ()


def _repeats(talk: Talk, waiting: Waiting) -> list[Repeated]:
    """Which messages asked the same: as found when they came, and every match of the current one."""
    repeats = [Repeated(message, earlier) for message, earlier, _ in talk.repeats]
    if waiting.reading.repeat_of is not None:
        same = (*waiting.reading.repeats, waiting.message.id)
        repeats.extend(Repeated(each, waiting.reading.repeat_of) for each in same)
    return repeats


def recalled_of(
    policy: Policy, talk: Talk, waiting: Waiting, permitted: Permitted, shown: Sequence[Message], index: Index
) -> tuple[tuple[Recalled, str], ...]:
    """What was stated earlier that matters now (tier 2); nothing the window shows anyway.

    What is critical for safety comes whole; of the rest at most as many as the policy says. Beyond the policy's
    last message back, and from earlier conversations, comes only what is kept as a fact.
    """
    if not (permitted.stated or permitted.stated_here):
        return ()
    border = waiting.message.position - policy.recall.last_back
    facts = policy.facts if policy.recall.beyond_by_facts else None
    reach = Reach(
        latest=len([each for each in talk.stated if each.position >= border]),
        beyond=_kinds(Same(facts)) if facts is not None else frozenset(),
    )
    index.follow(permitted.stated, permitted.stated_here)
    found = index.bring_back(
        waiting.reading.needed,
        most=policy.recall.most,
        reach=reach,
        shown={each.id for each in shown} | {waiting.message.id},
    )
    return tuple(_offered(found, policy.budget.tiers.get("recalled")))


@lru_cache(maxsize=16)
def _kinds(facts: Same[Facts]) -> frozenset[StatementKind]:
    return facts.value.kinds


def take_in(permitted: Permitted, index: Index) -> None:
    """Make ready what was stated, so that a recall finds it at once and as it is told."""
    index.follow(permitted.stated, permitted.stated_here)
    for latest in permitted.stated_here[-1:]:
        _telling(Same(latest))


def _offered(
    found: Iterable[tuple[Recalled, Stated]], tier: TierBudget | None
) -> Iterator[tuple[Recalled, str]]:
    """As much of what was ``found``, the best first, as fills a tier, and the one that lies over its rim."""
    left = tier.tokens if tier is not None else 0
    most = tier.item_tokens + LINE if tier is not None and tier.item_tokens is not None else left
    for each, stated in found:
        telling = _telling(Same(stated))
        yield each, telling.text
        left -= min(most, telling.cost)
        if left < 0:
            return


class _Telling(NamedTuple):
    """What is told of a message, and its tokens as an entry of a prompt."""

    text: str
    cost: int


@lru_cache(maxsize=4_096)
def _telling(same: Same[Stated]) -> _Telling:
    """What was said, and of a long message the sentences that state something."""
    text = _told_of(same.value)
    return _Telling(text, count(recalled_line(text)) + LINE)


def _told_of(stated: Stated) -> str:
    if count(stated.text) <= MOST_STATED_TOKENS:
        return stated.text
    said = [each.words or each.value for each in stated.statements if each.attribute != OVERHEARD]
    telling = [each for each in sentences(stated.text) if any(part and part in each for part in said)]
    return shortened(" […] ".join(telling) or "; ".join(said) or stated.text, MOST_STATED_TOKENS)


def context_of(policy: Policy, message: Message) -> tuple[str, ...]:
    """Where a message came from, as entries of data: the program, what was selected, the clipboard (X1).

    A value of several lines keeps them, for it may be code, and is set off from the margin. All entries together
    cost at most the tokens of their tier.
    """
    tier = policy.budget.tiers.get("context")
    if policy.memory.context == "never" or tier is None or message.context is None:
        return ()
    given = msgspec.json.decode(message.context, type=dict[str, object])
    pairs = [
        (key, str(value).strip()) for key, value in given.items() if isinstance(value, str | int | float)
    ]
    told = [(quoted(key), value) for key, value in pairs if value][:MOST_CONTEXT_ENTRIES]
    entries = [f"{key}:{_value(value)}" for key, value in told]
    return tuple(each for each in fitted(entries, tier.tokens, shortest=MOST_CONTEXT_ENTRIES) if each)


def _value(value: str) -> str:
    return f"\n{indent(unforged(value), EDGE)}" if "\n" in value else f" {quoted(value)}"


def calmed(talk: Talk) -> tuple[str, ...]:
    """Stories after which the person's distress was lower, in the order told."""
    rows = list(talk.emotions)
    distress = {row.message: row.distress for row in rows}
    order = [row.message for row in rows]
    calmed: list[str] = []
    for each in talk.messages:
        if each.narrative is None or each.answers not in distress:
            continue
        at = order.index(each.answers)
        if at + 1 < len(order) and distress[order[at + 1]] < distress[each.answers]:
            calmed.append(each.narrative)
    return tuple(calmed)
