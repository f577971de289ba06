"""The desk: questions to the store, and the commands of a client that are about what is stored.

Every question names its user and companion, which come from the session and never from the client's frame. The
transcript of a companion that shows the current exchange only is not given to the person (D15).
"""

import sqlite3
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeVar, assert_never

import msgspec
import structlog
from msgspec import UNSET

from actors.ports import Cast, CommandRefused, Done, Opening, Waits
from actors.sessions import Left
from actors.telling import stored
from companions.changes import (
    AnyChange,
    CommandId,
    ConversationArchived,
    ConversationRenamed,
    FeedbackGiven,
    Refused,
    Repeated,
)
from companions.ports import ToolAnswer, ToolCall
from companions.remembered import Remembered
from companions.state import Who
from companions.tools import REMEMBER
from protocol import conversation_frames as talks
from protocol import person_frames as people
from protocol import results
from protocol.audit_frames import AuditQuery
from protocol.care_frames import FOR_CAREGIVERS, ConsentList, ConsentSet
from protocol.catalogue import AnyCommand
from protocol.memory_frames import (
    MemoryAdd,
    MemoryEdit,
    MemoryErase,
    MemoryExport,
    MemoryForget,
    MemoryList,
    MemoryPin,
    MemorySearch,
    MemorySettings,
    MemoryUndo,
    MemoryWhy,
)
from protocol.talk_frames import ResponseFeedback
from protocol.times import rfc3339
from protocol.trend_frames import MoodTrends
from protocol.values import FoundMessage
from server.audit import audit_page
from server.desk_consents import consents_told, decided_by_person
from server.desk_memory import MemoryDesk
from server.desk_person import answered
from server.erasing import Erasures
from server.exporting import export
from server.finding import Finder, MeaningOf, nothing_meant
from server.ids import now_ms
from server.not_landed import WhatWaits, nothing_waits, waiting_command, waiting_session
from server.reading_back import opening, remembered
from server.remember_tool import Land, nowhere, remember
from server.summing_on_demand import summarized
from server.tickets import TICKET_SECONDS, Download, Tickets
from server.unsaying import MESSAGE, conversation_forgotten, message_forgotten
from storage.commands import retained
from storage.connection import Store
from storage.conversations import BadCursor, Conversation, Listed, conversation, list_conversations, metrics
from storage.messages import history
from storage.patience import StoreSilent, longer
from storage.refusals import StoreRefused
from storage.sessions import session_left

T = TypeVar("T")

EXPORT_SECONDS = 60.0

log: structlog.stdlib.BoundLogger = structlog.get_logger("desk")


