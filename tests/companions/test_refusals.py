"""A folder that is not whole is refused, with the file, the key and the reason."""

import re

import pytest

from companions.errors import PolicyError
from companions.loading import family
from tests.companions.library import SIXTH, files_of

TOML = "companion.toml"


def refusal(files: dict[str, str]) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        family(SIXTH, files)
    return caught.value


def changed(path: str, old: str, new: str) -> dict[str, str]:
    """The sixth companion's files with one passage of one file replaced (``old`` a regular expression)."""
    files = files_of(SIXTH)
    text, count = re.subn(old, new, files[path], count=1, flags=re.MULTILINE | re.DOTALL)
    assert count == 1, f"{old} is not in {path}"
    return {**files, path: text}


CHANGES = [
    # what is not known, or not there
    ("^purpose", "porpose", "porpose", "this key is not known"),
    (r"^messages = 7", "mesages = 7", "window.mesages", "this key is not known"),
    (r"^purpose.*?\n", "", "purpose", "this key is required"),
    (r"^format = 1", "format = 2", "format", "Invalid enum value"),
    (r"^\[page\]", "[page", "", "Expected"),
    # what is impossible by itself
    (r"^messages = 7", "messages = 0", "window.messages", ">= 1"),
    (r"^distress_over = 0.45", "distress_over = 1.5", "window.distress_over", "<= 1"),
    (r"^silence_seconds = 61", "silence_seconds = 0", "session.silence_seconds", ">= 1"),
    (r'^theme = "slate"', 'theme = "neon"', "page.theme", "Invalid enum value"),
    (r'^jobs = \["topics"', 'jobs = ["gossip"', "session.jobs", "Invalid enum value"),
    (r'^set = "dementia"', 'set = "all"', "emotion.set", "Invalid enum value"),
    (r'^rules = \["quiz"\]', 'rules = ["scold"]', "answers.rules", "Invalid enum value"),
    (r'^tools = \["remember"', 'tools = ["shell"', "model.tools", "Invalid enum value"),
    (r"^redirect_from = 3", "redirect_from = 5", "safety.self_harm.redirect_from", "<= 4"),
    (r"^\[safety.medical\]\nredirect_from = 3\n", "", "safety.medical", "required"),
    (r'^country = "DE"', 'country = "Germany"', "safety.country", "matching regex"),
    (r'^comfort = \["reassurance"\]', 'gossip = ["reassurance"]', "stories.by_intent", "Invalid enum value"),
    (r"^warmth = 3", "warmth = 4", "repetition.strategy[1].warmth", "<= 3"),
    (r'^id = "ost"', 'id = "Ost See"', "personas", "matching regex"),
    # what does not fit together: the order
    (r'"safety", "rules", "persona"', '"session", "rules", "persona"', "order", "each section once"),
    (
        r'"safety", "rules", "persona", "session", "recalled"',
        '"recalled", "rules", "persona", "session", "safety"',
        "order",
        "memory cannot override",
    ),
    (r'"tone", "message",', '"message", "tone",', "order", "comes last"),
    # budgets
    (r"^context = 4000", "context = 2000", "budget.context", "need 2379 tokens"),
    (r"^max_tokens = 222", "max_tokens = 999", "model.max_tokens", "more than budget.response"),
    (r"^added = 900\n", "", "budget.safety_reserve", "not set"),
    (r"^safety_reserve = 90", "safety_reserve = 900", "budget.safety_reserve", "leaves nothing"),
    (r"^shortest_message = 11", "shortest_message = 72", "budget.shortest_message", "do not fit"),
    (r"tokens = 101, priority = 3", "tokens = 101, priority = 4", "budget.tiers.dynamic.priority", "static"),
    (r"item_tokens = 52", "item_tokens = 105", "budget.tiers.summaries.item_tokens", "larger than the tier"),
    (r"reduced_items = 2", "reduced_items = 4", "budget.tiers.facts.reduced_items", "not less"),
    (r"^added = 900", "added = 400", "budget.tiers.window.tokens", "more than budget.added"),
    (r"^static = .*?\n", "", "budget.tiers.static", "needs a budget"),
    (r"^system = .*?\n", "", "budget.tiers.system", "needs a budget"),
    (r'^health = "conversation"', 'health = "never"', "budget.tiers.health", "never allowed"),
    # windows
    (r"^distress_messages = 9", "distress_messages = 6", "window.distress_messages", "widens"),
    (r"^repeats_messages = 3", "repeats_messages = 8", "window.repeats_messages", "narrows"),
    # memory and tools
    (r"^\[facts\].*?(?=^\[summary)", "", "facts", "this table is required"),
    (r"^\[summary\].*?(?=^\[emotion)", "", "summary", "this table is required"),
    (r', "search_memory"\]', "]", "model.tools", "both, or neither"),
    (r'^search = "conversation"', 'search = "never"', "model.tools", "both, or neither"),
    (r"^last_back = 21", "last_back = 7", "recall.last_back", "not beyond window.messages"),
    (r'^categories = \["schiff", "hafen"\]', "categories = []", "facts.categories", "at least one"),
    (r'^categories = \["schiff"', 'categories = ["hafen"', "facts.categories", "each once"),
    (r'^place = "hafen"', 'place = "bucht"', "facts.filed.place", "not among facts.categories"),
    (r"^start = 0.2", "start = 0.9", "facts.start", "more than facts.most"),
    (r"^soft_limit = 3", "soft_limit = 5", "facts.soft_limit", "more than facts.hard_limit"),
    # sessions
    (r'^default_type = "wache"', 'default_type = "flaute"', "session.default_type", "not among"),
    (
        r'^jobs = \["topics", "summary", "facts"\]',
        'jobs = ["topics", "topics", "facts"]',
        "session.jobs",
        "twice",
    ),
    (r', "facts"\]\ntranscript', "]\ntranscript", "session.debounce", "needs the job facts"),
    (r'^jobs = \["topics"', 'jobs = ["parent_note"', "session.parent_mode", "must be true"),
    (r"^edit = true", "edit = true\nparent_mode = true", "session.types.parent", "is required"),
    # feelings and repetition
    (r'^set = "dementia"', 'set = "none"', "emotion.tone_from_last", "needs a set"),
    (
        r'^set = "dementia"\ntone_from_last = 2',
        'set = "none"\ntone_from_last = 0',
        "window.distress_over",
        "needs a set",
    ),
    (r"^repeats = 0", "repeats = 1", "repetition.strategy[0].repeats", "0 repeats"),
    (r"^repeats = 2", "repeats = 0", "repetition.strategy[1].repeats", "not more"),
    (r"^warmth = 3", "warmth = 0", "repetition.strategy[1].warmth", "only grows"),
    (r"^\[\[repetition.strategy.*?(?=^\[safety\])", "", "repetition.strategy", "a strategy is required"),
    # stories
    (r'^set = "dementia"', 'set = "wellness"', "narrative.im-hafen", "not in the set"),
    (r'^category = "reassurance"', 'category = "grounding"', "repetition.strategy[1].category", "grounding"),
    (r'^comfort = \["reassurance"', 'comfort = ["grounding"', "stories.by_intent.comfort", "grounding"),
    (r'^fallback = \["reassurance"', 'fallback = ["gentle_joy"', "stories.fallback", "gentle_joy"),
    # safety
    (r"^escalate_from = 2\nmodel", "model", "safety.self_harm.recipients", "without escalate_from"),
    (
        r'^recipients = \["safeguarding"\]',
        'recipients = ["safeguarding", "caregiver"]',
        "safety.abuse.recipients",
        "safeguarding contact only",
    ),
    (
        r'^recipients = \["caregiver"\]',
        'recipients = ["caregiver", "caregiver"]',
        "safety.self_harm.recipients",
        "twice",
    ),
    (r'^rules = \["quiz"\]', 'rules = ["quiz", "quiz"]', "answers.rules", "twice"),
    # names
    (r'^id = "ost"', 'id = "nord"', "personas", "used twice"),
    (r'^language = "de"', 'language = "de"\nlanguages = ["de"]', "languages", "twice"),
]


