"""What those who hold a grant may see, page by page: consent is looked at in the reading that finds the rows."""

import sqlite3

import msgspec
from msgspec import UNSET

from actors.ports import CommandRefused, Done
from companions.care_changes import NoteRead
from companions.consenting import family
from companions.state import Who
from companions.summing_up import is_private
from memory.noting import Note
from protocol import care_frames as care
from protocol import results
from protocol.times import rfc3339
from server.care_learned import learned_on
from storage import notes
from storage.timeline import let_known_in

NO_CONSENT = "No consent allows that now."
MOST_DIGITS = 18  # a number of more digits may be none that the store can hold


def not_allowed() -> CommandRefused:
    """No live consent covers what was asked for."""
    return CommandRefused("policy.refused", NO_CONSENT)


def place_of(cursor: object) -> int | None:
    """The number in a cursor; raises ``CommandRefused`` for one that was not given."""
    if cursor is UNSET:
        return None
    written = str(cursor)
    if not (written.isascii() and written.isdigit() and len(written) <= MOST_DIGITS):
        raise CommandRefused("frame.invalid", "The cursor is not one that was given - at `$.cursor`")
    return int(written)


def note_page(
    db: sqlite3.Connection, who: Who, command: care.CareNotes, at: int, reader: str
) -> results.NotePage:
    """Notes to the parents, over all teachers of the family."""
    found = notes.notes_of(
        db,
        user=who.user,
        companion=who.companion,
        at=at,
        limit=command.limit,
        before=place_of(command.cursor),
        unread=command.unread,
        reader=reader,
    )
    if found is None:
        raise not_allowed()
    more = len(found) == command.limit
    known = {each.conversation: let_known_in(db, each.conversation) for each in found}
    learned = learned_on(db, who, known)
    told = [_entry(each, known[each.conversation], learned.get(each.conversation, ())) for each in found]
    return results.NotePage(
        notes=tuple(each for each in told if each is not None), next=str(found[-1].number) if more else None
    )


def _entry(
    found: notes.Note, known: frozenset[str], learned: tuple[care.LearnedEntry, ...]
) -> care.NoteEntry | None:
    """A note as it is told: nothing of what family is not told, though it was let be known when it was made."""
    note = msgspec.json.decode(found.content, type=Note)
    if is_private(note.summary, known):
        return None
    judged = found.evaluation

    def open_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(line for line in lines if not is_private(line, known))

    return care.NoteEntry(
        note=found.id,
        companion=found.companion,
        subject=found.subject,
        minutes=found.minutes,
        at=rfc3339(found.at),
        read=found.read_at is not None,
        summary=note.summary,
        highlights=open_lines(note.highlights),
        concerns=open_lines(note.concerns),
        suggestions=open_lines(note.suggestions),
        evaluation=None if judged is None else msgspec.json.decode(judged, type=care.LessonEvaluation),
        learned=learned,
    )


def note_marked(db: sqlite3.Connection, who: Who, note: str, at: int, reader: str) -> Done:
    """The mark that a note was read, where there is one for this holder."""
    companion = notes.companion_of(db, user=who.user, note=note)
    if companion is None or family(companion) != family(who.companion):
        raise CommandRefused("memory.unknown")
    change = NoteRead(user=who.user, companion=companion, at=at, note=note, holder=reader)
    return Done(result=results.Done(), changes=(change,))
