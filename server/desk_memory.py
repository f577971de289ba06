"""The person's hold on what is remembered of them, at the desk.

A change is rehearsed on the store, in a transaction that is taken back, so that its result is known before it
lands; it lands only while what is remembered still has the revision it was rehearsed on.
"""

import sqlite3
from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from actors.ports import CommandRefused, Done
from companions.changes import Refused
from companions.companion import Companion
from companions.fact_changes import (
    FactAdded,
    FactEdited,
    FactPinned,
    FactsForgotten,
    MemorySwitched,
    MemoryUndone,
    PersonsChange,
    SummaryEdited,
    SummaryForgotten,
)
from companions.filing import category_of, keeping
from companions.policy_memory import Facts
from companions.state import Who
from memory.facts import stated
from protocol import memory_frames as memory
from protocol import results
from protocol.values import Value
from server.ids import new_id
from server.memory_told import told_fact, told_summary
from storage.apply import apply
from storage.connection import Store
from storage.facts import count_facts, fact_of, facts_of, present_form
from storage.facts_person import added_fact, undo_waiting
from storage.memories import memory_revision, remembering
from storage.order import aged_at
from storage.summaries_person import own_summary, summaries_of
from storage.uses import Used, uses_of

MemoryCommand: TypeAlias = (
    memory.MemoryList
    | memory.MemoryAdd
    | memory.MemoryEdit
    | memory.MemoryPin
    | memory.MemoryForget
    | memory.MemoryUndo
    | memory.MemoryWhy
    | memory.MemorySettings
)
SUMMARY = "sum_"


