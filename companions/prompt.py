"""The prompt of one answer: assembled from a companion's texts and what its policy permits.

Pure and deterministic: the same input gives the same bytes. The order is persona, rules and safety, session
type, profile and facts, summaries, recalled, window, what changes with every message, the message itself; the
first parts are byte-stable within a conversation, so that a prefix cache works. Memory is quoted text between
marks, with its date where the companion may know dates, and never an instruction.
"""

from collections.abc import Mapping, Sequence

import msgspec

from companions.companion import Companion
from companions.events import Style
from companions.known import block_of, in_system, recalled_items
from companions.policy_memory import Tier
from companions.policy_turn import AnswerLength, NarrativeRole
from companions.ports import Prompt, PromptMessage
from companions.quoting import GUIDANCE, NOTES, between, quoted, unforged
from companions.remembered import Permitted
from companions.standing import FRAME, Known, cost_with_notes, heading_cost, standing, with_notes
from companions.texts import PromptWord, filled
from companions.tiers import Fitted, Item, balanced, capped
from memory.messages import Message
from memory.recall import Recalled
from memory.tokens import TURN, count, shortened
from memory.window import fitted, shorten_old

LEAST_MESSAGE = 64  # tokens that the current message keeps in the smallest context


class Tone(msgspec.Struct, frozen=True, kw_only=True):
    """What shapes the sound of an answer: the latest feelings, warmth, length, a story."""

    feelings: tuple[str, ...] = ()
    direction: str = ""
    warmth: int | None = None
    length: AnswerLength | None = None
    story: str | None = None
    story_role: NarrativeRole = "none"
    style: Style | None = None  # another answer is wanted


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """What happens now: the message, the window before it, what was recalled, the tone of the answer."""

    session_type: str
    message: str
    window: tuple[Message, ...] = ()
    recalled: tuple[tuple[Recalled, str], ...] = ()  # with the text that was said
    summary_here: str | None = None  # of the older part of this conversation
    tone: Tone = Tone()
    crisis: str | None = None  # instructions when the model speaks in a crisis
    context: tuple[str, ...] = ()  # which program the message came from, and what was selected there
    max_tokens: int | None = None
    user: str = ""


