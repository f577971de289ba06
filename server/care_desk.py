"""What those who hold a grant may do and see about the one person it is for; everything else is forbidden."""

import sqlite3
from typing import TypeAlias, assert_never

import msgspec

from actors.ports import CommandRefused, Done
from companions.care_changes import CareContextGiven
from companions.companion import Companion
from companions.state import Who
from protocol import care_frames as care
from protocol import results
from protocol.alert_frames import FOR_ALERTED
from protocol.catalogue import AnyCommand
from protocol.memory_frames import MemoryErase
from protocol.times import rfc3339
from protocol.trend_frames import CareTrends
from protocol.values import Value
from server.attending import Attending
from server.care_alerts import AlertDesk
from server.care_pages import note_marked, note_page
from server.care_timeline import emotion_page, repetition_now, summary_page, transcript_page, trends_now
from server.desk_consents import consents_told, decided
from server.erasing import Erasures
from storage.care_contexts import care_context
from storage.connection import Store
from storage.grants import Grant

Timeline: TypeAlias = (
    care.CareEmotions | care.CareRepetition | care.CareSummaries | care.CareHistory | CareTrends
)


class CareDesk:
    """One holder of a grant, and one companion of the person."""

    def __init__(
        self,
        store: Store,
        erasures: Erasures,
        attending: Attending,
        companion: Companion,
        grant: Grant,
        session: str,
    ) -> None:
        self.grant = grant
        self._store = store
        self._erasures = erasures
        self._companion = companion
        self.who = self._who = Who(user=grant.user, companion=companion.id, session=session, space=session)
        self._alerts = AlertDesk(store, attending, grant, self.who)

    async def answer(self, command: AnyCommand, at: int) -> Done:
        """Do a command; raises ``CommandRefused``."""
        if isinstance(command, FOR_ALERTED):
            return await self._alerts.answer(command, at)
        if self.grant.role != "caregiver":
            raise CommandRefused("auth.forbidden")
        match command:
            case care.ConsentList():
                return Done(result=await self._store.read(lambda db: consents_told(db, self._who, at)))
            case care.ConsentSet():
                return decided(
                    self._who,
                    command,
                    at,
                    role=self.grant.role,
                    own=self.grant.basis,
                    giver=self.grant.id,
                    name=self.grant.name,
                )
            case care.CareContextGet():
                self._needs_context()
                return Done(result=await self._store.read(self._context))
            case care.CareContextSet(context=context):
                self._needs_context()
                return Done(result=results.Done(), changes=(self._given(context, at),))
            case care.CareNotes():
                return Done(
                    result=await self._store.read(
                        lambda db: note_page(db, self._who, command, at, self.grant.id)
                    )
                )
            case (
                care.CareEmotions()
                | care.CareRepetition()
                | care.CareSummaries()
                | care.CareHistory()
                | CareTrends()
            ):
                return Done(result=await self._store.read(lambda db: self._timeline(db, command, at)))
            case care.CareNotesRead(note=note):
                return await self._store.read(lambda db: note_marked(db, self._who, note, at, self.grant.id))
            case MemoryErase():
                self._needs_erasing()
                return await self._erasures.answer(self._who, command, at)
            case _:
                raise CommandRefused("auth.forbidden")

    def _timeline(self, db: sqlite3.Connection, command: Timeline, at: int) -> Value:
        match command:
            case care.CareEmotions():
                return emotion_page(db, self._who, command, at)
            case care.CareRepetition():
                return repetition_now(db, self._who, self._companion, command, at)
            case care.CareSummaries():
                return summary_page(db, self._who, command, at)
            case care.CareHistory():
                return transcript_page(db, self._who, command, at)
            case CareTrends():
                return trends_now(db, self._who, self._companion, command, at)
            case _:
                assert_never(command)

    def _needs_context(self) -> None:
        if self._companion.policy.memory.caregiver == "never":
            raise CommandRefused("policy.refused")

    def _needs_erasing(self) -> None:
        """Where the person is shown no past, a caregiver erases it, and says so twice (decision D30)."""
        if self._companion.policy.session.transcript != "current":
            raise CommandRefused("auth.forbidden", "The person does this by themselves.")

    def _context(self, db: sqlite3.Connection) -> results.CareContextNow:
        found = care_context(db, user=self._who.user, companion=self._who.companion)
        if found is None:
            return results.CareContextNow(context=care.CareContext())
        context = msgspec.json.decode(found.context, type=care.CareContext)
        return results.CareContextNow(context=context, by=found.name, at=rfc3339(found.at))

    def _given(self, context: care.CareContext, at: int) -> CareContextGiven:
        return CareContextGiven(
            user=self._who.user,
            companion=self._who.companion,
            at=at,
            name=self.grant.name,
            context=msgspec.Raw(msgspec.json.encode(context)),
        )
