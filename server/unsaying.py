"""Deleting a message, or a conversation: what goes with it, said beforehand and removed in one transaction."""

import sqlite3

from actors.ports import CommandRefused, Done
from companions.changes import ConversationDeleted, MessagesRemoved
from companions.state import Who
from companions.unsaying import Unsaid
from protocol.results import Done as Nothing
from protocol.results import Forgotten
from storage.conversations import conversation
from storage.messages import message_place
from storage.removing import resting_on, texts_of, with_answers
from storage.vectors import vectors_of

MESSAGE = "msg_"
"""How the id of an item begins that is a message, and not a fact or a summary."""


def message_forgotten(db: sqlite3.Connection, who: Who, item: str, *, preview: bool, at: int) -> Done:
    """Forget one message, with the answer to it and what rests on both alone; raises ``CommandRefused``."""
    place = message_place(db, user=who.user, companion=who.companion, id=item)
    if place is None:
        raise CommandRefused("memory.unknown")
    gone = with_answers(db, place, (item,))
    items = (*gone, *resting_on(db, user=who.user, companion=who.companion, messages=gone))
    if preview:
        return Done(result=Forgotten(items=items, preview=True))
    change = MessagesRemoved(user=who.user, companion=who.companion, at=at, conversation=place, messages=gone)
    texts: tuple[str | bytes, ...] = (*texts_of(db, place, gone), *vectors_of(db, place, gone))
    unsaid = Unsaid(conversation=place, messages=gone, texts=texts)
    return Done(result=Forgotten(items=items, preview=False), changes=(change,), unsaid=unsaid)


def conversation_forgotten(db: sqlite3.Connection, who: Who, id_: str, *, at: int) -> Done:
    """Delete a conversation of this person; raises ``CommandRefused``."""
    found = conversation(db, user=who.user, id=id_)
    if found is None:
        raise CommandRefused("conversation.unknown")
    change = ConversationDeleted(user=who.user, companion=found.companion, at=at, conversation=id_)
    unsaid = Unsaid(conversation=id_, texts=(*texts_of(db, id_), *vectors_of(db, id_)))
    return Done(result=Nothing(), changes=(change,), unsaid=unsaid)
