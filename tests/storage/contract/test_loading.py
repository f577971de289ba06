"""A session takes up a conversation with all it needs, from that conversation alone."""

import sqlite3
from functools import partial

from msgspec.structs import replace

from companions.changes import JobsQueued, Landed, Refused, SessionContinued, SummaryMade
from storage.connection import Store
from storage.conversations import conversation
from storage.readings import Told, chronic_since, narratives_told, questions_since
from storage.recovery import Recovered, recover
from storage.sessions import Continued, session_left
from storage.summaries import recent_summaries
from storage.talk import Loaded, OpenResponse, load_talk
from storage.timeline import feelings, questions
from tests.storage.contract.landing import land
from tests.storage.making import (
    ANNA,
    BERT,
    answered,
    begins,
    checkpointed,
    closed,
    emotion,
    job,
    narrative,
    raw,
    repetition,
    said,
)


async def loaded(store: Store, name: str, messages: int = 50) -> Loaded:
    found = await store.read(partial(load_talk, user=ANNA, conversation_id=name, messages=messages))
    assert found is not None
    return found


def exchange(name: str, position: int, story: str) -> tuple[object, ...]:
    message = f"msg_{name}_{position}"
    return (
        said(name, position, f"words {position}"),
        answered(
            name,
            position + 1,
            emotion=emotion(message, topics=("home",), flags=("positive",)),
            repetition=repetition(message, count=position // 2),
            narrative=narrative(story),
            anchors=("cup", f"thing {position}"),
        ),
    )


async def test_a_talk_is_loaded_in_one_go(store: Store) -> None:
    for position in range(1, 25, 2):
        await land(store, *exchange("c", position, f"story {position}"))  # type: ignore[arg-type] # all are changes
    await land(store, said("c", 25), checkpointed("c", 26, "so far"))
    await land(store, *exchange("other", 1, "elsewhere"))  # type: ignore[arg-type] # as above
    talk = await loaded(store, "c", messages=5)
    assert [one.position for one in talk.messages] == [21, 22, 23, 24, 25]
    assert talk.conversation.last_position == 25
    assert [row.message for row in talk.emotions] == [f"msg_c_{n}" for n in range(5, 25, 2)]
    assert talk.emotions[0] == emotion("msg_c_5", topics=("home",), flags=("positive",))
    assert talk.repetitions == tuple(repetition(f"msg_c_{n}", count=n // 2) for n in range(1, 25, 2))
    assert [use.narrative for use in talk.narratives] == [f"story {n}" for n in range(1, 25, 2)]
    assert talk.anchors == ("cup", *(f"thing {n}" for n in range(1, 25, 2)))
    assert [one.position for one in talk.unanswered] == [25]
    assert talk.open_response == OpenResponse(
        response="rsp_c_26", message="msg_c_25", answer="msg_c_26", text="so far"
    )


async def test_what_was_cancelled_before_a_word_is_settled_and_what_a_crash_cut_is_not(store: Store) -> None:
    await land(store, said("c", 1), said("c", 2), said("c", 3))
    await land(store, answered("c", 4, "", to=1, answer=None, status="cancelled"))
    await land(store, answered("c", 4, "", to=2, answer=None, status="interrupted"))
    assert [one.position for one in (await loaded(store, "c")).unanswered] == [2, 3]


async def test_an_open_answer_becomes_an_interrupted_one_at_a_start(store: Store) -> None:
    await land(store, said("c", 1), checkpointed("c", 2, "one"), checkpointed("c", 2, "one two"))
    await land(store, said("d", 1), checkpointed("d", 2, " "), said("e", 1), answered("e", 2))
    await land(store, checkpointed("e", 3, "in its place", to=1))
    found = await store.transact(lambda db: recover(db, 77))
    assert [(one.conversation, one.message, one.answer) for one in found.interrupted] == [
        ("c", "msg_c_1", "msg_c_2")
    ]
    assert found.vanished == 2
    talk = await loaded(store, "c")
    assert [(one.text, one.status, one.position) for one in talk.messages][1:] == [
        ("one two", "interrupted", 2)
    ]
    assert (talk.unanswered, talk.open_response, talk.conversation.message_count) == ((), None, 2)
    assert [one.position for one in (await loaded(store, "d")).unanswered] == [1]
    assert [one.text for one in (await loaded(store, "e")).messages] == ["hello", "an answer"]
    again = await store.transact(lambda db: recover(db, 78))
    assert again == Recovered(interrupted=(), vanished=0, released=0)


async def test_a_checkpoint_that_comes_late_opens_nothing(store: Store) -> None:
    await land(store, said("c", 1), checkpointed("c", 2, "one"), answered("c", 2, "one two"))
    assert await land(store, checkpointed("c", 2, "one")) == [Landed()]
    assert (await loaded(store, "c")).open_response is None


async def test_what_is_read_in_a_message_is_of_the_time_at_which_it_was_said(store: Store) -> None:
    late = answered("c", 2, at=7_200_000, emotion=emotion("msg_c_1"), repetition=repetition("msg_c_1"))
    await land(store, said("c", 1, at=1_000), late)

    def times(db: sqlite3.Connection) -> list[int]:
        felt = feelings(db, user=ANNA, companion="clara", since=0, until=9_000_000, before=None, limit=5)
        asked = questions(db, user=ANNA, companion="clara", since=0)
        return [*(each.at for each in felt), *(each.at for each in asked)]

    assert await store.read(times) == [1_000, 1_000]


async def test_the_emotion_felt_most_and_an_alarm_are_worked_out_at_the_end(store: Store) -> None:
    for position, name in enumerate(["sad", "fear", "fear"]):
        place = 2 * position + 1
        await land(store, said("c", place), answered("c", place + 1, emotion=emotion(f"msg_c_{place}", name)))
    crisis = emotion("msg_c_7", "sad", crisis_category="self_harm", crisis_severity=2)
    await land(store, said("c", 7), answered("c", 8, emotion=crisis), closed("c"))
    found = await store.read(partial(conversation, user=ANNA, id="c"))
    assert found is not None
    assert (found.dominant_emotion, found.escalated, found.open) == ("sad", True, False)


async def test_a_weeks_questions_and_stories_are_counted_over_all_sessions(store: Store) -> None:
    for number, name in enumerate(["a", "b"]):
        story = narrative("garden" if number == 0 else "sea")
        row = repetition(f"msg_{name}_1")
        await land(store, said(name, 1), answered(name, 2, repetition=row, narrative=story))
    await land(store, said("b", 3), answered("b", 4, narrative=narrative("garden")))
    told = await store.read(partial(narratives_told, user=ANNA, companion="clara"))
    assert [(one.narrative, one.uses) for one in told] == [("sea", 1), ("garden", 2)]
    assert all(isinstance(one, Told) for one in told)
    since = partial(questions_since, user=ANNA, companion="clara")
    assert await store.read(partial(since, since=0)) == {"location": 2}
    assert await store.read(partial(since, since=2_001)) == {}
    assert await store.read(partial(questions_since, user=BERT, companion="clara", since=0)) == {}


async def test_a_question_that_came_five_times_is_a_pattern_for_caregivers(store: Store) -> None:
    for count in range(7):
        place = 2 * count + 1
        row = replace(repetition(f"msg_c_{place}"), repeat_count=count)
        await land(store, said("c", place), answered("c", place + 1, repetition=row))
    chronic = partial(chronic_since, user=ANNA, companion="clara", since=0)
    (found,) = await store.read(partial(chronic, repeats=5))
    assert (found.conversation, found.question_type, found.most) == ("c", "location", 6)
    assert await store.read(partial(chronic, repeats=7)) == ()
    assert await store.read(partial(chronic_since, user=BERT, companion="clara", since=0, repeats=1)) == ()


def summary(name: str, conversation_id: str, job_id: str, **more: object) -> SummaryMade:
    fields: dict[str, object] = {
        "user": ANNA,
        "companion": "clara",
        "at": 1,
        "job": job_id,
        "summary": name,
        "conversation": conversation_id,
        "content": raw('{"text":"about ' + name + '"}'),
        "covers_first": 1,
        "covers_last": 2,
        "partial": False,
        "made_by": "extract",
        "tokens": 3,
    }
    return SummaryMade(**(fields | more))  # type: ignore[arg-type] # keywords of a struct


async def test_summaries_come_in_the_order_in_which_the_talks_ended(store: Store) -> None:
    for name in ("a", "b", "c", "p"):
        await land(store, said(name, 1, at=0, new=begins(parent_mode=name == "p")), answered(name, 2))
    for name in ("b", "a", "p", "c"):
        await land(store, closed(name, job(f"job_{name}")))
    for name in ("c", "a", "b", "p"):
        assert await land(store, summary(f"s_{name}", name, f"job_{name}")) == [Landed()]
    recent = partial(recent_summaries, user=ANNA, companion="clara")
    assert [one.conversation for one in await store.read(partial(recent, limit=2))] == ["a", "c"]
    assert [one.conversation for one in await store.read(partial(recent, limit=9))] == ["b", "a", "c"]
    assert [one.id for one in await store.read(partial(recent, limit=9, parent_mode=True))] == ["s_p"]


async def test_a_result_takes_effect_once_and_none_lands_after_a_removal(store: Store) -> None:
    await land(store, said("a", 1), answered("a", 2))
    queued = JobsQueued(user=ANNA, companion="clara", at=1, conversation="a", jobs=(job("early"),))
    await land(store, queued)
    await land(store, answered("a", 3, to=1, replaces_from=2))
    assert await land(store, summary("s1", "a", "early")) == [Refused("state.conflict")]
    await land(store, closed("a", job("late", last=3)))
    once = summary("s2", "a", "late", covers_last=3)
    assert await land(store, once, once) == [Landed(), Landed()]
    assert await land(store, summary("s3", "a", "late")) == [Refused("state.conflict")]
    found = await loaded(store, "a")
    assert found.summary is not None
    assert (found.summary.id, found.summary.content) == ("s2", raw('{"text":"about s2"}'))


async def test_removing_messages_withdraws_the_summaries_that_covered_them(store: Store) -> None:
    await land(store, said("a", 1), answered("a", 2))
    await land(store, JobsQueued(user=ANNA, companion="clara", at=1, conversation="a", jobs=(job("j"),)))
    await land(store, summary("s1", "a", "j", partial=True))
    assert (await loaded(store, "a")).summary is not None
    await land(store, answered("a", 3, to=1, replaces_from=2))
    assert (await loaded(store, "a")).summary is None


async def test_a_session_leaves_its_id_space_and_its_conversation(store: Store) -> None:
    await land(store, said("a", 1), said("b", 1))
    left = partial(session_left, session=f"ses_{ANNA}")
    expected = Continued(companion="clara", space=f"ses_{ANNA}", conversation="b")
    assert await store.read(partial(left, user=ANNA)) == expected
    assert await store.read(partial(left, user=BERT)) is None
    await land(
        store,
        SessionContinued(user=ANNA, companion="clara", at=9, session="s2", space="s1", conversation=None),
        SessionContinued(user=BERT, companion="clara", at=9, session="s2", space="mine", conversation=None),
    )
    found = await store.read(partial(session_left, user=ANNA, session="s2"))
    assert found == Continued(companion="clara", space="s1", conversation=None)
