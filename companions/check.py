"""What can be said of a companion's folder without starting it: whole or not, and what its writer may want to
look at.

An error keeps a companion from loading; a warning does not.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from companions.companion import Companion
from companions.errors import PolicyError
from companions.folder import SHARED
from companions.loading import family
from companions.narratives import Narrative
from companions.policy_safety import CATEGORIES
from companions.policy_turn import emotions
from companions.resources import INTERNATIONAL
from memory.tokens import count

KNOWN = (
    "companion.toml",
    "resources.toml",
    "persona.md",
    "rules.md",
    "safety.md",
    "crisis.md",
    "greetings.md",
    "reflections.md",
    "repetition.md",
    "prompt.md",
    "words.md",
    "remembered.md",
    "welcome.md",
    "README.md",
)
KNOWN_FOLDERS = ("personas/", "sessions/", "safe_answers/", "narratives/", "jobs/", "languages/")


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """``errors`` and ``warnings`` name a file or key each; ``lines`` describe what was found."""

    name: str
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


def checked(name: str, files: Mapping[str, str]) -> Report:
    """A folder, in each of its languages, with everything a writer should know."""
    try:
        members = family(name, files)
    except PolicyError as error:
        return Report(name=name, errors=(str(error),))
    errors = tuple(_language_errors(name, files, members[0].policy.languages))
    warnings = (*_strays(files), *(line for member in members for line in _warnings(member)))
    return Report(
        name=name,
        errors=errors,
        warnings=tuple(dict.fromkeys(warnings)),
        lines=tuple(line for member in members for line in shown(member)),
    )


def listed(companions: Iterable[Companion]) -> list[str]:
    """One line for each: id, name, purpose."""
    rows = [(each.id, each.name, each.subject or each.policy.purpose) for each in companions]
    first = max((len(row[0]) for row in rows), default=0)
    second = max((len(row[1]) for row in rows), default=0)
    return [f"{row[0]:<{first}}  {row[1]:<{second}}  {row[2]}" for row in rows]


def shown(companion: Companion) -> list[str]:
    """What a companion is, does and remembers, in a page."""
    policy = companion.policy
    allowed = {key: reach for key, reach in msgspec.structs.asdict(policy.memory).items() if reach != "never"}
    tiers = sorted(policy.budget.tiers.items(), key=lambda item: item[1].priority)
    return [
        f"{companion.id}: {companion.name}, {companion.subject or policy.purpose}",
        f"  language   {', '.join((policy.language, *policy.languages))}",
        f"  sessions   {', '.join(policy.session.types)}",
        f"  silence    {policy.session.silence_seconds} s end a conversation",
        f"  at the end {', '.join(policy.session.jobs) or 'nothing is kept but the messages'}",
        f"  window     {policy.window.messages} messages",
        f"  memory     {', '.join(f'{key} ({reach})' for key, reach in allowed.items()) or 'none'}",
        f"  budget     {budget_line(companion)}",
        *(f"             {tier.priority}. {name} {tier.tokens}" for name, tier in tiers),
        *(f"  prompt     {key}: at most {most} tokens" for key, most in prompt_tokens(companion).items()),
        *(f"  crisis     {line}" for line in _crisis_lines(companion)),
        f"  guard      {', '.join(policy.answers.rules) or 'off'}",
        f"  stories    {_story_line(companion.narratives)}",
        f"  help       {', '.join(sorted(companion.resources))}",
    ]


def prompt_tokens(companion: Companion) -> dict[str, int]:
    """How many tokens the fixed beginning of the prompt takes at most, by session type."""
    texts = companion.texts
    fixed = (texts.persona, texts.rules, texts.safety, texts.prompt["quote"])
    return {key: sum(count(part) for part in (*fixed, text)) for key, text in texts.sessions.items()}


def budget_line(companion: Companion) -> str:
    """The sum of the budget, as a writer checks it."""
    budget = companion.policy.budget
    tiers = sum(tier.tokens for tier in budget.tiers.values())
    rest = budget.context - tiers - budget.response
    added = "" if budget.added is None else f", at most {budget.added} added"
    return (
        f"{tiers} in tiers{added}, {budget.response} for the answer, {rest} spare of {budget.context} tokens"
    )


def _language_errors(name: str, files: Mapping[str, str], languages: Iterable[str]) -> Iterator[str]:
    for language in languages:
        try:
            family(name, files, language)
        except PolicyError as error:
            yield str(error)


def _strays(files: Mapping[str, str]) -> Iterator[str]:
    for path in sorted(files):
        if not path.startswith((SHARED, *KNOWN_FOLDERS)) and path not in KNOWN:
            yield f"{path}: nothing reads this file"


def _warnings(companion: Companion) -> Iterator[str]:
    yield from _prompt_warnings(companion)
    yield from _text_warnings(companion)
    yield from _story_warnings(companion)
    yield from _safety_warnings(companion)


def _prompt_warnings(companion: Companion) -> Iterator[str]:
    limit = companion.policy.budget.tiers["system"].tokens
    for key, most in prompt_tokens(companion).items():
        if most > limit:
            yield f"sessions/{key}.md: the prompt takes {most} tokens, budget.tiers.system is {limit}"
    for name, tier in companion.policy.budget.tiers.items():
        if tier.items and tier.item_tokens and tier.items * tier.item_tokens > tier.tokens:
            yield f"companion.toml: budget.tiers.{name}: {tier.items} × {tier.item_tokens} do not fit"


def _text_warnings(companion: Companion) -> Iterator[str]:
    answers = companion.texts.safe_answers
    for category in CATEGORIES:
        for key, variants in (("first", answers.first[category]), ("later", answers.later[category])):
            if len(variants) < 2:
                yield f"safe_answers/{category}.md: {key}: one variant, which will sound the same each time"
    for label in emotions(companion.policy.emotion.set):
        if label not in companion.texts.reflections:
            yield f"reflections.md: {label}: nothing to say for this feeling"
    if not any(kind.crisis for kind in companion.policy.session.types.values()):
        yield "companion.toml: session.types: none is for a crisis"


def _story_warnings(companion: Companion) -> Iterator[str]:
    stories = companion.narratives
    for category in sorted({story.category for story in stories}):
        pool = [story for story in stories if story.category == category]
        told = {label for story in pool for label in story.emotions}
        for label in emotions(companion.policy.emotion.set):
            if label not in told:
                yield f"narratives: {category}: none for someone who is {label}"
    for strategy in companion.policy.repetition.strategy:
        wanted = [s for s in stories if strategy.category in (None, s.category)]
        if strategy.prefer and not any(story.length == strategy.prefer for story in wanted):
            yield f"narratives: none is {strategy.prefer}, as repetition.strategy prefers"


def _safety_warnings(companion: Companion) -> Iterator[str]:
    for category in CATEGORIES:
        rule = companion.policy.safety.rule(category)
        if rule.escalate_from is not None and not rule.recipients:
            yield f"companion.toml: safety.{category}: an alert is raised and nobody is told"
        if rule.action(3) == "pass":
            yield f"companion.toml: safety.{category}: even an acute crisis is left to the model"
        for place, country in sorted(companion.resources.items()):
            if place != INTERNATIONAL and not any(category in each.categories for each in country.resources):
                yield f"resources.toml: {place}: nothing for {category}"
    own = companion.policy.safety.country
    if own is not None and own not in companion.resources:
        yield f"companion.toml: safety.country: {own} has no entry in resources.toml"


def _crisis_lines(companion: Companion) -> Iterator[str]:
    for category in CATEGORIES:
        rule = companion.policy.safety.rule(category)
        steps = " · ".join(f"{severity} {rule.action(severity)}" for severity in (1, 2, 3))
        yield f"{category}: {steps}; told: {', '.join(rule.recipients) or 'nobody'}"


def _story_line(stories: Sequence[Narrative]) -> str:
    if not stories:
        return "none"
    counts = {key: sum(story.category == key for story in stories) for key in (s.category for s in stories)}
    return f"{len(stories)}: " + ", ".join(f"{key} {count}" for key, count in counts.items())
