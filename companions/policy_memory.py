"""What of a conversation, and of earlier ones, a companion may have in its prompt, and how much of it.

A *tier* is one kind of memory; its budget is in tokens. What is not listed here never reaches the model: the
prompt builder is handed only what ``Memory`` allows. Every number is a default of one of the five companions'
designs; a companion's own file states its own.
"""

from typing import Annotated, Literal, TypeAlias, get_args

import msgspec

from companions.tables import Table
from memory.facts import Scheme, category
from memory.statements_kinds import StatementKind

Positive: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
Word: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]{0,31}$")]

Reach: TypeAlias = Literal["never", "conversation", "across"]
Section: TypeAlias = Literal[
    "persona",
    "rules",
    "safety",
    "session",
    "profile",
    "facts",
    "summaries",
    "recalled",
    "window",
    "tone",
    "health",
    "narrative",
    "message",
]
Tier: TypeAlias = Literal[
    "system",
    "static",
    "dynamic",
    "health",
    "facts",
    "summaries",
    "key_facts",
    "topics",
    "recalled",
    "window",
    "narrative",
    "context",
]
Tool: TypeAlias = Literal["search_memory", "remember"]
SummaryForm: TypeAlias = Literal["wellness", "desktop", "dementia", "tutor", "plain"]

SECTIONS: tuple[Section, ...] = (
    "persona",
    "rules",
    "safety",
    "session",
    "profile",
    "facts",
    "summaries",
    "recalled",
    "window",
    "tone",
    "health",
    "narrative",
    "message",
)


class Window(Table, frozen=True, kw_only=True):
    """Which of this conversation's messages the model sees word for word.

    Of the rules that apply the first wins: a young session, distress, high repetition, the usual size
    (dementia storage design, 5.1, in the order of a person's need). ``None`` switches a rule off.
    """

    messages: Positive = 10  # the usual size; the wellness and coach designs' short-term tier
    young_session: Count = 6  # a conversation of at most so many messages is given whole
    distress_over: Share | None = None  # a distress score over this widens the window
    distress_lookback: Positive = 3  # … when it is among the person's last so many messages
    distress_messages: Positive = 16
    repeats_from: Positive | None = None  # from so many repeats of a question the window is narrowed
    repeats_messages: Positive = 6
    remove_repeats: bool = False  # leave earlier instances of a repeated question and their answers out
    until_summary: Count = 0  # messages no summary covers yet stay, up to so many (wellness: 15)
    shorten_over_chars: Positive = 500  # a message longer than this is shortened for the model …
    shorten_keep_last: Count = 4  # … unless it is among the last so many


class Memory(Table, frozen=True, kw_only=True):
    """How far back each kind of memory may reach into the prompt.

    ``never``: the model is not given it. ``conversation``: only what belongs to the open conversation.
    ``across``: from earlier conversations of the same person with the same companion.
    """

    profile: Reach = "never"  # names, goals, style: what the person told about themselves once
    caregiver: Reach = "never"  # what a caregiver gave: known and avoided topics, routine
    check_in: Reach = "never"  # mood, stressors, wins, and their trends
    health: Literal["never", "conversation"] = "never"  # given by the client; never stored
    facts: Reach = "never"
    summaries: Reach = "never"
    key_facts: Reach = "never"  # decisions, preferences and what was learned, with topics (tutor)
    recall: Reach = "never"  # earlier messages that state something important to the current one
    search: Reach = "never"  # what the model's own search tool may find
    context: Literal["never", "conversation"] = "never"  # sent with a message: program, selection, clipboard
    anchors: Literal["never", "conversation"] = "never"  # stories told and things named


class Recall(Table, frozen=True, kw_only=True):
    """How earlier messages are found for the current one (coach design, tiers 2 and 3)."""

    last_back: Positive = (
        50  # any statement counts up to so many messages back; where it begins, the window ends
    )
    beyond_by_facts: bool = False  # also further back, and in earlier conversations, what is kept as a fact
    most: Positive = 5  # messages at most
    deadline_ms: Positive = 100  # a search without an answer by then is gone on without
    search_results: Positive = 3
    search_tokens: Positive = 200


class TierBudget(Table, frozen=True, kw_only=True):
    """The share of one tier. ``priority`` 1 is cut last; the highest number is cut first."""

    tokens: Positive
    priority: Annotated[int, msgspec.Meta(ge=1, le=99)]
    items: Positive | None = None  # entries at most
    item_tokens: Positive | None = None  # tokens at most for one entry
    reduced_items: Count | None = None  # entries kept in the first step of cutting this tier


class Budget(Table, frozen=True, kw_only=True):
    """Tokens. The context holds the prompt and the answer; the rest is a margin."""

    context: Annotated[int, msgspec.Meta(ge=512)] = 32_768
    response: Positive = 1_000  # kept free for the answer
    added: Positive | None = None  # most that memory may add to system prompt and message, all tiers together
    safety_reserve: Count = 0  # of ``added``, kept for allergy, medication, injury and condition
    shortest_message: Count = 0  # no message of the window is shortened below this (coach: 40)
    tiers: dict[Tier, TierBudget]


class Facts(Table, frozen=True, kw_only=True):
    """Which facts are kept about a person, and how sure of them one is."""

    categories: tuple[Word, ...]  # those that are kept; what falls into none is no fact here
    scheme: Scheme = (
        "plain"  # how a kind of statement is filed: as one of the designs does, or under its own name
    )
    filed: dict[StatementKind, Word] = {}  # noqa: RUF012  # msgspec copies an empty default
    start: Share = 0.5  # confidence at the first mention
    step: Share = 0.1  # more at each further mention
    most: Share = 0.95
    explicit: Share = 1.0  # confidence of what the person asked to have remembered
    in_prompt: Positive = 3  # facts of one category in a prompt, the surest first
    soft_limit: Positive | None = None  # warn from here
    hard_limit: Positive | None = None  # refuse new ones from here until some are removed
    stale_after_days: Positive | None = None  # unused for so long: offered for removal
    fade_after_days: Positive | None = (
        None  # neither said nor used for so long: others come first; None: never
    )

    def category(self, kind: StatementKind) -> str | None:
        """Where a statement of ``kind`` is filed; None where it is not kept."""
        found = self.filed.get(kind) or category(kind, self.scheme)
        return found if found in self.categories else None

    @property
    def kinds(self) -> frozenset[StatementKind]:
        """The kinds of statement that are kept."""
        return frozenset(kind for kind in get_args(StatementKind) if self.category(kind) is not None)


class Summary(Table, frozen=True, kw_only=True):
    """How a conversation is put in few words, and when."""

    form: SummaryForm
    words: Positive = 100  # length asked of a model
    kept: Count = 5  # summaries of closed conversations that may enter the prompt
    archive_after_days: Positive | None = None
    during_over: Positive | None = None  # in an open conversation: from more than so many messages
    during_keep: Count = 10  # … the last so many stay uncovered
    during_every: Positive = 10  # … and a new one after so many more