class MemoryDesk:
    """Answers the commands about what one companion remembers of one person."""

    def __init__(self, store: Store, companion: Companion, who: Who, at: int) -> None:
        self._store = store
        self._companion = companion
        self._who = who
        self._at = at

    async def answer(self, command: MemoryCommand) -> Done:
        """Do a command; raises ``CommandRefused``."""
        policy = self._policy()
        match command:
            case memory.MemoryList():
                return Done(result=await self._store.read(self._remembered))
            case memory.MemoryWhy(response=response):
                return await self._why(response)
            case memory.MemorySettings():
                return await self._settings(policy, command)
            case memory.MemoryAdd():
                return await self._add(policy, command)
            case memory.MemoryEdit():
                return await self._edit(policy, command)
            case memory.MemoryPin(item=item, pinned=pinned):
                change = FactPinned(**self._owner(), fact=item, pinned=pinned)
                return await self._rehearsed(change, lambda db: self._changed(db, item))
            case memory.MemoryForget():
                return await self._forget(policy, command)
            case memory.MemoryUndo():
                return await self._undo()

    def _policy(self) -> Facts:
        policy = self._companion.policy
        if policy.facts is None or policy.session.transcript == "current":
            raise CommandRefused("policy.refused", "This companion keeps nothing that could be shown.")
        return policy.facts

    def _owner(self) -> dict[str, Any]:  # Any: keywords of a change
        return {"user": self._who.user, "companion": self._who.companion, "at": self._at}

    def _category(self, policy: Facts, wanted: str | UnsetType) -> str | None:
        if wanted is UNSET:
            return None
        if wanted not in policy.categories:
            known = ", ".join(policy.categories)
            raise CommandRefused(
                "frame.invalid", f"No category of this companion ({known}) - at `$.category`"
            )
        return wanted

    # ------------------------------------------------------------ reads

    def _remembered(self, db: sqlite3.Connection) -> results.Remembered:
        user, companion = self._who.user, self._who.companion
        facts = facts_of(db, user=user, companion=companion, history=True)
        summaries = summaries_of(db, user=user, companion=companion)
        aged = aged_at(db, self._at)
        return results.Remembered(
            facts=tuple(told_fact(fact, self._companion, aged) for fact in facts),
            summaries=tuple(told_summary(each) for each in summaries),
        )

    async def _why(self, response: str) -> Done:
        user, companion = self._who.user, self._who.companion
        uses = await self._store.read(
            lambda db: uses_of(db, user=user, companion=companion, response=response)
        )
        if uses is None:
            raise CommandRefused("response.unknown")
        return Done(
            result=results.Why(
                used=tuple(_told(each) for each in uses if each.use.used),
                left_out=tuple(_told(each) for each in uses if not each.use.used),
            )
        )

    async def _settings(self, policy: Facts, command: memory.MemorySettings) -> Done:
        user, companion = self._who.user, self._who.companion
        enabled, count = await self._store.read(
            lambda db: (
                remembering(db, user=user, companion=companion),
                count_facts(db, user=user, companion=companion),
            )
        )
        wanted = enabled if command.enabled is UNSET else command.enabled
        state = results.MemoryState(
            enabled=wanted, count=count, soft_limit=policy.soft_limit or 0, hard_limit=policy.hard_limit or 0
        )
        if wanted == enabled:
            return Done(result=state)
        return Done(result=state, changes=(MemorySwitched(**self._owner(), enabled=wanted),))

    # ------------------------------------------------------------ changes

    async def _add(self, policy: Facts, command: memory.MemoryAdd) -> Done:
        text = command.text.strip()
        if not text:
            raise CommandRefused("message.empty")
        states = stated(text)
        statement = states[0] if len(states) == 1 else None
        kept = keeping(self._companion)
        assert kept is not None  # the policy keeps facts
        change = FactAdded(
            **self._owner(),
            fact=new_id("fct"),
            text=text,
            statement=statement,
            category=self._category(policy, command.category) or category_of(policy, statement),
            language="",
            keeping=kept,
            source=command.id,
        )
        return await self._rehearsed(change, lambda db: self._added(db, policy, change))

    def _added(self, db: sqlite3.Connection, policy: Facts, change: FactAdded) -> results.FactChanged:
        fact = added_fact(db, change)
        count = count_facts(db, user=change.user, companion=change.companion)
        warning: str | UnsetType = UNSET
        if policy.soft_limit is not None and count >= policy.soft_limit:
            rest = f"; from {policy.hard_limit} on nothing new is kept" if policy.hard_limit else ""
            warning = (
                f"{count} things are remembered{rest}. Look through them and forget what is out of date."
            )
        return results.FactChanged(fact=told_fact(fact, self._companion, self._at), warning=warning)

    async def _edit(self, policy: Facts, command: memory.MemoryEdit) -> Done:
        text = None if command.text is UNSET else command.text.strip()
        if text == "":
            raise CommandRefused("message.empty")
        if command.item.startswith(SUMMARY):
            if text is None:
                raise CommandRefused("policy.refused", "Of a summary the text alone can be put right.")
            edited = SummaryEdited(**self._owner(), summary=command.item, text=text)
            return await self._rehearsed(edited, lambda db: self._changed(db, command.item))
        change = FactEdited(
            **self._owner(),
            fact=command.item,
            into=new_id("fct"),
            source=command.id,
            text=text,
            category=self._category(policy, command.category),
            enabled=None if command.enabled is UNSET else command.enabled,
        )
        return await self._rehearsed(change, lambda db: self._changed(db, change.into, command.item))

    async def _forget(self, policy: Facts, command: memory.MemoryForget) -> Done:
        change: FactsForgotten | SummaryForgotten
        if command.item is not UNSET and command.item.startswith(SUMMARY):
            change = SummaryForgotten(**self._owner(), summary=command.item)
        elif command.item is not UNSET:
            change = FactsForgotten(**self._owner(), facts=(command.item,))
        else:
            change = FactsForgotten(**self._owner(), category=self._category(policy, command.category))
        before = await self._store.read(self._ids)
        done = await self._rehearsed(
            change,
            lambda db: results.Forgotten(items=_less(before, self._ids(db)), preview=command.preview),
        )
        return Done(result=done.result) if command.preview else done

    def _ids(self, db: sqlite3.Connection) -> tuple[str, ...]:
        user, companion = self._who.user, self._who.companion
        facts = facts_of(db, user=user, companion=companion, history=True)
        summaries = summaries_of(db, user=user, companion=companion)
        return (*(fact.id for fact in facts), *(each.id for each in summaries))

    async def _undo(self) -> Done:
        change = MemoryUndone(**self._owner())
        undo = await self._store.read(lambda db: undo_waiting(db, change))
        items = () if undo is None else undo.items
        if not items:
            return Done(result=results.Undone(items=()))
        return await self._rehearsed(change, lambda _: results.Undone(items=items))

    def _changed(self, db: sqlite3.Connection, *items: str) -> results.FactChanged:
        """The first of ``items`` that is there now."""
        user, companion = self._who.user, self._who.companion
        for item in items:
            fact = fact_of(db, user=user, companion=companion, id=item)
            if fact is not None:
                return results.FactChanged(fact=told_fact(fact, self._companion, self._at))
            summary = own_summary(db, user=user, companion=companion, id=item)
            if summary is not None:
                return results.FactChanged(summary=told_summary(summary))
        raise CommandRefused("memory.unknown")

    async def _rehearsed(self, change: PersonsChange, look: Callable[[sqlite3.Connection], Value]) -> Done:
        """What ``change`` comes to, and the change as it may land: on the state it was rehearsed on alone."""

        def run(db: sqlite3.Connection) -> Done | CommandRefused:
            revision = memory_revision(db, user=change.user, companion=change.companion)
            expecting = msgspec.structs.replace(change, expects=revision)
            db.execute("SAVEPOINT rehearsal")
            try:
                outcome = apply(db, expecting)
                if isinstance(outcome, Refused):
                    return self._refused(db, change, outcome.code)
                return Done(result=look(db), changes=(expecting,))
            finally:
                db.execute("ROLLBACK TO rehearsal")
                db.execute("RELEASE rehearsal")

        outcome = await self._store.transact(run)
        if isinstance(outcome, CommandRefused):
            raise outcome
        return outcome

    def _refused(self, db: sqlite3.Connection, change: PersonsChange, code: str) -> CommandRefused:
        if code == "state.conflict" and isinstance(change, FactEdited | FactPinned):
            now = present_form(db, user=change.user, companion=change.companion, id=change.fact)
            current = None if now is None else told_fact(now, self._companion, self._at)
            return CommandRefused(code, current=current)
        if code == "policy.refused" and remembering(db, user=change.user, companion=change.companion):
            return CommandRefused(code, "There is no room for more: forget something first.")
        if code == "policy.refused":
            return CommandRefused(code, "Remembering is switched off.")
        return CommandRefused(code)


def _less(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[str, ...]:
    left = set(after)
    return tuple(each for each in before if each not in left)


def _told(used: Used) -> memory.UsedMemory:
    return memory.UsedMemory(
        kind=used.use.kind, item=used.use.item, reason=used.use.reason, sources=used.sources
    )
