"""Notes to the parents through the real server: made by a model or without, and only while a parent consents."""

from pathlib import Path
from typing import Any

import pytest

from loadtest.client import Talker
from loadtest.model_script import Script
from protocol.care_frames import CareNotes, CareNotesRead, ConsentList, ConsentSet
from protocol.conversation_frames import ConversationClose, ConversationDelete
from tests.server.caring import caring, token
from tests.server.jobs_stage import Jobs, Stage, playing, until
from tests.server.test_care import code_of
from tests.server.test_consents import result
from tests.server.test_jobs import rows

MATHS = "maestro/mathematics"
NOTE = {
    "summary": "They worked on adding fractions.",
    "highlights": ["Found a common denominator unaided"],
    "concerns": [],
    "suggestions": ["Cut a cake into unlike parts"],
}
JUDGED = {"engagement": 4, "understanding": 3, "strengths": ["asks why"], "next_steps": ["subtracting"]}
DONE = "SELECT 1 FROM jobs WHERE state = 'done' AND kind IN ('parent_note', 'evaluation')"


def allowing(allow: bool = True) -> ConsentSet:
    return ConsentSet(id=f"allow-{allow}", scopes=("notes",), allow=allow, basis="parent")


async def taught(stage: Stage, *said: str, jobs: int = 2) -> str:
    """A lesson from beginning to end, and its notes are made."""
    before = len(rows(stage, DONE))
    async with stage.greeted(companion=MATHS) as student:
        for text in said:
            await student.talk(text)
        ack = await student.ask(ConversationClose(id=student.new_id()))
        assert isinstance(ack.result, dict)
    await until(lambda: len(rows(stage, DONE)) == before + jobs)
    return str(ack.result["conversation"])


async def noted(parent: Talker, **more: Any) -> list[dict[str, Any]]:  # Any: results as plain JSON
    found = await result(parent, CareNotes(id=parent.new_id(), **more))
    return list(found["notes"])


async def test_each_reader_has_marks_of_their_own(tmp_path: Path) -> None:
    shown = [token(tmp_path, name, companion="maestro", basis="parent") for name in ("Maria", "Otto")]
    async with (
        playing(tmp_path, Jobs({"parent_note": NOTE, "evaluation": JUDGED})) as stage,
        caring(stage.url, shown[0], companion=MATHS) as maria,
        caring(stage.url, shown[1], companion=MATHS) as otto,
    ):
        await maria.ask(allowing())
        await taught(stage, "How do I add one half and one third?")
        (note,) = await noted(maria, unread=True)
        await maria.ask(CareNotesRead(id="r", note=note["note"]))
        assert await noted(maria, unread=True) == []
        assert [each["read"] for each in await noted(otto, unread=True)] == [False]


async def test_a_note_or_judgement_in_the_words_of_the_instructions_is_none(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="maestro", basis="parent")
    copied = {
        **NOTE,
        "highlights": ["Say what was worked on and what went well", "Asked why"],
        "concerns": ["about learning only"],
        "suggestions": ["small things to do at home"],
    }
    async with (
        playing(tmp_path, Jobs({"parent_note": copied, "evaluation": JUDGED})) as stage,
        caring(stage.url, maria, companion=MATHS) as parent,
    ):
        await parent.ask(allowing())
        await taught(stage, "How do I add one half and one third?")
        (note,) = await noted(parent)
        assert note["summary"] == NOTE["summary"]
        assert note["highlights"] == ["Asked why"]
        assert not note.get("concerns")
        assert not note.get("suggestions")


async def test_a_note_appears_is_read_and_vanishes_with_the_consent(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="maestro", basis="parent")
    async with playing(tmp_path, Jobs({"parent_note": NOTE, "evaluation": JUDGED})) as stage:
        async with caring(stage.url, maria, companion=MATHS) as parent:
            assert await code_of(parent, CareNotes(id="0")) == "policy.refused"
            await parent.ask(allowing())
            await taught(stage, "How do I add one half and one third?", "So the denominators must be alike?")
            (note,) = await noted(parent, unread=True)
            told = {key: list(note[key]) for key in ("highlights", "suggestions")}
            assert (note["summary"], note["subject"], note["minutes"], note["read"]) == (
                NOTE["summary"],
                "Mathematics",
                1,
                False,
            )
            assert told == {key: NOTE[key] for key in told}
            assert note["evaluation"] == JUDGED
            await parent.ask(CareNotesRead(id="1", note=note["note"]))
            assert await noted(parent, unread=True) == []
            assert [each["read"] for each in await noted(parent)] == [True]
            async with stage.greeted(companion=MATHS) as student:
                (line,) = (await result(student, ConsentList(id="2")))["say"]
                assert line.startswith(
                    "Short notes about the lessons: can be seen by Maria. Maria, as your parent,"
                )
            await parent.ask(allowing(False))
            assert await code_of(parent, CareNotes(id="3")) == "policy.refused"
        assert rows(stage, "SELECT 1 FROM parent_notes") == []


