"""What of a prompt stays as it is from turn to turn: made once, and kept for the next turn.

A person's profile, facts and summaries change seldom while they talk. Everything here is a pure function of a
companion, of what is permitted and of the kind of session; what it came to is kept for the conversations that are
going on now, the longest unused given up first.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from companions.companion import Companion
from companions.known import block_of, known_items
from companions.policy_memory import Tier
from companions.ports import Tool
from companions.quoting import NOTES, between
from companions.remembered import Permitted
from companions.same import Same
from companions.texts import PromptWord, filled
from companions.tiers import Fitted, Item, capped
from companions.tools import TOOLS
from memory.tokens import TURN, count

FRAME = 8  # tokens of a pair of marks and the empty lines around a block
MOST_KEPT = 64  # talks, about 20 kB each; one that was given up is planned in some 2 ms more

_STYLES: dict[str, PromptWord] = {
    "direct": "style_direct",
    "gentle": "style_gentle",
    "socratic": "style_socratic",
    "validating": "style_validating",
}


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """All of memory but what a message recalls, whatever kind of session it is for: the items of each tier, what of
    them the tier's own limits hold, and that as it is written. ``headings`` are tokens, of what introduces the tiers.
    """

    headings: int
    items: Mapping[Tier, Sequence[Item]]
    fitted: Mapping[Tier, Fitted]
    blocks: Mapping[Tier, list[str]]


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The beginning of a prompt, what is known of the person, and the ``tokens`` of the beginning and the tools."""

    beginning: str
    tools: tuple[Tool, ...]
    tokens: int
    known: Known


def with_notes(beginning: str, notes: list[str]) -> str:
    """The system part of a prompt: its beginning, and the blocks of what is remembered between their marks."""
    return "\n\n".join(part for part in (beginning, between(NOTES, notes)) if part)


def standing(
    companion: Companion, permitted: Permitted, *, session_type: str, summary_here: str | None
) -> Standing:
    """What stays of a prompt as long as these do."""
    lasting = msgspec.structs.replace(permitted, stated=(), stated_here=(), anchors=())
    return _standing(Same(companion), lasting, session_type, summary_here)


@lru_cache(maxsize=MOST_KEPT)
def _standing(
    same: Same[Companion], permitted: Permitted, session_type: str, summary_here: str | None
) -> Standing:
    companion = same.value
    beginning = _beginning(companion, permitted, session_type)
    tools = tuple(TOOLS[name] for name in companion.policy.model.tools if name in TOOLS)
    return Standing(
        beginning=beginning,
        tools=tools,
        tokens=count(beginning) + sum(map(_tool_cost, tools)),
        known=_known(same, permitted, summary_here),
    )


@lru_cache(maxsize=MOST_KEPT)
def _known(same: Same[Companion], permitted: Permitted, summary_here: str | None) -> Known:
    """A talk may become one in crisis at any message: what is known of the person is not written down anew then."""
    companion = same.value
    words, limits = companion.texts.prompt, companion.policy.budget.tiers
    items = known_items(companion, permitted, summary_here=summary_here)
    fitted: dict[Tier, Fitted] = {
        tier: capped(each, limits.get(tier)) for tier, each in items.items() if each
    }
    return Known(
        headings=sum(heading_cost(words, tier, each) for tier, each in items.items()),
        items=items,
        fitted=fitted,
        blocks={tier: block_of(words, tier, each.items) for tier, each in fitted.items()},
    )


def _beginning(companion: Companion, permitted: Permitted, session_type: str) -> str:
    """Persona, rules, safety and session type, and how notes and guidance are to be taken: never cut."""
    texts = companion.texts
    style = permitted.profile.communication_style if permitted.profile is not None else None
    kind = companion.policy.session.types.get(session_type)
    words = {
        "style": texts.prompt.get(_STYLES[style or companion.policy.style], ""),
        "session": kind.label if kind is not None else "",
    }
    parts = {
        "persona": texts.persona,
        "rules": texts.rules,
        "safety": texts.safety,
        "session": texts.sessions.get(session_type, ""),
    }
    chosen = [filled(parts[section], words) for section in companion.policy.order if section in parts]
    first = texts.prompt["first"] if permitted.stranger else ""
    return "\n\n".join(part for part in (*chosen, texts.prompt["quote"], first) if part)


def _tool_cost(tool: Tool) -> int:
    """What offering a tool costs: servers write its schema into the prompt."""
    return count(tool.name) + count(tool.description) + count(str(tool.parameters)) + TURN


def heading_cost(words: Mapping[PromptWord, str], tier: Tier, items: Sequence[Item]) -> int:
    """What introducing a tier costs beside its items."""
    if tier == "recalled":  # other ones with every message
        return _heading_cost(words[tier], len(items)) if items else 0
    empty = [Item(item.id, "") for item in items]
    return sum(count(block) + FRAME for block in block_of(words, tier, empty))


@lru_cache(maxsize=256)
def _heading_cost(heading: str, lines: int) -> int:
    """What a heading costs above so many lines."""
    return count(heading + "\n" * lines) + FRAME


def cost_with_notes(beginning: str, notes: Sequence[str]) -> int:
    """Tokens of ``with_notes``: texts that empty lines part cost what each costs, and the line breaks."""
    frame = sum(map(count, NOTES)) + 4 + 2 * (len(notes) - 1) if notes else 0
    return _cost_of(beginning) + sum(map(_cost_of, notes)) + frame


@lru_cache(maxsize=8 * MOST_KEPT)
def _cost_of(block: str) -> int:
    """Tokens of a text that most often stood in the prompt before, too."""
    return count(block)
