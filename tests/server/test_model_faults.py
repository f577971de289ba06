"""Whatever a model does, the person gets an answer, or keeps the part there was, and the talk goes on."""

from pathlib import Path

import pytest

from loadtest.client import Talker
from loadtest.model_script import THOUGHT, Fault, Script, Thinking
from protocol.results import Ack
from protocol.session_frames import Notice
from protocol.talk_frames import MessageCreated, ResponseDelta, ResponseDone
from server.settings import Model
from tests.server.scenes import GUARDED, PATIENT, Scene, played

QUICK = Model(first_token_seconds=1.0, gap_seconds=0.8, total_seconds=2.5)
SILENT = ("stall_before_headers", "stall_first", "stall", "drip", "pings")  # only the clock ends these
COMPANIONS = ["serenity", GUARDED]
TEXT = (
    "It is good to hear from you. The kettle is on, the window is open, and the light falls on the table. "
    "The bread is still warm, the garden is green, and there is nothing to be done right now."
)
SAID = "The sea was calm today, and I sat on the pier."
NOTHING_COMES = {
    "refuse": Script(text=TEXT, fault="refuse"),
    "401": Script(status=401),
    "429": Script(status=429),
    "500": Script(status=500),
    "not_http": Script(text=TEXT, fault="not_http"),
    "redirect": Script(text=TEXT, fault="redirect"),
    "stall_before_headers": Script(text=TEXT, fault="stall_before_headers"),
    "stall_first": Script(text=TEXT, fault="stall_first"),
    "empty": Script(text=TEXT, fault="empty"),
    "empty_at_length": Script(text=TEXT, fault="empty", finish="length"),
    "only_white_space": Script(text=" \n\n  "),
    "half_json_at_once": Script(text=TEXT, fault="half_json", fault_after=0),
    "cut_at_once": Script(text=TEXT, fault="cut", fault_after=0),
    "reset_at_once": Script(text=TEXT, fault="reset", fault_after=0),
    "error_at_once": Script(text=TEXT, fault="error_in_stream", fault_after=0),
    "long_line_at_once": Script(text=TEXT, fault="long_line", fault_after=0),
    "drip_at_once": Script(text=TEXT, fault="drip", fault_after=0),
    "unclosed_reasoning": Script(text=TEXT, thinking="unclosed"),
}
SOMETHING_COMES = {
    "stall": Script(text=TEXT, fault="stall", fault_after=20),
    "drip": Script(text=TEXT, fault="drip", fault_after=20),
    "pings": Script(text=TEXT, fault="pings", fault_after=20),
    "half_utf8": Script(text=TEXT, fault="half_utf8", fault_after=20),
    "long_line": Script(text=TEXT, fault="long_line", fault_after=20),
    "no_end": Script(text=TEXT, fault="no_end", tokens=20),
    "cut": Script(text=TEXT, fault="cut", fault_after=20),
    "reset": Script(text=TEXT, fault="reset", fault_after=20),
    "error_in_stream": Script(text=TEXT, fault="error_in_stream", fault_after=20),
    "half_json": Script(text=TEXT, fault="half_json", fault_after=20),
}
NO_ANSWER = {
    "prompt_given_back": "You are Serenity",  # made of the request below
    "half_a_json": '{"answer": "It is good to hear',
    "a_json": '{"answer": "It is good to hear from you."}',
    "a_fence": '```json\n{"answer": 1}\n```',
    "only_a_role": "User: And then?\nAssistant: Then we rest.",
}
REASONING: list[Thinking] = [
    "field",
    "other_field",
    "tags",
    "no_opening",
    "nested",
    "empty_tags",
    "harmony",
]


def waiting_for(fault: Fault) -> Model:
    """How long the model is waited for: briefly where it stays silent, else as long as a busy machine takes."""
    return QUICK if fault in SILENT else PATIENT


async def heard(talker: Talker, text: str = SAID) -> ResponseDone:
    """The whole answer; the message was acknowledged, the deltas are its text, and no frame was an error."""
    done = await talker.talk(text)
    acks = [event for event in talker.events if isinstance(event, Ack) and event.message == done.message]
    assert [ack.durable for ack in acks] == [True]
    deltas = [
        each.text
        for each in talker.events
        if isinstance(each, ResponseDelta) and each.response == done.response
    ]
    assert "".join(deltas) == done.text
    assert done.durable
    notices = [event.code for event in talker.events if isinstance(event, Notice)]
    assert set(notices) <= {"disclosure"}
    created = [
        each for each in talker.events if isinstance(each, MessageCreated) and each.message == done.answer
    ]
    assert [each.text for each in created] == [done.text]
    return done


async def goes_on(scene: Scene, talker: Talker, thinking: Thinking = "none") -> None:
    """The next message is answered by the model, which is well again."""
    scene.model.play(Script(text="The sea is wide and calm.", thinking=thinking))
    done = await heard(talker, "Tell me about the sea.")
    assert (done.status, done.text) == ("completed", "The sea is wide and calm.")
    asked = scene.model.requests[-1].body.decode()
    for mark in ("<think", "<|", "User:", "Assistant:"):
        assert mark not in asked  # nothing of what was cut is in the window either


