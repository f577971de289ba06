"""What is searched for, by the person, and by a model through its tool: by words, and by meaning with an embedder.

Whose memory is searched is the session's business. What a model is given is bounded in messages, tokens and time, and
quoted; it finds nothing of what was said while remembering was off, and no talk its companion's policy does not reach.
"""

import sqlite3
from collections.abc import Awaitable, Callable
from collections.abc import Set as AbstractSet
from typing import TypeAlias

import anyio
import structlog

from companions.companion import Companion
from companions.ports import ToolAnswer, ToolCall
from companions.quoting import quoted
from companions.state import Who
from companions.tools import SEARCH, query_of
from memory.tokens import count, shortened
from memory.vectors import Meaning
from storage.connection import Store
from storage.conversations import conversation
from storage.fulltext import Found, search
from storage.memories import remembering
from storage.messages import asking_now
from storage.refusals import StoreRefused
from storage.unheard import messages_heard

MeaningOf: TypeAlias = Callable[[str], Awaitable[Meaning | None]]
UNAVAILABLE = "This tool is not available, or was not used as offered."
NOTHING = "Nothing was found."
SPARE = 4  # times what is wanted is looked for: some of it may not be told

log: structlog.stdlib.BoundLogger = structlog.get_logger("finding")


async def nothing_meant(_text: str) -> Meaning | None:
    """Where there is no embedder."""
    return None


class Finder:
    """Searches the one store."""

    def __init__(self, store: Store, meaning: MeaningOf = nothing_meant) -> None:
        self._store = store
        self._meaning = meaning

    async def for_person(self, who: Who, query: str, limit: int) -> tuple[Found, ...]:
        """What a person finds in what they and this companion said."""
        meaning = await self._meaning(query)
        return await self._asked(
            lambda db: search(
                db, user=who.user, companion=who.companion, query=query, limit=limit, meaning=meaning
            )
        )

    async def for_model(
        self,
        companion: Companion,
        who: Who,
        call: ToolCall,
        talk: str | None,
        hidden: AbstractSet[str] = frozenset(),
    ) -> ToolAnswer:
        """What the tool gives to the model: quoted lines, the best first. ``talk`` is the open conversation.

        What is ``hidden`` in it, as another answer is to take its place, is not there for the model.
        """
        policy, wanted = companion.policy, query_of(call)
        if SEARCH.name not in policy.model.tools or call.name != SEARCH.name or wanted is None:
            return ToolAnswer(UNAVAILABLE)
        most = min(wanted.limit or policy.recall.search_results, policy.recall.search_results)
        only = talk if policy.memory.search == "conversation" else None
        found: tuple[Found, ...] = ()
        if only is not None or policy.memory.search == "across":
            meaning = await self._meaning(wanted.query)
            with anyio.move_on_after(policy.recall.deadline_ms / 1_000):  # then the model goes on without
                found = await self._told(
                    who, wanted.query, meaning, most, talk=talk, only=only, hidden=hidden
                )
        return _quoted(found, policy.recall.search_tokens)

    async def _told(
        self,
        who: Who,
        query: str,
        meaning: Meaning | None,
        most: int,
        *,
        talk: str | None,
        only: str | None,
        hidden: AbstractSet[str],
    ) -> tuple[Found, ...]:
        """What a model may find: nothing while remembering is off, nor what was said while it was, nor the question."""

        def ask(db: sqlite3.Connection) -> tuple[Found, ...]:
            if not remembering(db, user=who.user, companion=who.companion):
                return ()
            open_talk = None if talk is None else conversation(db, user=who.user, id=talk)
            found = search(
                db,
                user=who.user,
                companion=who.companion,
                query=query,
                limit=SPARE * most,
                parent_mode=open_talk is not None and open_talk.parent_mode,
                conversation=only,
                meaning=meaning,
            )
            asking = asking_now(db, user=who.user, companion=who.companion)
            heard = messages_heard(
                db, [each.message for each in found], user=who.user, companion=who.companion
            )
            left_out = hidden if asking is None else {*hidden, asking.message}
            told = [each for each in found if each.message in heard and each.message not in left_out]
            return tuple(told[:most])

        return await self._asked(ask)

    async def _asked(self, question: Callable[[sqlite3.Connection], tuple[Found, ...]]) -> tuple[Found, ...]:
        """The answer of the store; one that gives none does not end a talk: it goes on without (S20)."""
        try:
            return await self._store.read(question)
        except StoreRefused as refused:
            log.warning("store.silent", code=refused.code, detail=refused.detail)
            return ()


def _quoted(found: tuple[Found, ...], most_tokens: int) -> ToolAnswer:
    lines: list[str] = []
    messages: list[str] = []
    for each in found:
        line = f'- "{quoted(shortened(each.text, most_tokens // 2))}"'
        if sum(map(count, [*lines, line])) <= most_tokens:
            lines.append(line)
            messages.append(each.message)
    return ToolAnswer("\n".join(lines) or NOTHING, tuple(messages))
