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
from companions.policy_memory import Section, Tier
from companions.policy_turn import AnswerLength, NarrativeRole
from companions.ports import Prompt, PromptMessage
from companions.remembered import Caregiver, CheckIn, FactLine, PastTalk, Permitted, Profile
from companions.texts import PromptWord, filled
from companions.tiers import Fitted, Item, balanced, capped
from companions.tools import TOOLS
from memory.messages import Message
from memory.recall import Recalled
from memory.tokens import TURN, count, shortened
from memory.window import fitted, shorten_old

OPEN, SHUT = "<<<", ">>>"  # around quoted memory


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
    """A prompt, and what was found and left out on the way to it (ids and reasons, no text)."""

    prompt: Prompt
    tokens: dict[str, int]
    items: dict[str, int]
    dropped: dict[str, str]
    used: tuple[str, ...]
    shortened: bool


def assemble(companion: Companion, permitted: Permitted, scene: Scene) -> Assembled:
    """The prompt for ``scene``. It never costs more than the companion's context allows."""
    budget = companion.policy.budget
    stable = _stable(companion, permitted, scene)
    offered = _offered(companion, permitted, scene)
    fixed = count(stable) + count(_volatile(companion, scene, permitted.anchors)) + 4 * TURN
    room = budget.context - budget.response - fixed
    message = _message(scene, max(64, room // 2))
    room -= count(message) + TURN
    if budget.added is not None:
        room = min(room, budget.added)
    tiers, window = _fit(companion, scene, offered, max(0, room))
    system = "\n\n".join(part for part in (stable, *_memory(companion, tiers)) if part)
    health = tiers["health"].items if "health" in tiers else ()
    volatile = _volatile(companion, scene, permitted.anchors, health=health)
    current = f"{OPEN}\n{volatile}\n{SHUT}\n\n{message}" if volatile else message
    model = companion.policy.model
    prompt = Prompt(
        system=system,
        messages=(*window, PromptMessage(role="user", text=current)),
        max_tokens=min(scene.max_tokens or model.max_tokens, model.max_tokens),
        temperature=model.temperature,
        tools=tuple(TOOLS[name] for name in model.tools if name in TOOLS),
        user=scene.user,
    )
    return _reported(prompt, tiers, window, cut=message != scene.message, scene=scene)


def _reported(
    prompt: Prompt, tiers: Mapping[Tier, Fitted], window: Sequence[PromptMessage], *, cut: bool, scene: Scene
) -> Assembled:
    tokens: dict[str, int] = {tier: fit.cost for tier, fit in tiers.items() if fit.items}
    tokens["window"] = sum(count(each.text) + TURN for each in window)
    tokens["system"] = count(prompt.system)
    tokens["all"] = tokens["system"] + sum(count(each.text) + TURN for each in prompt.messages)
    items: dict[str, int] = {tier: len(fit.items) for tier, fit in tiers.items() if fit.items}
    items["window"] = len(window)
    dropped = {item: reason for fit in tiers.values() for item, reason in fit.dropped}
    if len(window) < len(scene.window):
        dropped["window"] = "prompt_budget"
    used = tuple(item.id for fit in tiers.values() for item in fit.items)
    return Assembled(prompt=prompt, tokens=tokens, items=items, dropped=dropped, used=used, shortened=cut)


# ---------------------------------------------------------------- the stable beginning


_STYLES: dict[str, PromptWord] = {
    "direct": "style_direct",
    "gentle": "style_gentle",
    "socratic": "style_socratic",
    "validating": "style_validating",
}


def _stable(companion: Companion, permitted: Permitted, scene: Scene) -> str:
    """Persona, rules, safety and session type: never cut."""
    texts = companion.texts
    style = permitted.profile.communication_style if permitted.profile is not None else None
    words = {
        "style": texts.prompt.get(_STYLES[style or companion.policy.style], ""),
        "name": companion.name,
        "subject": companion.subject or "",
    }
    parts = {
        "persona": texts.persona,
        "rules": texts.rules,
        "safety": texts.safety,
        "session": texts.sessions.get(scene.session_type, ""),
    }
    chosen = [filled(parts[section], words) for section in companion.policy.order if section in parts]
    return "\n\n".join(part for part in chosen if part)


# ---------------------------------------------------------------- what memory offers


def _offered(companion: Companion, permitted: Permitted, scene: Scene) -> dict[Tier, list[Item]]:
    """The items of each tier, the most important first."""
    safety = [(found, text) for found, text in scene.recalled if found.safety]
    other = [(found, text) for found, text in scene.recalled if not found.safety]
    here = [Item("summary_here", f"- {scene.summary_here}")] if scene.summary_here else []
    return {
        "static": [*_profile(permitted.profile), *_caregiver(permitted.caregiver)],
        "dynamic": _check_in(permitted.check_in),
        "facts": _facts(permitted.facts, companion),
        "key_facts": [Item(f"key_fact:{at}", f"- {fact}") for at, fact in enumerate(permitted.key_facts)],
        "topics": [Item(f"topic:{at}", f"- {topic}") for at, topic in enumerate(permitted.topics)],
        "summaries": [*here, *(_summary(each) for each in reversed(permitted.summaries))],
        "recalled": [Item(found.message_id, f'- "{quoted(text)}"') for found, text in (*safety, *other)],
        "health": [
            Item(f"health:{at}", f"- {line}")
            for at, line in enumerate(permitted.health.lines if permitted.health is not None else ())
        ],
    }


def _facts(facts: Sequence[FactLine], companion: Companion) -> list[Item]:
    """The surest of each category, at most the policy's number of each; pinned ones first."""
    policy = companion.policy.facts
    if policy is None:
        return []
    ranked = sorted(facts, key=lambda fact: (not fact.pinned, -fact.confidence, fact.id))
    taken: dict[str, int] = {}
    items: list[Item] = []
    for fact in ranked:
        taken[fact.category] = taken.get(fact.category, 0) + 1
        if taken[fact.category] <= policy.in_prompt or fact.pinned:
            items.append(Item(fact.id, f"- {quoted(fact.text)}"))
    return items


def _profile(profile: Profile | None) -> list[Item]:
    if profile is None:
        return []
    lines = {
        "name": profile.preferred_name or profile.name,
        "topics_to_avoid": _joined("Does not want to talk about", profile.topics_to_avoid),
        "pronouns": _labelled("Pronouns", profile.pronouns),
        "age": _labelled("Age", profile.age),
        "primary_goals": _joined("Goals", profile.primary_goals),
        "coping": _joined("What helps", profile.coping_strategies),
        "therapist": _labelled("Therapist", profile.therapist),
        "crisis_contact": _labelled("Trusted contact", profile.crisis_contact),
        "session_length": _labelled("Likes conversations to be", profile.session_length),
        "secondary_goals": _joined("Further goals", profile.secondary_goals),
    }
    lines["name"] = _labelled("Name", lines["name"])
    return [Item(f"profile:{key}", f"- {line}") for key, line in lines.items() if line]


def _caregiver(caregiver: Caregiver | None) -> list[Item]:
    if caregiver is None:
        return []
    lines = {
        "name": _labelled("Likes to be called", caregiver.preferred_name),
        "avoid": _joined("Subjects to leave alone", caregiver.avoid_topics),
        "known": _joined("Pleasant subjects", caregiver.known_topics),
        "routine": _joined("The day", caregiver.routine),
    }
    return [Item(f"caregiver:{key}", f"- {line}") for key, line in lines.items() if line]


def _check_in(check_in: CheckIn | None) -> list[Item]:
    if check_in is None:
        return []
    scores = {"mood": check_in.mood, "sleep": check_in.sleep, "anxiety": check_in.anxiety}
    said = ", ".join(f"{name} {score}/10" for name, score in scores.items() if score is not None)
    lines = {
        "scores": f"Check-in on {check_in.on}: {said}" if said else None,
        "stressors": _joined("What weighs on them", check_in.stressors),
        "wins": _joined("What went well", check_in.wins),
    }
    return [Item(f"check_in:{key}", f"- {line}") for key, line in lines.items() if line]


def _summary(talk: PastTalk) -> Item:
    return Item(talk.id, f"- {talk.on} ({talk.part}): {quoted(talk.text)}")


def _labelled(label: str, value: str | int | None) -> str | None:
    return None if value is None or value == "" else f"{label}: {quoted(str(value))}"


def _joined(label: str, values: Sequence[str]) -> str | None:
    return _labelled(label, ", ".join(values)) if values else None


def quoted(text: str) -> str:
    """Quoted text stays one line and cannot forge the marks around it."""
    return " ".join(text.split()).replace(OPEN, "«").replace(SHUT, "»")


# ---------------------------------------------------------------- fitting


def _fit(
    companion: Companion, scene: Scene, offered: Mapping[Tier, Sequence[Item]], room: int
) -> tuple[dict[Tier, Fitted], tuple[PromptMessage, ...]]:
    """Share ``room`` out. Safety-critical statements have a reserve that small talk cannot take (D10)."""
    budget = companion.policy.budget
    safety_ids = {found.message_id for found, _ in scene.recalled if found.safety}
    fit: dict[Tier, Fitted] = {
        tier: capped(items, budget.tiers.get(tier)) for tier, items in offered.items() if items
    }
    recalled = fit.get("recalled", Fitted())
    critical = sum(item.cost for item in recalled.items if item.id in safety_ids)
    reserve = min(budget.safety_reserve, critical)
    window_limit = budget.tiers["window"].tokens if "window" in budget.tiers else room
    before: dict[Tier, Fitted] = {
        tier: each for tier, each in fit.items() if _goes_before_window(companion, tier)
    }
    taken = sum(each.cost for each in balanced(before, budget, max(0, room - reserve)).values())
    window = _window(companion, scene, min(window_limit, room - reserve - taken))
    spent = sum(count(each.text) + TURN for each in window)
    return balanced(fit, budget, max(0, room - spent)), window


def _goes_before_window(companion: Companion, tier: Tier) -> bool:
    """Whether a tier is cut later than the window."""
    tiers = companion.policy.budget.tiers
    return tier in tiers and "window" in tiers and tiers[tier].priority < tiers["window"].priority


def _window(companion: Companion, scene: Scene, room: int) -> tuple[PromptMessage, ...]:
    rules = companion.policy.window
    texts = shorten_old(
        [each.text for each in scene.window],
        over_chars=rules.shorten_over_chars,
        keep_last=rules.shorten_keep_last,
    )
    fit = fitted(texts, max(0, room), shortest=companion.policy.budget.shortest_message)
    turns = [
        PromptMessage(role=each.role, text=text)
        for each, text in zip(scene.window, fit, strict=True)
        if text is not None
    ]
    while turns and turns[0].role == "assistant":
        turns.pop(0)  # a window begins with the person: several model servers insist on it
    return tuple(turns)


def _message(scene: Scene, most: int) -> str:
    """The current message, with where it came from; cut in its middle only where the model cannot take it."""
    return shortened(scene.message, most)


# ---------------------------------------------------------------- memory as text


_WORD_OF_TIER: dict[Tier, PromptWord] = {
    "dynamic": "check_in",
    "facts": "facts",
    "key_facts": "key_facts",
    "topics": "topics",
    "summaries": "summaries",
    "recalled": "recalled",
}
_HEADINGS: dict[Section, tuple[Tier, ...]] = {
    "profile": ("static", "dynamic"),
    "facts": ("facts", "key_facts", "topics"),
    "summaries": ("summaries",),
    "recalled": ("recalled",),
}


def _memory(companion: Companion, tiers: Mapping[Tier, Fitted]) -> list[str]:
    """The blocks of quoted memory, in the order of the policy; one quotation for all of them."""
    words = companion.texts.prompt
    blocks: list[str] = []
    for section in companion.policy.order:
        for tier in _HEADINGS.get(section, ()):
            items = tiers[tier].items if tier in tiers else ()
            blocks.extend(_block(words, tier, items))
    if not blocks:
        return [words["first"]] if words.get("first") else []
    return [f"{words['quote']}\n{OPEN}\n" + "\n\n".join(blocks) + f"\n{SHUT}"]


def _block(words: Mapping[PromptWord, str], tier: Tier, items: Sequence[Item]) -> list[str]:
    """One tier under its heading; what a caregiver gave has a heading of its own."""
    if not items:
        return []
    if tier == "static":
        own = [item for item in items if item.id.startswith("profile:")]
        given = [item for item in items if item.id.startswith("caregiver:")]
        return [_under(words["profile"], own)] * bool(own) + [_under(words["caregiver"], given)] * bool(given)
    return [_under(words[_WORD_OF_TIER[tier]], items)]


def _under(heading: str, items: Sequence[Item]) -> str:
    return "\n".join([heading, *(item.text for item in items)])


def _volatile(
    companion: Companion, scene: Scene, things: Sequence[str], *, health: Sequence[Item] = ()
) -> str:
    """What changes with every message: tone, warmth, length, health, a story, instructions in a crisis."""
    texts, tone = companion.texts, scene.tone
    words = texts.prompt
    parts: list[str] = [scene.crisis] if scene.crisis else []
    if scene.context:
        parts.append(_under(words["context"], [Item("context", f"- {line}") for line in scene.context]))
    if tone.feelings:
        parts.append(
            filled(words["tone"], {"emotions": ", ".join(tone.feelings), "trajectory": tone.direction})
        )
    if tone.warmth is not None and texts.warmth:
        parts.append(texts.warmth[tone.warmth])
    if tone.length is not None and tone.length in texts.lengths:
        parts.append(texts.lengths[tone.length])
    if things:
        parts.append(filled(words["anchors"], {"things": ", ".join(things)}))
    if health:
        parts.append(_under(words["health"], health))
    if tone.story is not None and tone.story_role != "none":
        key: PromptWord = "narrative_primary" if tone.story_role == "primary" else "narrative"
        parts.append(filled(words[key], {"story": tone.story}))
    return "\n\n".join(parts)
