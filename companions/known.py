"""What is known of a person as lines of a prompt: one item for each entry, the most important first.

Everything here is data. Each line is quoted, so that what a person, a caregiver or a model wrote once cannot end
the notes it stands in.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from companions.companion import Companion
from companions.fact_changes import FactOrigin
from companions.policy_memory import Section, Tier
from companions.quoting import quoted
from companions.remembered import Caregiver, CheckIn, FactLine, Lately, PastTalk, Permitted, Profile
from companions.texts import PromptWord
from companions.tiers import Item
from memory.recall import Recalled

_SOURCES: dict[FactOrigin, str] = {
    "extracted": "said",
    "said": "asked to remember",
    "edited": "put right by them",
    "imported": "brought in",
}
"""Where a fact comes from, in a word (guarantee 15)."""
_WORD_OF_TIER: dict[Tier, PromptWord] = {
    "dynamic": "check_in",
    "facts": "facts",
    "key_facts": "key_facts",
    "topics": "topics",
    "summaries": "summaries",
    "recalled": "recalled",
    "health": "health",
}
_TIERS_OF_SECTION: dict[Section, tuple[Tier, ...]] = {
    "profile": ("static", "dynamic"),
    "facts": ("facts", "key_facts", "topics"),
    "summaries": ("summaries",),
    "recalled": ("recalled",),
}


def recalled_items(recalled: Sequence[tuple[Recalled, str]]) -> list[Item]:
    """What was recalled, as items: what is critical for safety first."""
    ranked = sorted(recalled, key=lambda each: not each[0].safety)
    return [Item(found.message_id, recalled_line(text)) for found, text in ranked]


@lru_cache(maxsize=4_096)
def recalled_line(text: str) -> str:
    """A message that was recalled, as it stands in the prompt."""
    return f'- "{quoted(text)}"'


def known_items(
    companion: Companion, permitted: Permitted, *, summary_here: str | None
) -> dict[Tier, list[Item]]:
    """The items of each tier, the most important first; what is recalled has its place, and is not among them."""
    here = [Item("summary_here", f"- {quoted(summary_here)}")] if summary_here else []
    health = permitted.health.lines if permitted.health is not None else ()
    return {
        "static": [*_profile(permitted.profile), *_caregiver(permitted.caregiver)],
        "dynamic": [*_check_in(permitted.check_in), *_lately(permitted.lately)],
        "facts": [_fact(fact) for fact in surest(permitted.facts, companion)],
        "key_facts": _lines("key_fact", permitted.key_facts),
        "topics": [Item(f"topic:{at}", quoted(topic)) for at, topic in enumerate(permitted.topics)],
        "summaries": [*here, *(_summary(each) for each in reversed(permitted.summaries))],
        "recalled": [],
        "health": _lines("health", health),
    }


def in_system(companion: Companion) -> list[Tier]:
    """The tiers that stand in the system part, in the order of the policy."""
    return [tier for section in companion.policy.order for tier in _TIERS_OF_SECTION.get(section, ())]


def block_of(words: Mapping[PromptWord, str], tier: Tier, items: Sequence[Item]) -> list[str]:
    """One tier under its heading; what a caregiver gave, and this talk's own summary, have their own."""
    if tier == "static":
        own = [item for item in items if item.id.startswith("profile:")]
        given = [item for item in items if item.id.startswith("caregiver:")]
        return [*_under(words["profile"], own), *_under(words["caregiver"], given)]
    if tier == "summaries":
        here = [item for item in items if item.id == "summary_here"]
        past = [item for item in items if item.id != "summary_here"]
        return [*_under(words["summaries"], past), *_under(words["summary_here"], here)]
    if tier == "topics":
        return [f"{words['topics']}\n- {', '.join(item.text for item in items)}"] if items else []
    return _under(words[_WORD_OF_TIER[tier]], items)


def _under(heading: str, items: Sequence[Item]) -> list[str]:
    return ["\n".join([heading, *(item.text for item in items)])] if items else []


def _lines(kind: str, texts: Sequence[str]) -> list[Item]:
    return [Item(f"{kind}:{at}", f"- {quoted(text)}") for at, text in enumerate(texts) if text.strip()]


def surest(facts: Sequence[FactLine], companion: Companion) -> list[FactLine]:
    """The surest facts of each category, at most the policy's number of each; pinned ones always, and first."""
    policy = companion.policy.facts
    most = policy.in_prompt if policy is not None else 0
    ranked = sorted(facts, key=_rank)
    seen: Counter[str] = Counter()
    chosen: list[FactLine] = []
    for fact in ranked:
        seen[fact.category] += 1
        if seen[fact.category] <= most or fact.pinned:
            chosen.append(fact)
    return chosen


def _rank(fact: FactLine) -> tuple[bool, bool, float, str]:
    """What is pinned first, and what has faded last: fading changes the rank alone, never of what is pinned."""
    return not fact.pinned, fact.faded and not fact.pinned, -fact.confidence, fact.id


def _profile(profile: Profile | None) -> list[Item]:
    if profile is None:
        return []
    lines = {
        "name": _labelled("Name", profile.preferred_name or profile.name),
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
    when = f" on {quoted(check_in.on)}" if check_in.on else ""
    lines = {
        "scores": f"Check-in{when}: {said}" if said else None,
        "stressors": _joined("What weighs on them", check_in.stressors),
        "wins": _joined("What went well", check_in.wins),
    }
    return [Item(f"check_in:{key}", f"- {line}") for key, line in lines.items() if line]


def _lately(lately: Lately | None) -> list[Item]:
    """Where things go, and the habits of their talks; what is not sure has no line."""
    if lately is None:
        return []
    habits = lately.habits
    usual = f", usually about {_counted(habits.minutes, 'minute')}" if habits.minutes is not None else ""
    liked = f", mostly in the {' or '.join(habits.parts)}" if habits.parts else ""
    lines: dict[str, str | None] = {
        measure: f"{measure.capitalize()} is {each.direction} ({_counted(each.entries, 'check-in')} on "
        f"{_counted(each.days, 'day')}, over {each.span} days)"
        for measure, each in lately.trends
    }
    lines["since"] = None if lately.days_since is None else f"Last talked {_ago(lately.days_since)}"
    lines["habits"] = f"Talks so far: {habits.talks}{usual}{liked}" if habits.talks else None
    return [Item(f"lately:{key}", f"- {line}") for key, line in lines.items() if line]


def _ago(days: int) -> str:
    return {0: "earlier today", 1: "yesterday"}.get(days, f"{days} days ago")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _fact(fact: FactLine) -> Item:
    source = " ".join(each for each in (_SOURCES[fact.origin], fact.on) if each)
    return Item(fact.id, f"- {quoted(fact.text)} ({source})")


def _summary(talk: PastTalk) -> Item:
    return Item(talk.id, f"- {talk.on} ({talk.part}): {quoted(talk.text)}")


def _labelled(label: str, value: str | int | None) -> str | None:
    return None if value is None or value == "" else f"{label}: {quoted(str(value))}"


def _joined(label: str, values: Sequence[str]) -> str | None:
    return _labelled(label, ", ".join(values)) if values else None