async def test_without_consent_no_model_is_asked_for_a_note(tmp_path: Path) -> None:
    jobs = Jobs({"parent_note": NOTE, "evaluation": JUDGED})
    async with playing(tmp_path, jobs) as stage:
        await taught(stage, "How do I add one half and one third?", jobs=1)
        assert jobs.of("parent_note") == []
        assert rows(stage, "SELECT 1 FROM jobs WHERE kind = 'parent_note'") == []


async def test_a_consent_withdrawn_while_the_model_writes_stops_the_note(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="maestro", basis="parent")
    notes = [Script(text='{"summary": "They worked on halves."}', hold_after=0)]
    notes.append(Script(text='{"summary": "They worked on fractions."}'))

    def written(_given: str) -> Script:
        return notes.pop(0)

    jobs = Jobs({"parent_note": written, "evaluation": JUDGED})
    async with playing(tmp_path, jobs) as stage, caring(stage.url, maria, companion=MATHS) as parent:
        await parent.ask(allowing())
        async with stage.greeted(companion=MATHS) as student:
            await student.talk("How do I add one half and one third?")
            await student.ask(ConversationClose(id=student.new_id()))
        await until(lambda: jobs.of("parent_note") != [] and len(rows(stage, DONE)) == 1)
        await parent.ask(allowing(False))
        await parent.ask(ConsentSet(id="again", scopes=("notes",), allow=True, basis="parent"))
        for request in stage.model.requests:
            request.go_on()
        await taught(stage, "And now we subtract fractions.")
        assert [each["summary"] for each in await noted(parent)] == ["They worked on fractions."]
        assert len(rows(stage, "SELECT 1 FROM parent_notes")) == 1


def learning(given: str) -> dict[str, object]:
    """What a model finds in a lesson: something that the student showed, and their own words of it."""
    one = {"topic": "Fractions", "learned": "Brings fractions to one denominator.", "evidence": ["m1"]}
    own = {"topic": "halves", "learned": "one half is more than one third of it", "evidence": ["m1"]}
    twice = {**one, "learned": "Says what a fraction is."}
    return {"learnings": [one, own, twice] if "half" in given else [{**one, "topic": "fractions"}]}


async def test_what_was_learned_is_told_over_time_and_goes_with_a_lesson_that_is_erased(
    tmp_path: Path,
) -> None:
    maria = token(tmp_path, companion="maestro", basis="parent")
    async with (
        playing(tmp_path, Jobs({"parent_note": NOTE, "learnings": learning})) as stage,
        caring(stage.url, maria, companion=MATHS) as parent,
        stage.greeted(companion=MATHS) as student,
    ):
        await taught(stage, "Fractions before anybody consented.", jobs=1)
        await parent.ask(allowing())
        first = await taught(stage, "So one half is more than one third of it, with fractions?")
        await taught(stage, "Now fractions again, please.")
        await until(lambda: len(rows(stage, "SELECT 1 FROM learnings")) == 5)
        later, earlier = (each["learned"] for each in await noted(parent))
        assert [(each["topic"], each.get("learned"), each.get("before", 0)) for each in earlier] == [
            ("Fractions", "Brings fractions to one denominator.", 0),
            ("halves", None, 0),
            ("Fractions", "Says what a fraction is.", 0),
        ]
        ((topic, again),) = [(each["topic"], each["before"]) for each in later]
        assert (topic, again, later[0]["since"]) == ("fractions", 1, earlier[0]["at"])
        await student.ask(ConversationDelete(id="1", conversation=first))
        (left,) = await noted(parent)
        assert [(each["topic"], each.get("before", 0)) for each in left["learned"]] == [("fractions", 0)]


@pytest.mark.parametrize("answer", ["", {"summary": "Sam wants to kill himself.", "highlights": []}])
async def test_what_the_student_said_of_danger_is_in_no_note_whoever_writes_it(
    tmp_path: Path, answer: object
) -> None:
    maria = token(tmp_path, companion="maestro", basis="parent")
    harm = {"topic": "half", "learned": "Sam wants to kill himself over quokka.", "evidence": ["m1"]}
    jobs = Jobs({"parent_note": answer, "learnings": {"learnings": [harm]}})
    async with playing(tmp_path, jobs) as stage, caring(stage.url, maria, companion=MATHS) as parent:
        await parent.ask(allowing())
        await taught(
            stage,
            "How do I add one half and one third?",
            "My quokka uncle hits me every night.",
            "Sometimes I want to kill myself with the blue quokka pills.",
        )
        (note,) = await noted(parent)
        assert note["summary"] == "1 minute of Mathematics, in questions and answers."
        assert "quokka" not in str(note)
        assert not any("quokka" in given for given in [*jobs.of("parent_note"), *jobs.of("evaluation")])
        await taught(stage, "I want to kill myself.")
        assert len(await noted(parent)) == 1, "of nothing that may be told there is no note"
