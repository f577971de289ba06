"""What is said lands once, at its position, in a conversation of its owner."""

from functools import partial

from companions.changes import (
    AnyChange,
    CommandDone,
    CommandId,
    ConversationClosed,
    Landed,
    Refused,
    Repeated,
)
from memory.messages import Message
from storage.apply import apply
from storage.connection import Store
from storage.conversations import conversation, list_conversations
from storage.messages import history, message
from storage.readings import emotions_in, narratives_in
from storage.talk import load_talk
from tests.storage.contract.landing import land
from tests.storage.making import (
    ANNA,
    BERT,
    answered,
    begins,
    checkpointed,
    closed,
    emotion,
    narrative,
    raw,
    said,
)


async def texts(store: Store, name: str, user: str = ANNA) -> list[str]:
    found = await store.read(partial(history, user=user, conversation=name))
    return [one.text for one in found]


async def test_a_message_and_its_answer_come_back_as_they_were_given(store: Store) -> None:
    outcomes = await land(
        store,
        said("c", 1, "Where is my cup?", context=raw('{"program": "mail"}')),
        answered("c", 2, "Here.", intent="grounding", narrative=narrative("cup")),
    )
    assert outcomes == [Landed(), Landed()]
    assert await store.read(partial(history, user=ANNA, conversation="c")) == (
        Message(
            id="msg_c_1",
            role="user",
            text="Where is my cup?",
            position=1,
            at=1_000,
            context=raw('{"program": "mail"}'),
        ),
        Message(
            id="msg_c_2",
            role="assistant",
            text="Here.",
            position=2,
            at=2_000,
            source="model",
            answers="msg_c_1",
            response="rsp_c_2",
            intent="grounding",
            narrative="cup",
        ),
    )


async def test_a_message_of_a_hundred_kilobytes_is_kept_whole(store: Store) -> None:
    text = "große 🌿 words " * 10_000
    await land(store, said("c", 1, text))
    assert await texts(store, "c") == [text]


async def test_the_same_id_again_changes_nothing_and_names_the_first_message(store: Store) -> None:
    first = said("c", 1, "once")
    assert await land(store, first, first) == [Landed(), Repeated("msg_c_1", "c")]
    again = said("other", 1, "once", command=first.command)
    assert await land(store, again) == [Repeated("msg_c_1", "c")]
    assert await texts(store, "c") == ["once"]
    assert await store.read(partial(conversation, user=ANNA, id="other")) is None


async def test_an_id_with_other_content_is_refused(store: Store) -> None:
    first = said("c", 1, "once")
    await land(store, first)
    other = said(
        "c", 2, "other", command=CommandId(space=first.command.space, id=first.command.id, digest="x")
    )
    assert await land(store, other) == [Refused("id.reused")]
    assert await texts(store, "c") == ["once"]


async def test_a_closed_conversation_is_read_only(store: Store) -> None:
    await land(store, said("c", 1), answered("c", 2), closed("c"))
    assert await land(store, said("c", 3), answered("c", 3, to=1)) == [Refused("conversation.closed")] * 2
    assert len(await texts(store, "c")) == 2


async def test_a_position_that_is_not_the_next_one_is_a_conflict(store: Store) -> None:
    await land(store, said("c", 1))
    for position in (1, 3):
        taken = said("c", position, message=f"new_{position}", begins=None, command=command(f"p{position}"))
        assert await land(store, taken) == [Refused("state.conflict")]
    assert await land(store, said("d", 2)) == [Refused("conversation.unknown")]
    assert await land(store, said("d", 5, new=begins())) == [Refused("state.conflict")]
    assert await store.read(partial(conversation, user=ANNA, id="d")) is None


def command(name: str) -> CommandId:
    return CommandId(space="s", id=name, digest=name)


async def test_one_bad_change_does_not_take_the_batch_with_it(store: Store) -> None:
    outcomes = await land(store, said("c", 1), said("c", 7), said("d", 1, message="msg_c_1"), said("c", 2))
    assert outcomes == [Landed(), Refused("state.conflict"), Refused("state.conflict"), Landed()]
    assert len(await texts(store, "c")) == 2
    assert (await store.read(partial(list_conversations, user=ANNA))).conversations[0].id == "c"
    assert len((await store.read(partial(list_conversations, user=ANNA))).conversations) == 1


async def test_what_a_column_cannot_hold_is_refused_by_itself(store: Store) -> None:
    half, large = said("a", 1, "half \ud83d"), said("b", 1, at=2**70)
    outcomes = await store.transact(lambda db: [apply(db, one) for one in (half, large, said("c", 1))])
    assert outcomes == [Refused("state.conflict"), Refused("state.conflict"), Landed()]


async def test_a_message_has_at_most_one_answer(store: Store) -> None:
    await land(store, said("c", 1), answered("c", 2))
    second = answered("c", 3, to=1)
    assert await land(store, second) == [Refused("state.conflict")]
    assert await land(store, answered("c", 2)) == [Landed()]
    assert len(await texts(store, "c")) == 2