@pytest.mark.parametrize(("old", "new", "key", "reason"), CHANGES)
def test_a_policy_that_cannot_be_is_refused(old: str, new: str, key: str, reason: str) -> None:
    error = refusal(changed(TOML, old, new))
    assert error.file == "lotse/companion.toml"
    assert error.key.startswith(key)
    assert reason in error.reason


def test_every_text_there_is_is_required() -> None:
    files = files_of(SIXTH)
    for path in [path for path in files if not path.startswith("shared/")]:
        without = {key: text for key, text in files.items() if key != path}
        if f"shared/{path}" in files:  # the shared one steps in
            family(SIXTH, without)
            without = {key: text for key, text in without.items() if key != f"shared/{path}"}
        error = refusal(without)
        assert path.startswith("narratives/") or (error.file, error.reason) == (
            f"lotse/{path}",
            "this file is missing",
        )


TEXTS = [
    ("persona.md", r".*", " \n", "", "this file is empty"),
    ("persona.md", r"\{companion\}", "{compagnon}", "", "{compagnon} is no placeholder here"),
    ("rules.md", r"\{style\}", "{session}", "", "{session} is no placeholder here"),
    ("sessions/wache.md", r"\{session\}", "{name}", "", "{name} is no placeholder here"),
    (
        "greetings.md",
        r"^## topic\nMoin. Wir",
        "## name\nMoin {name}. Wir",
        "topic",
        "this section is required",
    ),
    ("greetings.md", r"^## name\nMoin, \{name\}", "## name\nMoin", "name", "{name} is missing"),
    ("greetings.md", r"^## plain\nMoin", "## plain\nMoin {name}", "plain", "{name} is no placeholder here"),
    ("greetings.md", r"^## plain\n.*?\n", "## plain\n", "plain", "this section is empty"),
    ("greetings.md", r".*", "Moin", "", "has no section (a line that begins with ##)"),
    ("crisis.md", r"^## abuse", "## abuses", "abuse", "this section is required"),
    ("safe_answers/abuse.md", r"^## later", "## last", "later", "this section is required"),
    ("safe_answers/general.md", r"^## closing", "## closed", "closing", "this section is required"),
    ("reflections.md", r"^## sad", "## saddened", "saddened", "is no feeling, question or intent"),
    ("reflections.md", r"^## general", "## greeting", "general", "this section is required"),
    ("repetition.md", r"^## warmth 2", "## warmth 9", "warmth 2", "this section is required"),
    ("prompt.md", r"\{emotions\}", "gut", "tone", "{emotions} is missing"),
    ("prompt.md", r"^## quote", "## unquote", "unquote", "this section is not known"),
    ("words.md", r"\{who\}", "Jemand", "told", "{who} is missing"),
    ("words.md", r"^Hilfe", "Hilfe {who}", "help", "{who} is no placeholder here"),
]


