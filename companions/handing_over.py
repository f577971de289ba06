"""In the middle of a talk: when its older part is summed up, and when what was said is handed to the extractor.

The older part is summed up while the talk goes on, so that the window need not grow (wellness document, sliding
window; desktop document, needsRegeneration; decision D11). What was said is handed over when the person has been
quiet for a while, has said much, or has talked for long without a pause, whichever comes first; the end of the talk
hands over the rest. Which positions the rest is, is read from the job rows, so nothing is lost or given twice when
an end and a timer race.
"""

from msgspec.structs import replace

from companions.changes import JobKind, JobSpec, JobsQueued, Landed
from companions.events import (
    AnswerTicket,
    Effect,
    Event,
    HandedTicket,
    MessageSent,
    Save,
    Saved,
    StartTimer,
    StopTimer,
    TimerRang,
)
from companions.state import Debounce, Folding, Rules, State, Step
from companions.talk import Talk


def handed_over(rules: Rules, before: State, event: Event, taken: Step) -> Step:
    """The step that was taken, and what it means for summarizer and extractor."""
    state, effects = taken
    if (
        isinstance(event, Saved)
        and isinstance(event.ticket, AnswerTicket)
        and isinstance(event.outcome, Landed)
    ):
        state, more = _folded(rules.settings.folding, state, event.at)
        return state, [*effects, *more]
    debounce = rules.settings.debounce
    if debounce is None or "facts" not in rules.settings.jobs:
        return taken
    if before.unhanded and _another_talk(before, state):
        return replace(state, unhanded=0), [*effects, StopTimer("quiet"), StopTimer("enough")]
    if isinstance(event, MessageSent) and _grew(before, state) and not _with_parents(rules, state):
        state, more = _said(debounce, state, event.at)
        return state, [*effects, *more]
    if isinstance(event, TimerRang) and event.timer in ("quiet", "enough"):
        state, more = _handed(state, event.at)
        return state, [*effects, *more]
    return taken


def _another_talk(before: State, state: State) -> bool:
    was = before.talk.conversation if before.talk is not None else None
    now = state.talk.conversation if state.talk is not None else None
    return was is not None and was != now


def _with_parents(rules: Rules, state: State) -> bool:
    return state.talk is not None and rules.settings.with_parents(state.talk.session_type)


def _grew(before: State, state: State) -> bool:
    last = before.talk.last_position if before.talk is not None else 0
    return state.talk is not None and state.talk.last_position > last


# ---------------------------------------------------------------- what was said


def _said(debounce: Debounce, state: State, at: int) -> tuple[State, list[Effect]]:
    """One more message that the extractor has not been given."""
    state = replace(state, unhanded=state.unhanded + 1)
    if state.unhanded >= debounce.messages:
        return _handed(state, at)
    effects: list[Effect] = [StartTimer("quiet", debounce.quiet)]
    if state.unhanded == 1:
        effects.append(StartTimer("enough", debounce.most))
    return state, effects


def _handed(state: State, at: int) -> tuple[State, list[Effect]]:
    """Everything said so far, less what earlier jobs were given."""
    if not state.unhanded or state.talk is None:
        return state, []
    job = _queued(state, state.talk, "facts", state.talk.last_position, at, rest=True)
    return replace(state, unhanded=0), [job, StopTimer("quiet"), StopTimer("enough")]


def _queued(state: State, talk: Talk, kind: JobKind, last: int, at: int, *, rest: bool = False) -> Save:
    job = JobSpec(id=job_id(talk, kind, last), kind=kind, first=1, last=last, rest=rest)
    change = JobsQueued(
        user=state.who.user,
        companion=state.who.companion,
        at=at,
        conversation=talk.conversation,
        jobs=(job,),
    )
    return Save(change, HandedTicket(talk.conversation))


def job_id(talk: Talk, kind: JobKind, last: int) -> str:
    """The id of a job in mid-talk: the same for the same work, so that it is queued once."""
    return f"job_{kind}.{talk.conversation}.{last}.{talk.revision}"


# ---------------------------------------------------------------- the older part


def _folded(folding: Folding | None, state: State, at: int) -> tuple[State, list[Effect]]:
    """Ask for a summary of the older part when enough messages stand uncovered."""
    talk = state.talk
    if folding is None or talk is None:
        return state, []
    last = to_fold(folding, talk)
    if last is None:
        return state, []
    return replace(state, talk=replace(talk, summary_asked=last)), [_queued(state, talk, "partial", last, at)]


def to_fold(folding: Folding, talk: Talk) -> int | None:
    """The last position that a summary should cover now; None while the one there is will do."""
    done = max(talk.summary_covers, talk.summary_asked)
    open_ = sorted(each.position for each in talk.messages if each.position > done)
    enough = len(open_) > folding.over if done == 0 else len(open_) >= folding.keep + folding.every
    return open_[-folding.keep - 1] if enough and len(open_) > folding.keep else None


def summed_up(talk: Talk, *, revision: int, text: str, covers: int) -> Talk:
    """A summary has landed: the window goes on from it. One of a talk that has lost words since is not taken."""
    fits = revision == talk.revision and talk.summary_covers <= covers <= talk.last_position and text
    if not fits:
        return talk
    return replace(talk, summary=text, summary_covers=covers, summary_asked=max(covers, talk.summary_asked))