class Assembled(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt, and what was found, taken and left out on the way to it (ids, numbers and reasons, no text).

    ``found`` and ``items`` count entries by tier, ``tokens`` what those taken cost; ``dropped`` has a reason for
    every entry that was found and not taken.
    """

    prompt: Prompt
    tokens: dict[str, int]
    found: dict[str, int]
    items: dict[str, int]
    dropped: dict[str, str]
    used: tuple[str, ...]
    shortened: bool


class _Window(msgspec.Struct, frozen=True, kw_only=True):
    turns: tuple[PromptMessage, ...] = ()
    dropped: tuple[str, ...] = ()  # ids of messages that did not fit

    @property
    def cost(self) -> int:
        return sum(count(each.text) + TURN for each in self.turns)


def assemble(companion: Companion, permitted: Permitted, scene: Scene) -> Assembled:
    """The prompt for ``scene``. It never costs more than the companion's context allows."""
    budget = companion.policy.budget
    stays = standing(companion, permitted, session_type=scene.session_type, summary_here=scene.summary_here)
    recalled = recalled_items(scene.recalled)
    found: dict[Tier, Sequence[Item]] = {**stays.known.items, "recalled": recalled}
    frames = stays.known.headings + heading_cost(companion.texts.prompt, "recalled", recalled)
    guidance = _guidance(companion, scene, permitted.anchors)
    told = sum(map(count, (guidance, _context(companion, scene), companion.texts.prompt["shortened"])))
    fixed = stays.tokens + told + 3 * FRAME + 2 * TURN
    room = budget.context - budget.response - fixed - frames
    whole = unforged(scene.message)
    message = shortened(whole, max(LEAST_MESSAGE, room // 2))
    cut = message != whole
    room -= count(message)
    if budget.added is not None:
        room = min(room, budget.added - frames)
    tiers, window = _fit(companion, scene, found, stays.known, max(0, room))
    notes = _blocks(companion, stays.known, tiers)
    prompt = Prompt(
        system=with_notes(stays.beginning, notes),
        messages=_alternating(window.turns, _current(companion, scene, tiers, guidance, message, cut=cut)),
        max_tokens=min(
            scene.max_tokens or companion.policy.model.max_tokens, companion.policy.model.max_tokens
        ),
        temperature=companion.policy.model.temperature,
        tools=stays.tools,
        user=scene.user,
    )
    system = cost_with_notes(stays.beginning, notes)
    made = _reported(prompt, found, tiers, window, system=system, cut=cut, scene=scene)
    return _with_passed_over(made, permitted)


def _blocks(companion: Companion, known: Known, tiers: Mapping[Tier, Fitted]) -> list[str]:
    """What of memory stands behind the beginning, in the order of the policy, each tier under its heading."""
    words = companion.texts.prompt
    blocks: list[str] = []
    for tier in in_system(companion):
        if tier in tiers:
            fit = tiers[tier]
            kept = fit is known.fitted.get(tier)
            blocks += known.blocks[tier] if kept else block_of(words, tier, fit.items)
    return blocks


def _reported(
    prompt: Prompt,
    found: Mapping[Tier, Sequence[Item]],
    tiers: Mapping[Tier, Fitted],
    window: _Window,
    *,
    system: int,
    cut: bool,
    scene: Scene,
) -> Assembled:
    tokens: dict[str, int] = {tier: fit.cost for tier, fit in tiers.items() if fit.items}
    tokens["window"] = window.cost
    tokens["system"] = system
    tokens["all"] = system + TURN + sum(count(each.text) + TURN for each in prompt.messages)
    items: dict[str, int] = {tier: len(fit.items) for tier, fit in tiers.items() if fit.items}
    items["window"] = len(window.turns)
    had: dict[str, int] = {tier: len(each) for tier, each in found.items() if each}
    had["window"] = len(scene.window)
    dropped = {item: reason for fit in tiers.values() for item, reason in fit.dropped}
    dropped |= dict.fromkeys(window.dropped, "prompt_budget")
    used = tuple(item.id for fit in tiers.values() for item in fit.items)
    return Assembled(
        prompt=prompt, tokens=tokens, found=had, items=items, dropped=dropped, used=used, shortened=cut
    )


def _with_passed_over(made: Assembled, permitted: Permitted) -> Assembled:
    """Facts beyond what a category may have were found too, and are said to be left out."""
    here = {*made.used, *made.dropped}
    passed = {fact.id: "category_limit" for fact in permitted.facts if fact.id not in here}
    if not passed:
        return made
    found = {**made.found, "facts": len(permitted.facts)}
    return msgspec.structs.replace(made, found=found, dropped={**made.dropped, **passed})


# ---------------------------------------------------------------- fitting


def _fit(
    companion: Companion,
    scene: Scene,
    found: Mapping[Tier, Sequence[Item]],
    known: Known,
    room: int,
) -> tuple[dict[Tier, Fitted], _Window]:
    """Share ``room`` out. Safety-critical statements have a reserve that small talk cannot take (D10)."""
    budget = companion.policy.budget
    safety_ids = {each.message_id for each, _ in scene.recalled if each.safety}
    fit: dict[Tier, Fitted] = {
        tier: known.fitted[tier] if tier in known.fitted else capped(items, budget.tiers.get(tier))
        for tier, items in found.items()
        if items
    }
    recalled = fit.get("recalled", Fitted())
    critical = sum(item.cost for item in recalled.items if item.id in safety_ids)
    reserve = min(budget.safety_reserve, critical)
    window_limit = budget.tiers["window"].tokens if "window" in budget.tiers else room
    before: dict[Tier, Fitted] = {
        tier: each for tier, each in fit.items() if _goes_before_window(companion, tier)
    }
    taken = sum(each.cost for each in balanced(before, budget, max(0, room - reserve)).values())
    window = _window(companion, scene, max(0, min(window_limit, room - reserve - taken)))
    return balanced(fit, budget, max(0, room - window.cost)), window


def _goes_before_window(companion: Companion, tier: Tier) -> bool:
    """Whether a tier is cut later than the window."""
    tiers = companion.policy.budget.tiers
    return tier in tiers and "window" in tiers and tiers[tier].priority < tiers["window"].priority


def _window(companion: Companion, scene: Scene, room: int) -> _Window:
    """The messages before the current one, old long ones shortened, as many as ``room`` holds.

    One that alone would fill more than half of it is shortened in its middle, so that it pushes nothing else out.
    """
    texts = _texts(companion, scene.window)
    longest = room // 2 if room > LEAST_MESSAGE else None
    fit = fitted(texts, room, shortest=companion.policy.budget.shortest_message, longest=longest)
    pairs = list(zip(scene.window, fit, strict=True))
    return _Window(
        turns=tuple(PromptMessage(role=each.role, text=text) for each, text in pairs if text is not None),
        dropped=tuple(each.id for each, text in pairs if text is None),
    )


def _texts(companion: Companion, window: Sequence[Message]) -> list[str]:
    """The messages of a window, quoted, and the old long ones shortened."""
    rules = companion.policy.window
    return shorten_old(
        [unforged(each.text) for each in window],
        over_chars=rules.shorten_over_chars,
        keep_last=rules.shorten_keep_last,
    )


def prepare(companion: Companion, window: Sequence[Message]) -> None:
    """Lay out the messages of the window that the next prompt will have, so that they are quickly cut to any size."""
    for text in _texts(companion, window):
        lay_out(text)


def lay_out(text: str) -> None:
    """Count a message, and find where it can be cut, before it stands in a prompt."""
    shortened(unforged(text), LEAST_MESSAGE)


def _alternating(turns: Sequence[PromptMessage], current: str) -> tuple[PromptMessage, ...]:
    """The person first, then by turns: several model servers insist on it.

    Neighbours of one role become one turn; before an answer whose question is not in the window stands a
    speechless one.
    """
    said = [*turns, PromptMessage(role="user", text=current)]
    if said[0].role == "assistant":
        said.insert(0, PromptMessage(role="user", text="…"))
    joined: list[PromptMessage] = []
    for each in said:
        if joined and joined[-1].role == each.role:
            joined[-1] = PromptMessage(role=each.role, text=f"{joined[-1].text}\n\n{each.text}")
        else:
            joined.append(each)
    return tuple(joined)


# ---------------------------------------------------------------- what changes with every message


def _current(
    companion: Companion,
    scene: Scene,
    tiers: Mapping[Tier, Fitted],
    guidance: str,
    message: str,
    *,
    cut: bool,
) -> str:
    """The message, with the notes and the guidance of this moment before it."""
    health = tiers["health"].items if "health" in tiers else ()
    notes = [*block_of(companion.texts.prompt, "health", health)]
    context = _context(companion, scene)
    told = f"{companion.texts.prompt['shortened']}\n\n{guidance}".rstrip() if cut else guidance
    parts = (
        between(NOTES, [*notes, *([context] if context else [])]),
        between(GUIDANCE, [told] if told else []),
        message,
    )
    return "\n\n".join(part for part in parts if part)


def _context(companion: Companion, scene: Scene) -> str:
    """Where the message came from, and what was sent along; data, like all notes."""
    lines = [f"- {line}" for line in scene.context]
    return "\n".join([companion.texts.prompt["context"], *lines]) if lines else ""


_AGAIN: dict[Style, PromptWord] = {"again": "again", "shorter": "shorter", "simpler": "simpler"}


def _guidance(companion: Companion, scene: Scene, things: Sequence[str]) -> str:
    """How this answer should be: what a crisis calls for, tone, warmth, length, a story."""
    texts, tone = companion.texts, scene.tone
    words = texts.prompt
    parts: list[str] = [scene.crisis] if scene.crisis else []
    if tone.feelings:
        parts.append(
            filled(words["tone"], {"emotions": ", ".join(tone.feelings), "trajectory": tone.direction})
        )
    if tone.warmth is not None and texts.warmth:
        parts.append(texts.warmth[tone.warmth])
    if tone.length is not None and tone.length in texts.lengths:
        parts.append(texts.lengths[tone.length])
    if things:
        parts.append(filled(words["anchors"], {"things": ", ".join(quoted(thing) for thing in things)}))
    if tone.story is not None and tone.story_role != "none":
        key: PromptWord = "narrative_primary" if tone.story_role == "primary" else "narrative"
        parts.append(filled(words[key], {"story": tone.story}))
    if tone.style is not None:
        parts.append(words[_AGAIN[tone.style]])
    return "\n".join(parts)
