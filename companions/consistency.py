"""What of a policy must fit together. Each rule says the key to change, and why."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from companions.errors import PolicyError
from companions.narratives import Narrative
from companions.policy import Policy
from companions.policy_memory import SECTIONS, Memory, Section, Tier
from companions.policy_safety import CATEGORIES
from companions.policy_turn import NarrativeCategory, emotions

Found: TypeAlias = Iterator[tuple[str, str]]
STABLE: set[Section] = {"persona", "rules", "safety"}


def check_policy(file: str, policy: Policy) -> None:
    """Raises ``PolicyError`` for the first rule that does not hold."""
    rules: Sequence[Callable[[Policy], Found]] = (
        _order,
        _allowed,
        _budget,
        _tiers,
        _window,
        _memory,
        _session,
        _feelings,
        _strategy,
        _safety,
        _names,
    )
    for rule in rules:
        for key, reason in rule(policy):
            raise PolicyError(file, key, reason)


def check_stories(file: str, policy: Policy, narratives: Sequence[Narrative]) -> None:
    """Raises ``PolicyError`` for a story no one can be told, or a strategy that has none to tell."""
    known = set(emotions(policy.emotion.set))
    for story in narratives:
        for emotion in story.emotions:
            if emotion not in known:
                raise PolicyError(file, f"narrative.{story.id}", f"{emotion} is not in the set of emotions")
    pools = {story.category for story in narratives}
    for key, category in _told(policy):
        if not narratives or (category is not None and category not in pools):
            raise PolicyError(
                file, key, f"there is no narrative of {category}" if narratives else "there is no narrative"
            )


def _told(policy: Policy) -> Iterator[tuple[str, NarrativeCategory | None]]:
    for intent, categories in policy.stories.by_intent.items():
        for category in categories:
            yield f"stories.by_intent.{intent}", category
    for category in policy.stories.fallback:
        yield "stories.fallback", category
    for index, strategy in enumerate(policy.repetition.strategy):
        if strategy.narrative != "none":
            yield f"repetition.strategy[{index}].category", strategy.category


def _order(policy: Policy) -> Found:
    order = policy.order
    if sorted(order) != sorted(SECTIONS):
        yield "order", "must name each section once"
    elif set(order[:3]) != STABLE:
        yield "order", "persona, rules and safety come first: memory cannot override them"
    elif order[-1] != "message":
        yield "order", "the current message comes last"


def _budget(policy: Policy) -> Found:
    budget = policy.budget
    asked = sum(tier.tokens for tier in budget.tiers.values()) + budget.response
    if asked > budget.context:
        yield "budget.context", f"tiers and answer need {asked} tokens, the context holds {budget.context}"
    if policy.model.max_tokens > budget.response:
        yield "model.max_tokens", f"is more than budget.response keeps free ({budget.response})"
    if budget.added is None:
        if budget.safety_reserve:
            yield "budget.safety_reserve", "is a part of budget.added, which is not set"
    elif budget.safety_reserve >= budget.added:
        yield "budget.safety_reserve", f"leaves nothing of the {budget.added} tokens"
    if budget.shortest_message * policy.window.messages > budget.tiers["window"].tokens:
        yield "budget.shortest_message", "so many messages of this length do not fit into the window's tokens"


def _tiers(policy: Policy) -> Found:
    budget = policy.budget
    seen: dict[int, Tier] = {}
    for name, tier in budget.tiers.items():
        key = f"budget.tiers.{name}"
        if tier.priority in seen:
            yield f"{key}.priority", f"{tier.priority} is that of {seen[tier.priority]} already"
        seen[tier.priority] = name
        if tier.item_tokens is not None and tier.item_tokens > tier.tokens:
            yield f"{key}.item_tokens", f"one entry is larger than the tier ({tier.tokens})"
        if tier.reduced_items is not None and tier.reduced_items >= (tier.items or tier.reduced_items + 1):
            yield f"{key}.reduced_items", "is not less than items"
        if budget.added is not None and name not in ("system", "static") and tier.tokens > budget.added:
            yield f"{key}.tokens", f"is more than budget.added ({budget.added})"


def _needed_tiers(memory: Memory) -> Iterable[tuple[Tier, bool]]:
    yield "system", True
    yield "window", True
    yield "static", memory.profile != "never" or memory.caregiver != "never"
    yield "dynamic", memory.check_in != "never"
    yield "health", memory.health != "never"
    yield "facts", memory.facts != "never"
    yield "summaries", memory.summaries != "never"
    yield "key_facts", memory.key_facts != "never"
    yield "topics", memory.key_facts != "never"
    yield "recalled", memory.recall != "never"
    yield "context", memory.context != "never"


def _memory(policy: Policy) -> Found:
    memory, tools = policy.memory, policy.model.tools
    if policy.welcome.asks and memory.profile != "across":
        yield "welcome.asks", "what is told is kept only where memory.profile is across"
    if len(set(policy.welcome.asks)) < len(policy.welcome.asks):
        yield "welcome.asks", "names the same thing twice"
    if memory.facts != "never" and policy.facts is None:
        yield "facts", "memory.facts is allowed, so this table is required"
    if memory.summaries != "never" and policy.summary is None:
        yield "summary", "memory.summaries is allowed, so this table is required"
    if ("search_memory" in tools) != (memory.search != "never"):
        yield "model.tools", "search_memory and memory.search must be given both, or neither"
    if "remember" in tools and policy.facts is None:
        yield "model.tools", "remember writes facts, and there is no table facts"
    if policy.recall.last_back <= policy.window.messages:
        yield "recall.last_back", "is not beyond window.messages, which are shown anyway"
    if policy.recall.beyond_by_facts and policy.facts is None:
        yield "recall.beyond_by_facts", "there is no table facts"
    if policy.facts is not None:
        yield from _facts(policy)


def _facts(policy: Policy) -> Found:
    facts = policy.facts
    assert facts is not None
    if not facts.categories or len(set(facts.categories)) != len(facts.categories):
        yield "facts.categories", "must name at least one, and each once"
    for kind, category in facts.filed.items():
        if category not in facts.categories:
            yield f"facts.filed.{kind}", f"{category} is not among facts.categories"
    if facts.start > facts.most:
        yield "facts.start", "is more than facts.most"
    if facts.soft_limit is not None and facts.hard_limit is not None and facts.soft_limit > facts.hard_limit:
        yield "facts.soft_limit", "is more than facts.hard_limit"


def _allowed(policy: Policy) -> Found:
    for name, needed in _needed_tiers(policy.memory):
        if needed and name not in policy.budget.tiers:
            yield f"budget.tiers.{name}", "this memory is allowed, so it needs a budget"
        if not needed and name in policy.budget.tiers:
            yield f"budget.tiers.{name}", "has a budget, but this memory is never allowed"


def _window(policy: Policy) -> Found:
    window = policy.window
    if window.distress_over is not None and window.distress_messages < window.messages:
        yield "window.distress_messages", "is less than window.messages: distress widens the window"
    if window.repeats_from is not None and window.repeats_messages > window.messages:
        yield "window.repeats_messages", "is more than window.messages: repetition narrows the window"


def _session(policy: Policy) -> Found:
    session = policy.session
    if session.default_type not in session.types:
        yield "session.default_type", f"{session.default_type} is not among session.types"
    if len(set(session.jobs)) != len(session.jobs):
        yield "session.jobs", "names a job twice"
    if "summary" in session.jobs and policy.summary is None:
        yield "summary", "session.jobs has summary, so this table is required"
    if "facts" in session.jobs and policy.facts is None:
        yield "facts", "session.jobs has facts, so this table is required"
    if session.debounce is not None and "facts" not in session.jobs:
        yield "session.debounce", "needs the job facts"
    if session.parent_mode and "parent" not in session.types:
        yield "session.types.parent", "session.parent_mode is true, so this type is required"
    if "parent_note" in session.jobs and not session.parent_mode:
        yield "session.parent_mode", "session.jobs has parent_note, so this must be true"


def _feelings(policy: Policy) -> Found:
    if policy.emotion.set != "none":
        return
    if policy.emotion.tone_from_last:
        yield "emotion.tone_from_last", "needs a set of emotions"
    if policy.window.distress_over is not None:
        yield "window.distress_over", "needs a set of emotions"


def _strategy(policy: Policy) -> Found:
    steps = policy.repetition.strategy
    if not steps:
        if policy.window.repeats_from is not None or policy.window.remove_repeats:
            yield "repetition.strategy", "the window has rules for repeats, so a strategy is required"
        return
    if steps[0].repeats != 0:
        yield "repetition.strategy[0].repeats", "the first is for 0 repeats"
    for index, (earlier, later) in enumerate(pairwise(steps), start=1):
        if later.repeats <= earlier.repeats:
            yield f"repetition.strategy[{index}].repeats", "is not more than the one above it"
        if later.warmth < earlier.warmth:
            yield f"repetition.strategy[{index}].warmth", "falls: warmth only grows with repetition"


def _safety(policy: Policy) -> Found:
    for category in CATEGORIES:
        rule, key = policy.safety.rule(category), f"safety.{category}"
        if rule.recipients and rule.escalate_from is None:
            yield f"{key}.recipients", "nobody is told without escalate_from"
        if rule.escalate_from is not None and rule.resources_from > rule.escalate_from:
            yield f"{key}.resources_from", "is above escalate_from: who is told is said beside the resources"
        if category == "abuse" and set(rule.recipients) - {"safeguarding"}:
            yield f"{key}.recipients", "abuse is told to the safeguarding contact only"
        if len(set(rule.recipients)) != len(rule.recipients):
            yield f"{key}.recipients", "names one twice"
    if len(set(policy.answers.rules)) != len(policy.answers.rules):
        yield "answers.rules", "names a rule twice"


def _names(policy: Policy) -> Found:
    ids = [persona.id for persona in policy.personas]
    if len(set(ids)) != len(ids):
        yield "personas", "an id is used twice"
    spoken = (policy.language, *policy.languages)
    if len(set(spoken)) != len(spoken):
        yield "languages", "names a language twice"
