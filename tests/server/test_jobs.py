"""After the talk, through the real server: what the model makes of it, and what comes of it in the next one."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from loadtest.client import Refusal, Talker
from loadtest.model_script import Call, Script
from protocol.conversation_frames import (
    ConversationClose,
    ConversationCreate,
    ConversationList,
    ConversationSummarize,
)
from protocol.memory_frames import MemoryList
from protocol.talk_frames import GreetingGet
from tests.server.jobs_stage import Jobs, Stage, playing, summed_up, until

SUMMARY = {
    "topics": ["work", "sleep"],
    "arc": "anxious -> calmer",
    "insight": "She sees that she is too hard on herself.",
    "follow_ups": ["walk in the morning"],
    "quote": "I need to stop being so hard on myself.",
    "summary": "They spoke about work and sleep.",
}


TOPICS = ("fractions", "triangles", "primes")


def rows(stage: Stage, question: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(stage.store)) as db:
        return db.execute(question).fetchall()


def learned(stage: Stage, *, talks: int) -> bool:
    """Whether so many talks have been read for facts, which may come before or after their summaries."""
    return len(rows(stage, "SELECT 1 FROM jobs WHERE kind = 'facts' AND state = 'done'")) == talks


async def close(talker: Talker) -> str:
    ack = await talker.ask(ConversationClose(id=talker.new_id()))
    assert isinstance(ack.result, dict)
    return str(ack.result["conversation"])


async def test_a_closed_talk_has_every_part_of_its_summary_and_the_next_one_begins_with_it(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, Jobs({"summary": SUMMARY})) as stage:
        async with stage.greeted(companion="serenity") as talker:
            await talker.talk("Work keeps me awake. I need to stop being so hard on myself.")
            ready = await summed_up(talker, await close(talker))
            made = ready.summary
            assert made.quote == SUMMARY["quote"]
            assert (made.topics, made.emotional_arc) == (("work", "sleep"), "anxious -> calmer")
            assert made.follow_ups == ("walk in the morning",)
            assert isinstance(made.tokens, int)
            assert made.tokens <= 400
            await talker.talk("Good morning.")
        prompt = stage.last_prompt()
        assert "They spoke about work and sleep." in prompt
        assert "I need to stop being so hard on myself." in prompt
        assert rows(stage, "SELECT made_by FROM summaries") == [("m",)]


@pytest.mark.parametrize("answer", ["", "{", "I cannot do that.", "[]", '{"topics": 7}', "```json\n```"])
async def test_a_broken_answer_degrades_to_the_persons_own_words(tmp_path: Path, answer: str) -> None:
    async with playing(tmp_path, Jobs({"summary": answer})) as stage:
        async with stage.greeted(companion="serenity") as talker:
            await talker.talk("Work keeps me awake. I need to stop being so hard on myself.")
            ready = await summed_up(talker, await close(talker))
        assert "hard on myself" in ready.summary.text or "keeps me awake" in ready.summary.text
        assert rows(stage, "SELECT made_by FROM summaries") == [("extract",)]


async def test_a_quote_that_was_never_said_gives_way_to_one_that_was(tmp_path: Path) -> None:
    lie = {**SUMMARY, "quote": "I hate my boss and will leave tomorrow."}
    async with playing(tmp_path, Jobs({"summary": lie})) as stage:
        async with stage.greeted(companion="serenity") as talker:
            await talker.talk("I need to stop being so hard on myself.")
            ready = await summed_up(talker, await close(talker))
        assert ready.summary.quote == "I need to stop being so hard on myself."
        assert rows(stage, "SELECT made_by FROM summaries") == [("m+extract",)]


async def test_what_was_said_of_self_harm_reaches_neither_the_model_nor_the_summary(tmp_path: Path) -> None:
    told = {**SUMMARY, "summary": "They spoke about work. She said she wants to kill herself."}
    jobs = Jobs({"summary": told})
    async with playing(tmp_path, jobs) as stage:
        async with stage.greeted(companion="serenity") as talker:
            await talker.talk("Work keeps me awake.")
            await talker.talk("Sometimes I want to kill myself with the pills in the blue drawer.")
            ready = await summed_up(talker, await close(talker))
        assert "drawer" not in jobs.of("summary")[0]
        assert "kill" not in ready.summary.text
        assert "They spoke about work." in ready.summary.text


async def test_values_of_health_stay_out_of_the_summary(tmp_path: Path) -> None:
    told = {**SUMMARY, "summary": "Work was heavy. She slept 5.2 hours and her heart rate was 61."}
    async with (
        playing(tmp_path, Jobs({"summary": told})) as stage,
        stage.greeted(companion="serenity") as talker,
    ):
        await talker.talk("Work was heavy today.")
        ready = await summed_up(talker, await close(talker))
    assert "5.2" not in ready.summary.text
    assert "61" not in ready.summary.text
    assert "Work was heavy." in ready.summary.text


async def test_a_talk_is_summed_up_when_the_person_asks_and_goes_on(tmp_path: Path) -> None:
    async with (
        playing(tmp_path, Jobs({"summary": SUMMARY})) as stage,
        stage.greeted(companion="serenity") as talker,
    ):
        said = await talker.say("Work keeps me awake.")
        await talker.answer()
        await talker.ask(ConversationSummarize(id=talker.new_id()))
        ready = await summed_up(talker, str(said.conversation))
        assert ready.summary.partial
        await talker.talk("And it goes on.")
        assert await close(talker) == said.conversation
        whole = await summed_up(talker, str(said.conversation))
        assert not whole.summary.partial
        await talker.ask(ConversationSummarize(id=talker.new_id(), conversation=str(said.conversation)))
        again = await summed_up(talker, str(said.conversation))
        assert again.summary.summary != whole.summary.summary


@pytest.mark.parametrize("companion", ["coach", "clara"])
async def test_who_makes_no_summaries_for_the_person_says_so(tmp_path: Path, companion: str) -> None:
    async with playing(tmp_path) as stage, stage.greeted(companion=companion) as talker:
        await talker.talk("Good morning.")
        with pytest.raises(Refusal) as refused:
            await talker.ask(ConversationSummarize(id=talker.new_id()))
    assert refused.value.code == "policy.refused"


async def test_past_fifteen_messages_the_oldest_are_folded_and_the_window_goes_on_from_there(
    tmp_path: Path,
) -> None:
    jobs = Jobs({"summary": {**SUMMARY, "summary": "It began with work and the first cup of tea."}})
    async with playing(tmp_path, jobs) as stage, stage.greeted(companion="serenity") as talker:
        said = await talker.say("Work is work, part 1 of my story.")
        await talker.answer()
        for number in range(2, 9):  # 16 messages
            await talker.talk(f"Work is work, part {number} of my story.")
        ready = await summed_up(talker, str(said.conversation))
        assert ready.summary.partial
        assert "part 3 of" in jobs.of("summary")[0]
        assert "part 4 of" not in jobs.of("summary")[0], "the last ten stay uncovered"
        await talker.talk("And now?")
        messages = stage.model.talked[-1].json()["messages"]
        assert "the first cup of tea" in messages[0]["content"]
        window = "\n".join(each["content"] for each in messages[1:])
        assert "part 3 of" not in window
        assert "part 4 of" in window
        for number in range(9, 12):  # six more: folded once more, onto what is there
            await talker.talk(f"Work is work, part {number} of my story.")
        await summed_up(talker, str(said.conversation))
        assert "the first cup of tea" in jobs.of("summary")[1]
        assert "part 3 of" not in jobs.of("summary")[1]


async def test_the_dementia_companions_summary_is_figures_and_no_model_is_asked(tmp_path: Path) -> None:
    jobs = Jobs({"summary": SUMMARY})
    async with playing(tmp_path, jobs) as stage:
        async with stage.greeted(companion="clara") as talker:
            await talker.talk("The cat sits in the garden.")
            await close(talker)
        await until(lambda: bool(rows(stage, "SELECT 1 FROM summaries")))
        ((content, by),) = rows(stage, "SELECT content, made_by FROM summaries")
        assert isinstance(content, bytes)
        told = content.decode()
        assert by == "extract"
        assert '"said":1' in told
        assert "garden" in told
        assert "sits in" not in told, "no sentence of the person"
    assert jobs.given == []


async def test_the_last_three_lessons_are_remembered_in_the_order_of_their_ends(tmp_path: Path) -> None:
    """Three sessions with a maestro, their summaries made out of order: the fourth knows them all (M1, M2)."""

    def lesson(given: str) -> Script:
        topic = next(each for each in TOPICS if each in given)
        told = {**SUMMARY, "topics": [topic], "summary": f"The lesson was about {topic}.", "quote": ""}
        return Script(text=json.dumps(told), hold_after=0 if topic == TOPICS[0] else None)

    jobs = Jobs({"summary": lesson, "topics": {"topics": ["fractions"]}})
    jobs.answers["learnings"] = {
        "learnings": [{"topic": "t", "learned": "fractions work", "evidence": ["m1"]}]
    }
    maestro = "maestro/mathematics"
    async with playing(tmp_path, jobs) as stage:
        async with stage.greeted(companion=maestro) as talker:
            for topic in TOPICS:
                await talker.talk(
                    f"I learned how {topic} work today, and I decided to practise {topic} daily."
                )
                await close(talker)
            await until(lambda: len(rows(stage, "SELECT 1 FROM summaries")) == 2)
            for request in stage.model.requests:
                request.go_on()
            await until(lambda: len(rows(stage, "SELECT 1 FROM summaries")) == 3)
            done = "SELECT 1 FROM jobs WHERE state = 'done' AND kind IN ('facts', 'topics', 'learnings')"
            await until(lambda: len(rows(stage, done)) == 9)
        order = rows(
            stage,
            "SELECT c.preview FROM summaries s JOIN conversations c ON c.id = s.conversation ORDER BY s.stored",
        )
        assert "fractions" in str(order[-1]), "the first summary was made last"
        async with stage.greeted(companion=maestro) as talker:
            greeting = await talker.ask(GreetingGet(id=talker.new_id()))
            assert isinstance(greeting.result, dict)
            assert "fractions" in greeting.result["topics"]
            await talker.talk("Hello again.")
        prompt = stage.last_prompt()
        places = [
            prompt.index(f"The lesson was about {topic}.") for topic in ("primes", "triangles", "fractions")
        ]
        assert places == sorted(places), "the latest first"
        assert len(rows(stage, "SELECT 1 FROM learnings")) >= 1
    kinds = {kind for kind, _ in jobs.given}
    assert kinds - {"evaluation"} == {"summary", "facts", "topics", "learnings"}


async def test_a_lesson_that_ended_a_moment_ago_is_in_the_next_ones_memory(tmp_path: Path) -> None:
    hung = Jobs({"summary": Script(fault="stall_first")})
    async with playing(tmp_path, hung) as stage, stage.greeted(companion="serenity") as talker:
        await talker.talk("I will call my sister about the garden tomorrow.")
        await close(talker)
        await talker.talk("Good evening.")
        assert "garden" in stage.last_prompt()
        assert rows(stage, "SELECT 1 FROM summaries") == []


async def test_token_counts_and_tool_calls_are_stored_with_the_answer(tmp_path: Path) -> None:
    async with playing(tmp_path) as stage, stage.greeted(companion="coach") as talker:
        call = Call(name="search_memory", arguments='{"query": "knee"}')
        plays = [Script(text="", calls=(call,), finish="stop"), Script(text="Rest it.")]
        stage.model.choose = lambda request: Script() if request.is_job else plays.pop(0)
        await talker.talk("What did I say about my knee?")
        stored = rows(
            stage,
            "SELECT prompt_tokens, completion_tokens, tool_calls FROM messages WHERE role = 'assistant'",
        )
        ((prompt_tokens, completion_tokens, calls),) = stored
    assert isinstance(prompt_tokens, int)
    assert isinstance(completion_tokens, int)
    assert isinstance(calls, bytes)
    assert prompt_tokens > 0
    assert completion_tokens > 0
    assert json.loads(calls)[0]["name"] == "search_memory"


async def test_a_student_gets_their_memory_lists_talks_by_pages_creates_one_and_is_greeted(
    tmp_path: Path,
) -> None:
    jobs = Jobs({"summary": {**SUMMARY, "quote": "", "summary": "The lesson was about fractions."}})
    async with playing(tmp_path, jobs) as stage, stage.greeted(companion="maestro/mathematics") as talker:
        await talker.talk("I like to learn with pictures.")
        first = await close(talker)
        await summed_up(talker, first)
        await until(lambda: learned(stage, talks=1))
        memory = await talker.ask(MemoryList(id=talker.new_id()))
        assert isinstance(memory.result, dict)
        (kept,) = memory.result["summaries"]
        assert kept["text"] == "The lesson was about fractions."
        created = await talker.ask(ConversationCreate(id=talker.new_id(), title="Fractions again"))
        assert isinstance(created.result, dict)
        await talker.talk("Shall we go on?")
        page = await talker.ask(ConversationList(id=talker.new_id(), limit=1))
        assert isinstance(page.result, dict)
        (newest,) = page.result["conversations"]
        assert (newest["title"], newest["open"]) == ("Fractions again", True)
        rest = await talker.ask(
            ConversationList(
                id=talker.new_id(), limit=1, cursor=page.result["next"], companion="maestro/mathematics"
            )
        )
        assert isinstance(rest.result, dict)
        assert [each["conversation"] for each in rest.result["conversations"]] == [first]
        greeting = await talker.ask(GreetingGet(id=talker.new_id()))
        assert isinstance(greeting.result, dict)
        assert greeting.result["text"]


async def test_what_was_recalled_into_a_talk_is_not_summed_up_or_extracted_again(tmp_path: Path) -> None:
    jobs = Jobs({"summary": {**SUMMARY, "summary": "Plum jam was the secret.", "quote": ""}})
    async with playing(tmp_path, jobs) as stage, stage.greeted(companion="serenity") as talker:
        await talker.talk("My secret is plum jam, and I live in Lisbon.")
        await summed_up(talker, await close(talker))
        await until(lambda: learned(stage, talks=1))
        jobs.given.clear()
        await talker.talk("Good morning.")
        assert "Plum jam was the secret." in stage.last_prompt()
        await summed_up(talker, await close(talker))
        await until(lambda: learned(stage, talks=2))
    told = "\n".join(text for _, text in jobs.given)
    assert "Good morning." in told
    assert "lum jam" not in told
    assert "Lisbon" not in told
