"""What waits for the store is laid over what the store says: as if it had landed already."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from actors.ports import Waits
from actors.sessions import Left
from companions.changes import (
    AnyChange,
    CommandDone,
    CommandId,
    ConversationDeleted,
    ConversationOpened,
    MessagesRemoved,
    PersonErased,
    Refused,
    SessionContinued,
)
from server.not_landed import waiting_command, waiting_session
from server.reading_back import opening
from storage.apply import apply_groups
from storage.connection import InlineStore
from storage.sessions import session_left
from tests.companions.library import shipped
from tests.storage.fresh import empty_store
from tests.storage.making import ANNA, BERT, answered, closed, emotion, narrative, raw, repetition, said

CLARA = shipped("clara")[0]
OWNER: dict[str, Any] = {"user": ANNA, "companion": "clara", "at": 9_000}  # Any: keywords of structs
Group = tuple[AnyChange, ...]

TALK: list[Group] = [
    (said("a", 1, "Where is my cup?"),),
    (
        answered(
            "a",
            2,
            "On the table.",
            emotion=emotion("msg_a_1"),
            repetition=repetition("msg_a_1"),
            narrative=narrative(),
            anchors=("cup",),
        ),
    ),
    (said("a", 3, "I live in Oslo.", context=raw('{"from":"mail"}')),),
    (said("b", 1, "A talk of its own."), ConversationOpened(**OWNER, conversation="b")),
    (answered("a", 4, "Thank you.", to=3),),
    (said("a", 5, "And where is my hat?"),),
    (replace(answered("a", 6, "", to=5), answer=None, position=None, status="failed"),),
    (answered("a", 6, "On the hook.", to=3, replaces_from=4, replaces_to=4),),
    (said("a", 7, "Good night."),),
]
AFTER: list[list[Group]] = [
    [],
    [(MessagesRemoved(**OWNER, conversation="a", messages=("msg_a_3",)),)],
    [(closed("a"),), (said("a", 8, "This comes too late."),)],
    [(ConversationDeleted(**OWNER, conversation="a"),)],
    [(PersonErased(**OWNER),)],
    [(said("a", 9, "This does not fit."),)],
    [(said("a", 8, "Of another person.", user=BERT),)],
]


def told(store: InlineStore, conversation: str, waiting: Sequence[Group]) -> object:
    """What a session goes on from."""
    found = opening(store.db, CLARA, user=ANNA, conversation=conversation, waiting=waiting)
    if found is None:
        return None
    talk = found.talk
    places = [(each.id, each.position, each.text, each.answers, each.status) for each in talk.messages]
    undone = [each.id for each in found.unanswered]
    asked = [each.id for each in talk.asked]
    return (
        (talk.last_position, talk.message_count, places, undone, found.closed, asked, talk.session_type),
        (talk.told, talk.anchors, [each.message for each in talk.emotions], talk.repeats),
    )


@given(
    landed=st.integers(0, len(TALK)), seen=st.integers(0, len(TALK)), after=st.sampled_from(range(len(AFTER)))
)
@pytest.mark.parametrize("conversation", ["a", "b", "last"])
def test_a_talk_is_as_it_will_be_when_all_has_landed(
    conversation: str, landed: int, seen: int, after: int
) -> None:
    """Also where some of what waits has landed since it was looked at."""
    deleted = any(isinstance(change, ConversationDeleted) for group in AFTER[after] for change in group)
    assume(not (deleted and conversation == "last"))  # which is turned to then the store alone knows
    groups = [*TALK, *AFTER[after]]
    waiting = groups[min(landed, seen) :]
    with empty_store() as store:
        apply_groups(store.db, groups[:landed])
        before = told(store, conversation, waiting)
        apply_groups(store.db, groups[landed:])
        assert before == told(store, conversation, ())


def test_an_id_that_waits_is_known() -> None:
    done = CommandDone(**OWNER, command=CommandId(space="s", id="c", digest="d"), result=raw("{}"))
    waiting = [*TALK, (ConversationOpened(**OWNER, conversation="a"), done)]
    assert waiting_command(waiting, done.command) == Waits(done)
    assert waiting_command(waiting, CommandId(space="s", id="c", digest="e")) == Refused("id.reused")
    assert waiting_command(waiting, CommandId(space="t", id="c", digest="d")) is None
    first = said("a", 1, "Where is my cup?")
    assert waiting_command(waiting, first.command) == Waits(first)


@pytest.mark.parametrize("session", ["ses_2", f"ses_{ANNA}", "ses_9"])
def test_a_session_that_waits_leaves_what_it_will_leave_when_it_has_landed(session: str) -> None:
    going_on = SessionContinued(**OWNER, session="ses_2", space="ses_1", conversation="b")
    waiting: list[Group] = [*TALK, (going_on,)]
    found = waiting_session(waiting, user=ANNA, companion="clara", session=session)
    assert waiting_session(waiting, user=BERT, companion="clara", session=session) is None
    with empty_store() as store:
        apply_groups(store.db, waiting)
        left = session_left(store.db, user=ANNA, session=session)
    assert found == (left and Left(space=left.space, conversation=left.conversation))