async def test_an_answer_to_nothing_is_a_conflict(store: Store) -> None:
    await land(store, said("c", 1))
    assert await land(store, answered("c", 2, message="msg_nobody")) == [Refused("state.conflict")]


async def test_regenerating_removes_the_answer_and_all_that_followed(store: Store) -> None:
    await land(
        store,
        said("c", 1, "one"),
        answered("c", 2, "old", emotion=emotion("msg_c_1"), narrative=narrative()),
        said("c", 3, "three"),
        answered("c", 4, "four", emotion=emotion("msg_c_3", "fear"), narrative=narrative("sea")),
    )
    assert await land(store, answered("c", 5, "new", to=1, replaces_from=2)) == [Landed()]
    assert await texts(store, "c") == ["one", "new"]
    kept = await store.read(partial(conversation, user=ANNA, id="c"))
    assert kept is not None
    assert (kept.last_position, kept.message_count, kept.user_message_count, kept.revision) == (5, 2, 1, 1)
    assert await store.read(lambda db: narratives_in(db, "c")) == ()
    assert [row.message for row in await store.read(lambda db: emotions_in(db, "c", 10))] == ["msg_c_1"]
    assert await store.read(partial(message, user=ANNA, id="msg_c_3")) is None


async def test_what_was_said_while_another_answer_was_made_is_not_replaced_by_it(store: Store) -> None:
    await land(store, said("c", 1, "one"), answered("c", 2, "old"), said("c", 3, "meanwhile"))
    change = answered("c", 4, "new", to=1, replaces_from=2, replaces_to=2)
    assert await land(store, change) == [Landed()]
    assert await texts(store, "c") == ["one", "meanwhile", "new"]


async def test_a_removed_message_leaves_its_position_and_no_word(store: Store) -> None:
    await land(
        store, said("c", 1), answered("c", 2, "canary"), answered("c", 3, "new", to=1, replaces_from=2)
    )
    row = await store.read(
        lambda db: db.execute("SELECT * FROM messages WHERE conversation = 'c' AND position = 2").fetchone()
    )
    assert row is not None
    assert "canary" not in str(row)


async def test_a_failed_regeneration_leaves_the_old_answer(store: Store) -> None:
    await land(store, said("c", 1), answered("c", 2, "old"))
    nothing = answered("c", 3, "", to=1, replaces_from=2, answer=None, status="failed")
    assert await land(store, nothing) == [Landed()]
    wrong = answered("c", 9, "new", to=1, replaces_from=2)
    assert await land(store, wrong) == [Refused("state.conflict")]
    assert await texts(store, "c") == ["hello", "old"]


async def test_the_id_of_a_removed_message_stays_taken(store: Store) -> None:
    gone = said("c", 3, "three")
    await land(store, said("c", 1), answered("c", 2), gone, answered("c", 4, "new", to=1, replaces_from=2))
    assert await land(store, gone) == [Repeated("msg_c_3", "c")]
    assert len(await texts(store, "c")) == 2


async def test_nothing_of_another_owner_is_touched(store: Store) -> None:
    await land(store, said("c", 1, "hers"))
    unknown = Refused("conversation.unknown")
    foreign: list[AnyChange] = [
        said("c", 2, "his", user=BERT),
        said("c", 2, "other companion", companion="coach"),
        answered("c", 2, "his", user=BERT),
        checkpointed("c", 2, "his", user=BERT),
        closed("c", user=BERT),
    ]
    assert await land(store, *foreign) == [unknown] * len(foreign)
    assert await texts(store, "c") == ["hers"]
    assert await texts(store, "c", BERT) == []
    assert await store.read(partial(conversation, user=BERT, id="c")) is None
    assert await store.read(partial(load_talk, user=BERT, conversation_id="c")) is None


async def test_a_second_close_changes_nothing(store: Store) -> None:
    await land(store, said("c", 1), closed("c"))
    before = await store.read(partial(conversation, user=ANNA, id="c"))
    later = ConversationClosed(user=ANNA, companion="clara", at=99_999, conversation="c", reason="silence")
    assert await land(store, later) == [Landed()]
    assert await store.read(partial(conversation, user=ANNA, id="c")) == before


async def test_the_result_of_a_command_is_kept_for_its_repeats(store: Store) -> None:
    done = CommandDone(user=ANNA, companion="clara", at=5, command=command("k"), result=raw('{"ok":true}'))
    assert await land(store, done) == [Landed()]
    assert await land(store, done) == [Repeated(result=raw('{"ok":true}'))]
    other = CommandId(space="s", id="k", digest="other")
    reused = CommandDone(user=ANNA, companion="clara", at=5, command=other, result=raw("{}"))
    assert await land(store, reused) == [Refused("id.reused")]


async def test_a_clock_that_jumps_changes_no_order(store: Store) -> None:
    await land(
        store,
        said("c", 1, "first", at=2_000_000_000_000),
        said("c", 2, "second", at=0),
        said("d", 1, "third", at=5),
    )
    assert await texts(store, "c") == ["first", "second"]
    listed = await store.read(partial(list_conversations, user=ANNA))
    assert [one.id for one in listed.conversations] == ["d", "c"]