@pytest.mark.parametrize(("path", "old", "new", "key", "reason"), TEXTS)
def test_a_text_that_cannot_be_used_is_refused(path: str, old: str, new: str, key: str, reason: str) -> None:
    error = refusal(changed(path, old, new))
    assert (error.file, error.key, error.reason) == (f"lotse/{path}", key, reason)
    assert str(error) == (f"lotse/{path}: {key}: {reason}" if key else f"lotse/{path}: {reason}")


STORY = "narratives/hafen.toml"
STORIES = [
    (r'^id = "im-hafen"', 'id = "Im Hafen"', "narrative", "matching regex"),
    (r'^length = "medium"', 'length = "endless"', "narrative", "Invalid enum value"),
    (r'^category = "reassurance"', 'category = "thriller"', "narrative", "Invalid enum value"),
    (r"^emotions = .*?\n", "emotions = []\n", "narrative", "length >= 1"),
    (r"^text = .*?\n", "", "narrative", "required"),
    (r"^theme", "topic", "narrative", "not known"),
]


@pytest.mark.parametrize(("old", "new", "key", "reason"), STORIES)
def test_a_story_that_cannot_be_told_is_refused(old: str, new: str, key: str, reason: str) -> None:
    error = refusal(changed(STORY, old, new))
    assert error.file == f"lotse/{STORY}"
    assert error.key.startswith(key)
    assert reason in error.reason


def test_a_story_id_is_used_once_over_all_files() -> None:
    files = files_of(SIXTH)
    error = refusal({**files, "narratives/zwei.toml": files[STORY]})
    assert (error.file, error.key) == ("lotse/narratives/zwei.toml", "narrative.im-hafen")
    assert error.reason == "this id is used twice"


HELP = [
    (r"^\[international\]", "[XX]", "international", "the fall-back for other countries is missing"),
    (
        r'"medical", "harm_others", "abuse", "self_harm"',
        '"abuse"',
        "international",
        "has nothing for medical",
    ),
    (r'categories = \["medical"', 'categories = ["toothache"', "", "Invalid enum value"),
]


@pytest.mark.parametrize(("old", "new", "key", "reason"), HELP)
def test_help_must_be_there_for_everyone(old: str, new: str, key: str, reason: str) -> None:
    files = files_of(SIXTH)
    text = re.sub(old, new, files["shared/resources.toml"], count=1, flags=re.MULTILINE)
    error = refusal({**files, "resources.toml": text})
    assert error.file == "lotse/resources.toml"
    assert error.key.startswith(key)
    assert reason in error.reason
