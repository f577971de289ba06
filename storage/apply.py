"""Changes land here: one function for each, every one harmless when it comes again.

The writer hands a batch over and it becomes one transaction; a change that is refused, or that contradicts
the rows that are there, is undone by itself and takes no other with it.
"""

import sqlite3
from collections.abc import Sequence
from typing import Final, assert_never

from companions.care_changes import (
    AlertAcknowledged,
    AlertReleased,
    CareContextGiven,
    ConsentDecided,
    NoteMade,
    NoteRead,
    PersonTold,
)
from companions.changes import (
    AlertRaised,
    AnswerCheckpointed,
    AnswerGiven,
    AnyChange,
    CommandDone,
    ConversationArchived,
    ConversationClosed,
    ConversationDeleted,
    ConversationOpened,
    ConversationRenamed,
    DisclosureShown,
    ExtractMade,
    FeedbackGiven,
    JobFailed,
    JobsQueued,
    MessageSaid,
    MessagesRemoved,
    MoodCheckedIn,
    Outcome,
    PersonErased,
    ProfileSet,
    Refused,
    Repeated,
    SessionContinued,
    SettingSet,
    SummaryMade,
    UserStatusSet,
)
from companions.fact_changes import (
    FactAdded,
    FactEdited,
    FactPinned,
    FactsForgotten,
    FactsProposed,
    MemorySwitched,
    MemoryUndone,
    SummaryEdited,
    SummaryForgotten,
)
from storage import conversations, erasing, messages, people, removing
from storage.alerts import alert_acknowledged, alert_released
from storage.care_contexts import care_context_given
from storage.commands import command_done
from storage.consents import consent_decided
from storage.disclosures import disclosure_shown
from storage.engine import errors
from storage.facts_person import by_person
from storage.facts_taken import facts_proposed
from storage.jobs import job_failed
from storage.memories import memory_switched
from storage.notes import note_made, note_read
from storage.order import saw_time
from storage.sessions import session_continued
from storage.summaries import extract_made, summary_made
from storage.untold import person_told

# What rows or columns cannot hold: a key taken, a value off its scale, half a character, a number too large.
_CONTRADICTIONS: Final[tuple[type[Exception], ...]] = (
    *errors("IntegrityError", "DataError"),
    UnicodeEncodeError,
    OverflowError,
)


def apply_all(db: sqlite3.Connection, changes: Sequence[AnyChange]) -> list[Outcome]:
    """Apply a batch in order, inside the caller's transaction; one outcome for each change.

    An error of the disk (full, read-only, busy …) is raised and undoes the batch with the transaction.
    """
    outcomes = [apply(db, change) for change in changes]
    if changes:
        saw_time(db, max(change.at for change in changes))
    return outcomes


def apply_groups(db: sqlite3.Connection, groups: Sequence[tuple[AnyChange, ...]]) -> list[Outcome]:
    """Apply groups in order, inside the caller's transaction, each whole or not at all.

    The outcome of a group is its first refusal, else that of its first change. A group of a command that has landed
    before changes nothing, and has the outcome of then.
    """
    outcomes = [_apply_group(db, group) for group in groups]
    latest = max((change.at for group in groups for change in group), default=None)
    if latest is not None:
        saw_time(db, latest)
    return outcomes


def _apply_group(db: sqlite3.Connection, group: tuple[AnyChange, ...]) -> Outcome:
    if len(group) == 1:
        return apply(db, group[0])
    db.execute("SAVEPOINT together")
    outcomes: list[Outcome] = []
    for change in group:
        outcomes.append(apply(db, change))
        if isinstance(outcomes[-1], Refused | Repeated):
            db.execute("ROLLBACK TO together")
            db.execute("RELEASE together")
            return outcomes[-1]
    db.execute("RELEASE together")
    return outcomes[0]


def apply(db: sqlite3.Connection, change: AnyChange) -> Outcome:
    """Apply one change, inside the caller's transaction; a refused one leaves nothing behind."""
    db.execute("SAVEPOINT change")
    try:
        outcome = _land(db, change)
    except _CONTRADICTIONS:
        outcome = Refused("state.conflict")
    if isinstance(outcome, Refused):
        db.execute("ROLLBACK TO change")
    db.execute("RELEASE change")
    return outcome


def _land(db: sqlite3.Connection, change: AnyChange) -> Outcome:
    match change:
        case MessageSaid():
            return messages.message_said(db, change)
        case AnswerCheckpointed():
            return messages.answer_checkpointed(db, change)
        case AnswerGiven():
            return messages.answer_given(db, change)
        case ConversationClosed():
            return conversations.conversation_closed(db, change)
        case ConversationOpened():
            return conversations.conversation_opened(db, change)
        case ConversationRenamed():
            return conversations.conversation_renamed(db, change)
        case ConversationArchived():
            return conversations.conversation_archived(db, change)
        case ConversationDeleted():
            return removing.conversation_deleted(db, change)
        case MessagesRemoved():
            return removing.messages_removed(db, change)
        case PersonErased():
            return erasing.person_erased(db, change)
        case SessionContinued():
            return session_continued(db, change)
        case JobsQueued():
            return conversations.jobs_queued(db, change)
        case CommandDone():
            return command_done(db, change)
        case SummaryMade():
            return summary_made(db, change)
        case ExtractMade():
            return extract_made(db, change)
        case JobFailed():
            return job_failed(db, change)
        case FactsProposed():
            return facts_proposed(db, change)
        case MemorySwitched():
            return memory_switched(db, change)
        case (
            FactAdded()
            | FactEdited()
            | FactPinned()
            | FactsForgotten()
            | SummaryEdited()
            | SummaryForgotten()
            | MemoryUndone()
        ):
            return by_person(db, change)
        case FeedbackGiven():
            return people.feedback_given(db, change)
        case ProfileSet():
            return people.profile_set(db, change)
        case MoodCheckedIn():
            return people.mood_checked_in(db, change)
        case DisclosureShown():
            return disclosure_shown(db, change)
        case AlertRaised():
            return people.alert_raised(db, change)
        case CareContextGiven():
            return care_context_given(db, change)
        case NoteMade():
            return note_made(db, change)
        case NoteRead():
            return note_read(db, change)
        case AlertAcknowledged():
            return alert_acknowledged(db, change)
        case AlertReleased():
            return alert_released(db, change)
        case PersonTold():
            return person_told(db, change)
        case ConsentDecided():
            return consent_decided(db, change)
        case UserStatusSet():
            return people.user_status_set(db, change)
        case SettingSet():
            return people.setting_set(db, change)
        case _:
            assert_never(change)