@pytest.mark.parametrize("companion", COMPANIONS)
@pytest.mark.parametrize("script", NOTHING_COMES.values(), ids=NOTHING_COMES.keys())
async def test_when_no_word_comes_the_companion_speaks_for_itself(
    tmp_path: Path, script: Script, companion: str
) -> None:
    async with (
        played(tmp_path, script, model=waiting_for(script.fault)) as scene,
        scene.greeted(companion=companion) as talker,
    ):
        done = await heard(talker)
        assert (done.status, done.source) == ("completed", "fallback")
        assert done.text.strip()
        await goes_on(scene, talker)


@pytest.mark.parametrize("companion", COMPANIONS)
@pytest.mark.parametrize("script", SOMETHING_COMES.values(), ids=SOMETHING_COMES.keys())
async def test_when_an_answer_breaks_off_its_part_is_kept(
    tmp_path: Path, script: Script, companion: str
) -> None:
    async with (
        played(tmp_path, script, model=waiting_for(script.fault)) as scene,
        scene.greeted(companion=companion) as talker,
    ):
        done = await heard(talker)
        assert (done.status, done.source) == ("failed", "model")
        assert (TEXT + " " + TEXT).startswith(done.text.strip()[:100])
        assert done.text.strip().startswith("It is good to hear from you.")
        assert all(ord(character) >= 32 or character in "\n\t" for character in done.text)
        await goes_on(scene, talker)


@pytest.mark.parametrize("companion", COMPANIONS)
@pytest.mark.parametrize("fault", ["no_newline", "unknown_fields", "garbage"])
async def test_what_a_dialect_may_do_harms_nothing(tmp_path: Path, fault: Fault, companion: str) -> None:
    async with (
        played(tmp_path, Script(text=TEXT, fault=fault), model=PATIENT) as scene,
        scene.greeted(companion=companion) as talker,
    ):
        done = await heard(talker)
        assert (done.status, done.source, done.text) == ("completed", "model", TEXT)


@pytest.mark.parametrize("companion", COMPANIONS)
async def test_an_answer_without_end_is_ended_and_kept(tmp_path: Path, companion: str) -> None:
    endless = Script(text=TEXT, fault="never_end", tokens_per_second=300.0)
    async with (
        played(tmp_path, endless, model=QUICK) as scene,
        scene.greeted(companion=companion) as talker,
    ):
        done = await heard(talker)
        assert (done.status, done.source) in {("failed", "model"), ("completed", "model")}
        assert done.text.startswith(TEXT)
        assert scene.model.streaming == 0
        await goes_on(scene, talker)


@pytest.mark.parametrize("text", NO_ANSWER.values(), ids=NO_ANSWER.keys())
async def test_what_is_no_speech_is_replaced(tmp_path: Path, text: str) -> None:
    async with played(tmp_path, Script(text="Well.")) as scene, scene.greeted(companion=GUARDED) as talker:
        await talker.talk("Hello.")
        if text.startswith("You are"):
            body = scene.model.requests[0].json()
            text = str(body["messages"][0]["content"])[:400]
        scene.model.play(Script(text=text))
        done = await heard(talker)
        assert (done.status, done.source) == ("completed", "fallback")
        assert text[:12] not in done.text
        await goes_on(scene, talker)


@pytest.mark.parametrize("companion", COMPANIONS)
async def test_a_model_that_gives_the_message_back_is_no_answer(tmp_path: Path, companion: str) -> None:
    async with (
        played(tmp_path, Script(text=TEXT, fault="echo"), model=PATIENT) as scene,
        scene.greeted(companion=companion) as talker,
    ):
        done = await heard(talker)
        assert done.status == "completed"
        assert SAID not in done.text
        await goes_on(scene, talker)


@pytest.mark.parametrize("companion", COMPANIONS)
async def test_a_model_that_plays_the_person_too_is_stopped_there(tmp_path: Path, companion: str) -> None:
    async with (
        played(tmp_path, Script(text=TEXT, fault="role_markers"), model=PATIENT) as scene,
        scene.greeted(companion=companion) as talker,
    ):
        done = await heard(talker)
        assert (done.status, done.text.strip()) == ("completed", TEXT)
        await goes_on(scene, talker)


@pytest.mark.parametrize("companion", COMPANIONS)
@pytest.mark.parametrize("thinking", REASONING)
async def test_no_reasoning_is_shown_or_stored(tmp_path: Path, thinking: Thinking, companion: str) -> None:
    async with (
        played(tmp_path, Script(text=TEXT, thinking=thinking), model=PATIENT, name="m") as scene,
        scene.greeted(companion=companion) as talker,
    ):
        done = await heard(talker)
        assert THOUGHT[:20] not in done.text
        assert "think" not in done.text.replace("think about", "")
        assert done.text
        assert (done.status, done.source, done.text) == ("completed", "model", TEXT)
        await goes_on(scene, talker, thinking)
    for file in scene.data.iterdir():
        assert b"seems tired" not in file.read_bytes()


async def test_a_crisis_needs_no_model(tmp_path: Path) -> None:
    async with (
        played(tmp_path, Script(text=TEXT, fault="stall_first"), model=QUICK) as scene,
        scene.greeted(companion=GUARDED) as talker,
    ):
        done = await talker.talk("I want to kill myself.")
        assert (done.status, done.source) == ("completed", "safety")
        assert scene.model.requests == []