class StoreDesk:
    """The desk over the one store."""

    def __init__(
        self,
        store: Store,
        casts: Mapping[str, Cast],
        epoch: str,
        erasures: Erasures,
        tickets: Tickets,
        land: Land = nowhere,
        meaning: MeaningOf = nothing_meant,
        now: Callable[[], int] = now_ms,
        waiting: WhatWaits = nothing_waits,
    ) -> None:
        self._waiting = waiting
        self._now = now
        self._land = land
        self._store = store
        self._casts = casts
        self._epoch = epoch
        self._erasures = erasures
        self._tickets = tickets
        self._finder = Finder(store, meaning)

    def epoch(self) -> str:
        """The store's epoch."""
        return self._epoch

    async def load(self, who: Who, conversation: str, *, read: bool = True) -> Opening | None:
        """A conversation of that user with that companion; without ``read``, to be shown."""
        companion, waiting = self._casts[who.companion].companion, self._waiting()
        return await self._asked(
            lambda db: opening(
                db, companion, user=who.user, conversation=conversation, read=read, waiting=waiting
            ),
            None,
        )

    async def _asked(self, question: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """The answer of the store; a store that gives none does not end a talk: it goes on without (S20).

        A disk that only takes its time is asked again: raises ``CommandRefused``, or what is there would count as not.
        """
        try:
            return await self._store.read(question)
        except StoreSilent as silent:
            raise CommandRefused(silent.code) from None
        except StoreRefused as refused:
            log.warning("store.silent", code=refused.code, detail=refused.detail)
            return otherwise

    async def remember(self, who: Who, open_talk: str | None = None) -> Remembered:
        """What is remembered of the user for that companion, outside of the open talk."""
        companion = self._casts[who.companion].companion
        return await self._asked(
            lambda db: remembered(db, companion, user=who.user, open_talk=open_talk, now=self._now()),
            Remembered(),
        )

    async def retained(self, command: CommandId) -> Repeated | Refused | Waits | None:
        """What came of a command with that id before."""
        waiting = self._waiting()
        found = await self._asked(lambda db: retained(db, command), None)
        return found or waiting_command(waiting, command)

    async def session_left(self, user: str, companion: str, session: str) -> Left | None:
        """What an earlier session of that user left."""
        waits = waiting_session(self._waiting(), user=user, companion=companion, session=session)
        if waits is not None:
            return waits
        found = await self._asked(lambda db: session_left(db, user=user, session=session), None)
        if found is None or found.companion != companion:
            return None
        return Left(space=found.space, conversation=found.conversation)

    async def run_tool(
        self, who: Who, call: ToolCall, talk: str | None = None, hidden: AbstractSet[str] = frozenset()
    ) -> ToolAnswer:
        """What a tool gives to the model: quoted lines of what this user and this companion said."""
        companion = self._casts[who.companion].companion
        if call.name == REMEMBER.name:
            return ToolAnswer(await remember(self._store, self._land, companion, who, call, self._now()))
        return await self._finder.for_model(companion, who, call, talk, hidden)

    async def answer(self, who: Who, command: AnyCommand, at: int) -> Done:
        """Do a command on what is stored; raises ``CommandRefused``."""
        try:
            return await self._answer(who, command, at)
        except StoreRefused as refused:
            raise CommandRefused(refused.code) from None

    async def _answer(self, who: Who, command: AnyCommand, at: int) -> Done:
        if isinstance(command, FOR_CAREGIVERS):
            raise CommandRefused("auth.forbidden")
        match command:
            case talks.ConversationList():
                return await self._list(who, command)
            case talks.ConversationHistory():
                return await self._history(who, command)
            case talks.ConversationRename() | talks.ConversationArchive() | talks.ConversationRestore():
                return await self._change(who, command.conversation, _row_change(who, command, at))
            case talks.ConversationDelete(conversation=named):
                self._needs_transcript(who)
                return await self._store.read(lambda db: self._deleted(db, who, named, at))
            case MemoryForget(item=str(item), preview=preview) if item.startswith(MESSAGE):
                self._needs_transcript(who)
                return await self._store.read(
                    lambda db: message_forgotten(db, who, item, preview=preview, at=at)
                )
            case talks.ConversationSummarize(conversation=meant):
                self._needs_transcript(who)
                companion = self._casts[who.companion].companion
                asked = None if meant is UNSET else meant
                return await self._store.read(lambda db: summarized(db, companion, who, asked, at=at))
            case MemoryExport():
                self._needs_transcript(who)
                return self._export(who, command, at)
            case MemoryErase():
                self._needs_transcript(who)
                return await self._erasures.answer(who, command, at)
            case (
                people.ProfileGet()
                | people.ProfileSet()
                | people.ProfileAnswer()
                | people.MoodCheckIn()
                | MoodTrends()
            ):
                companion = self._casts[who.companion].companion
                return await self._store.read(lambda db: answered(db, companion, who, command, at))
            case MemorySearch():
                return await self._found(who, command)
            case ResponseFeedback():
                return _feedback(who, command, at)
            case ConsentSet():
                return decided_by_person(who, command, at)
            case ConsentList():
                return Done(result=await self._store.read(lambda db: consents_told(db, who, at)))
            case MemoryUndo() if self._erasures.called_back(who):
                return Done(result=results.Undone(items=()))
            case (
                MemoryList()
                | MemoryAdd()
                | MemoryEdit()
                | MemoryPin()
                | MemoryForget()
                | MemoryUndo()
                | MemoryWhy()
                | MemorySettings()
            ):
                companion = self._casts[who.companion].companion
                return await MemoryDesk(self._store, companion, who, at).answer(command)
            case AuditQuery():
                return Done(result=await self._store.read(lambda db: audit_page(db, command, who.user)))
            case _:
                raise CommandRefused("policy.refused", "This installation does not do that.")

    def _export(self, who: Who, command: MemoryExport, at: int) -> Done:
        name = self._casts[who.companion].companion.name
        whole = longer(self._store, EXPORT_SECONDS)

        async def made() -> Download:
            return await export(
                whole, user=who.user, companion=who.companion, name=name, form=command.format, at=at
            )

        path = self._tickets.give(who.session, made)
        until = rfc3339(at + round(TICKET_SECONDS * 1_000))
        return Done(result=results.Ticket(path=path, expires_at=until))

    # ------------------------------------------------------------ conversations

    def _needs_transcript(self, who: Who, companion: str | None = None) -> None:
        """Raises ``CommandRefused`` where the past is not shown: of the session's companion, or the one named.

        One that is not there any more has no policy to ask, and shows nothing.
        """
        cast = self._casts.get(companion or who.companion)
        if cast is None or cast.companion.policy.session.transcript == "current":
            raise CommandRefused("policy.refused", "This companion shows the current exchange only.")

    def _deleted(self, db: sqlite3.Connection, who: Who, named: str, at: int) -> Done:
        self._own(db, who, named)
        return conversation_forgotten(db, who, named, at=at)

    def _own(self, db: sqlite3.Connection, who: Who, named: str) -> Conversation:
        """A conversation of this person, with whichever companion, that they may be shown."""
        found = conversation(db, user=who.user, id=named)
        if found is None:
            raise CommandRefused("conversation.unknown")
        self._needs_transcript(who, found.companion)
        return found

    async def _list(self, who: Who, command: talks.ConversationList) -> Done:
        self._needs_transcript(who)
        companion = who.companion if command.companion is UNSET else command.companion
        if companion not in self._casts:
            raise CommandRefused("companion.unknown")
        self._needs_transcript(who, companion)

        def ask(db: sqlite3.Connection) -> results.ConversationPage:
            found = list_conversations(
                db,
                user=who.user,
                companion=self._casts[companion].companion.id,
                archived=command.archived is True,
                query=None if command.query is UNSET else command.query,
                cursor=None if command.cursor is UNSET else command.cursor,
                limit=command.limit,
            )
            entries = tuple(_entry(each) for each in found.conversations)
            return results.ConversationPage(conversations=entries, next=found.next)

        try:
            return Done(result=await self._store.read(ask))
        except BadCursor:
            raise CommandRefused(
                "frame.invalid", "The cursor is not one that was given - at `$.cursor`"
            ) from None

    async def _history(self, who: Who, command: talks.ConversationHistory) -> Done:
        self._needs_transcript(who)

        def ask(db: sqlite3.Connection) -> results.HistoryPage:
            self._own(db, who, command.conversation)
            found = history(
                db,
                user=who.user,
                conversation=command.conversation,
                before=None if command.before is UNSET else command.before,
                limit=command.limit,
            )
            counted = metrics(db, user=who.user, conversation=command.conversation)
            latest = command.before is UNSET and counted is not None
            return results.HistoryPage(
                messages=tuple(stored(each) for each in found),
                figures=msgspec.convert(counted, results.Figures, from_attributes=True) if latest else UNSET,
            )

        return Done(result=await self._store.read(ask))

    async def _change(self, who: Who, conversation_id: str, change: AnyChange) -> Done:
        found = await self._store.read(lambda db: conversation(db, user=who.user, id=conversation_id))
        if found is None:
            raise CommandRefused("conversation.unknown")
        owned = msgspec.structs.replace(change, companion=found.companion)
        return Done(result=results.Done(), changes=(owned,))

    async def _found(self, who: Who, command: MemorySearch) -> Done:
        self._needs_transcript(who)
        found = await self._finder.for_person(who, command.query, command.limit)
        messages = tuple(
            FoundMessage(
                message=each.message, conversation=each.conversation, text=each.text, score=each.score
            )
            for each in found
        )
        return Done(result=results.Found(messages=messages))


def _feedback(who: Who, command: ResponseFeedback, at: int) -> Done:
    change = FeedbackGiven(
        user=who.user,
        companion=who.companion,
        at=at,
        response=command.response,
        value=None if command.value is UNSET else command.value,
        action=None if command.action is UNSET else command.action,
    )
    return Done(result=results.Done(), changes=(change,))


def _row_change(
    who: Who,
    command: talks.ConversationRename | talks.ConversationArchive | talks.ConversationRestore,
    at: int,
) -> AnyChange:
    user, companion, name = who.user, who.companion, command.conversation
    match command:
        case talks.ConversationRename(title=title):
            return ConversationRenamed(user=user, companion=companion, at=at, conversation=name, title=title)
        case talks.ConversationArchive():
            return ConversationArchived(
                user=user, companion=companion, at=at, conversation=name, archived=True
            )
        case talks.ConversationRestore():
            return ConversationArchived(
                user=user, companion=companion, at=at, conversation=name, archived=False
            )
        case _:
            assert_never(command)


def _entry(listed: Listed) -> results.ConversationEntry:
    return results.ConversationEntry(
        conversation=listed.id,
        companion=listed.companion,
        title=listed.title,
        preview=listed.preview,
        message_count=listed.message_count,
        created_at=rfc3339(listed.created_at),
        updated_at=rfc3339(listed.updated_at),
        archived=listed.archived,
        open=listed.open,
    )
