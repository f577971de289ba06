"""Alerts for those who hold a grant: which there are, who looks after them, and what is let be known of them."""

import sqlite3

from msgspec import UNSET

from actors.ports import CommandRefused, Done
from companions.alerting import alert_words
from companions.care_changes import AlertAcknowledged, AlertReleased
from companions.state import Who
from protocol import alert_frames as frames
from protocol import results
from protocol.times import milliseconds, rfc3339
from protocol.values import Value
from server.attending import Attending
from server.care_pages import not_allowed, place_of
from server.ids import new_id
from storage.alerts import alert_for, alerts_told, marks_of
from storage.connection import Store
from storage.consents import standing
from storage.grants import Grant


class AlertDesk:
    """One holder of a grant."""

    def __init__(self, store: Store, attending: Attending, grant: Grant, who: Who) -> None:
        self._store = store
        self._attending = attending
        self._grant = grant
        self._who = who

    async def answer(
        self, command: frames.CareEscalations | frames.CareAcknowledge | frames.CareRelease, at: int
    ) -> Done:
        """Do a command; raises ``CommandRefused``."""
        match command:
            case frames.CareEscalations():
                return Done(result=await self._store.read(lambda db: self._page(db, command, at)))
            case frames.CareAcknowledge(alert=alert):
                return await self._acknowledged(alert, at)
            case frames.CareRelease():
                return await self._released(command, at)

    def _page(
        self, db: sqlite3.Connection, command: frames.CareEscalations, at: int
    ) -> results.EscalationPage:
        """Open alerts wherever the grant reaches; those that were looked after as consent allows."""
        grant, who = self._grant, self._who
        if grant.role == "caregiver" and not command.open:
            now = standing(db, user=who.user, companion=who.companion, at=at)
            if not now.granted("trends"):
                raise not_allowed()
        found = alerts_told(
            db,
            grant,
            companion=None if command.open else who.companion,
            only_open=command.open,
            since=_moment(command.since),
            until=_moment(command.until),
            category=None if command.category is UNSET else command.category,
            before=place_of(command.cursor),
            limit=command.limit,
        )
        entries = tuple(
            frames.AlertEntry(
                alert=each.id,
                companion=each.companion,
                category=each.category,
                level=each.level,
                say=alert_words(each.category, each.level),
                at=rfc3339(each.at),
                acknowledged=tuple(
                    frames.AlertMark(by=mark.name, at=rfc3339(mark.at)) for mark in each.marks
                ),
                released=each.released,
            )
            for each in found
        )
        more = len(found) == command.limit
        return results.EscalationPage(escalations=entries, next=str(found[-1].number) if more else None)

    async def _known(self, alert: str) -> str:
        """The companion of an alert that is told to this holder; of another there is none."""
        companion = await self._store.read(lambda db: alert_for(db, self._grant, alert))
        if companion is None:
            raise CommandRefused("memory.unknown")
        return companion

    async def _acknowledged(self, alert: str, at: int) -> Done:
        grant, companion = self._grant, await self._known(alert)
        change = AlertAcknowledged(
            user=grant.user,
            companion=companion,
            at=at,
            alert=alert,
            grant=grant.id,
            role=grant.role,
            name=grant.name,
        )

        async def first() -> Value:
            mark = (await self._store.read(lambda db: marks_of(db, alert, grant.role)))[0]
            self._attending.acknowledged(grant, companion, alert, mark)
            return results.Acknowledged(by=mark.name, at=rfc3339(mark.at))

        return Done(result=results.Done(), changes=(change,), after=first)

    async def _released(self, command: frames.CareRelease, at: int) -> Done:
        grant = self._grant
        if grant.role != "safeguarding":
            raise CommandRefused("auth.forbidden")
        change = AlertReleased(
            user=grant.user,
            companion=await self._known(command.alert),
            at=at,
            release=new_id("rel"),
            alert=command.alert,
            grant=grant.id,
            name=grant.name,
            allow=command.allow,
        )
        return Done(result=results.Done(), changes=(change,))


def _moment(time: object) -> int | None:
    if time is UNSET:
        return None
    try:
        return milliseconds(str(time))
    except ValueError:
        raise CommandRefused("frame.invalid", "There is no such day.") from None
