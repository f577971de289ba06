"""Whatever a model server does, the answer ends in time: with its pieces, or with a fault that has a name."""

import asyncio
from contextlib import suppress

import anyio
import pytest

from companions.ports import Finished, LanguageModel, ModelError, ModelFault, Piece, Prompt, Text
from generation.choose import ModelSettings, language_model
from generation.deadlines import Deadlines
from loadtest.model_script import TEXT, Fault, Script
from tests import clock
from tests.generation.stage import KINDS, PROMPT, Stage, end_of, stage, text_of

SLOW = 5.0  # tokens a second


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


async def failing(scene: Stage, prompt: Prompt = PROMPT) -> tuple[list[Piece], ModelError, float]:
    """As ``failed``, of the scene's model."""
    return await failed(scene.model, prompt)


async def failed(model: LanguageModel, prompt: Prompt = PROMPT) -> tuple[list[Piece], ModelError, float]:
    """What came before the fault, the fault, and the seconds from the last piece to it."""
    pieces: list[Piece] = []
    last = anyio.current_time()
    try:
        async with model.stream(prompt) as stream:
            async for piece in stream:
                pieces.append(piece)
                last = anyio.current_time()
    except ModelError as error:
        return pieces, error, anyio.current_time() - last
    pytest.fail("the model did not fail")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ("half_utf8", "broken"),
        ("long_line", "broken"),
        ("no_end", "broken"),
        ("cut", "broken"),
        ("reset", "broken"),
        ("half_json", "broken"),
    ],
)
async def test_a_broken_stream_keeps_what_came(kind: str, fault: Fault, named: ModelFault) -> None:
    async with stage(kind, Script(fault=fault, tokens_per_second=SLOW)) as scene:
        pieces, error, _ = await failing(scene)
        assert error.fault == named
        assert text_of(pieces).startswith("It is good")
        assert len(scene.server.requests) == 1  # never asked again once something was shown


@pytest.mark.parametrize("kind", KINDS)
async def test_an_error_in_the_stream_ends_it(kind: str) -> None:
    async with stage(kind, Script(fault="error_in_stream", tokens_per_second=SLOW)) as scene:
        pieces, error, _ = await failing(scene)
        assert error.fault == {"openai": "overloaded", "ollama": "broken", "anthropic": "overloaded"}[kind]
        assert text_of(pieces) == "It is good"
        assert "engine" not in str(error)


async def test_what_comes_in_one_read_with_a_fault_is_kept_too() -> None:
    """How much a read brings is the machine's matter: where it is busy, several writes are one."""

    def line(word: str) -> bytes:
        return b'{"message":{"content":"%b"}}\n' % word.encode()

    async def answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + line("It"))
        await anyio.sleep(0.2)
        writer.write(line(" is") + line(" good") + b'{"message":{"cont\n')
        await reader.read()
        writer.close()

    async with await asyncio.start_server(answers, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with language_model(ModelSettings(model=f"ollama:m@{url}")) as model:
            pieces, error, _ = await failed(model)
    assert error.fault == "broken"
    assert text_of(pieces) == "It is good"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", ["stall", "pings", "drip"])
async def test_a_model_that_stops_in_the_middle_is_left_within_eleven_seconds(
    kind: str, fault: Fault
) -> None:
    async with stage(kind, Script(fault=fault, tokens_per_second=SLOW)) as scene:
        pieces, error, waited = await failing(scene)
        assert error.fault == "stalled"
        assert 10 <= waited <= 11
        assert text_of(pieces) == "It is good"
        await scene.server.requests[0].ended.wait()
        assert scene.server.requests[0].closed_early


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", ["stall_before_headers", "stall_first"])
async def test_a_model_that_does_not_begin_is_left_after_the_first_deadline(kind: str, fault: Fault) -> None:
    async with stage(kind, Script(fault=fault)) as scene:
        start = anyio.current_time()
        _, error, _ = await failing(scene)
        assert error.fault == "first_token"
        assert anyio.current_time() - start == pytest.approx(20, abs=0.1)
        await scene.server.requests[0].ended.wait()
        assert scene.server.requests[0].closed_early


@pytest.mark.parametrize("kind", KINDS)
async def test_a_model_that_never_ends_is_cut_at_its_tokens(kind: str) -> None:
    async with stage(kind, Script(fault="never_end", tokens_per_second=50)) as scene:
        pieces = await scene.pieces()
        assert end_of(pieces) == "length"
        assert PROMPT.max_tokens <= len(pieces) <= PROMPT.max_tokens + 70
        await scene.server.requests[0].ended.wait()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_model_that_is_slow_all_along_is_cut_after_the_whole_time(kind: str) -> None:
    async with stage(kind, Script(fault="never_end", tokens_per_second=0.2)) as scene:
        start = anyio.current_time()
        _, error, _ = await failing(scene)
        assert error.fault == "stalled"
        assert anyio.current_time() - start == pytest.approx(120, abs=1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", ["unknown_fields", "no_newline"])
async def test_what_is_only_odd_does_no_harm(kind: str, fault: Fault) -> None:
    async with stage(kind, Script(fault=fault)) as scene:
        pieces = await scene.pieces()
        assert text_of(pieces) == TEXT
        assert end_of(pieces) == "stop"


@pytest.mark.parametrize("kind", KINDS)
async def test_an_empty_answer_is_an_answer(kind: str) -> None:
    async with stage(kind, Script(fault="empty")) as scene:
        pieces = await scene.pieces()
        assert text_of(pieces) == ""
        assert end_of(pieces) == "stop"


@pytest.mark.parametrize("kind", KINDS)
async def test_bytes_of_no_protocol_end_the_answer_or_are_skipped(kind: str) -> None:
    async with stage(kind, Script(fault="garbage")) as scene:
        if kind == "ollama":
            assert (await failing(scene))[1].fault == "broken"
        else:
            assert (
                text_of(await scene.pieces()) == TEXT
            )  # lines of no known field are nothing to an event stream


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("status", "named", "asked"),
    [
        (400, "refused", 1),
        (401, "unauthorized", 1),
        (403, "unauthorized", 1),
        (404, "unknown_model", 1),
        (429, "rate_limited", 3),
        (500, "overloaded", 3),
        (503, "overloaded", 3),
        (529, "overloaded", 3),
    ],
)
async def test_a_refusal_is_named_and_only_what_may_pass_is_asked_again(
    kind: str, status: int, named: ModelFault, asked: int
) -> None:
    async with stage(kind, Script(status=status)) as scene:
        start = anyio.current_time()
        _, error, _ = await failing(scene)
        assert error.fault == named
        assert len(scene.server.requests) == asked
        assert anyio.current_time() - start < 1.5
        assert "morning" not in str(error)  # the server's error repeated the prompt


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "first",
    [
        Script(status=503),
        Script(fault="refuse"),
        Script(fault="reset", fault_after=0),
        Script(fault="not_http"),
    ],
)
async def test_what_fails_before_the_first_token_is_tried_again(kind: str, first: Script) -> None:
    async with stage(kind, first, Script()) as scene:
        assert text_of(await scene.pieces()) == TEXT


async def test_a_server_that_is_not_there_is_unreachable() -> None:
    async with language_model(ModelSettings(model="openai:m@http://127.0.0.1:1/v1")) as model:
        start = anyio.current_time()
        with pytest.raises(ModelError) as caught:
            async with model.stream(PROMPT):
                pass
        assert caught.value.fault == "unreachable"
        assert anyio.current_time() - start < 1.5


async def test_a_redirect_is_not_followed() -> None:
    async with stage("openai", Script(fault="redirect")) as scene:
        assert (await failing(scene))[1].fault == "refused"


async def test_a_short_wait_asked_by_the_server_is_kept() -> None:
    async with stage("openai", Script(status=429, retry_after="1"), Script()) as scene:
        start = anyio.current_time()
        assert text_of(await scene.pieces()) == TEXT
        assert anyio.current_time() - start >= 1


async def test_a_long_wait_asked_by_the_server_is_not_waited_for() -> None:
    async with stage("openai", Script(status=429, retry_after="30"), Script()) as scene:
        start = anyio.current_time()
        assert (await failing(scene))[1].fault == "rate_limited"
        assert anyio.current_time() - start < 0.1


async def test_a_server_that_keeps_failing_is_left_alone_and_then_tried_once() -> None:
    async with stage("openai", Script(status=500)) as scene:
        for _ in range(2):
            await failing(scene)
        asked = len(scene.server.requests)
        assert asked == 5
        assert (await failing(scene))[1].fault == "overloaded"
        assert len(scene.server.requests) == asked
        await anyio.sleep(10)
        scene.server.play(Script())
        assert text_of(await scene.pieces()) == TEXT
        assert text_of(await scene.pieces()) == TEXT


async def test_the_last_bookkeeping_is_waited_for_only_briefly() -> None:
    tokens = len(TEXT.split())
    async with stage("openai", Script(count=True, tokens_per_second=0.5)) as scene:
        pieces = await scene.pieces()  # 2 s between the reason, the count and the end
        assert end_of(pieces) == "stop"
        assert len(pieces) == tokens + 1


@pytest.mark.parametrize("kind", KINDS)
async def test_leaving_the_answer_closes_the_request_at_once(kind: str) -> None:
    async with stage(kind, Script(tokens_per_second=10)) as scene:
        async with scene.model.stream(PROMPT) as stream:
            assert await anext(stream) == Text("It")
        with anyio.fail_after(1):
            await scene.server.requests[0].ended.wait()
        assert scene.server.requests[0].closed_early
        assert text_of(await scene.pieces()) == TEXT  # and the next one is served


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("after", [0.05, 0.55, 1.25])
async def test_a_cancelled_scope_closes_the_request_at_once(kind: str, after: float) -> None:
    async with stage(kind, Script(first_token=0.5, tokens_per_second=5)) as scene:
        with anyio.move_on_after(after):
            await scene.pieces()
        with anyio.fail_after(1):
            await scene.server.requests[0].ended.wait()
        assert scene.server.requests[0].closed_early


async def test_an_error_of_the_consumer_closes_the_request_too() -> None:
    async with stage("openai", Script(tokens_per_second=5)) as scene:
        with suppress(ZeroDivisionError):
            async with scene.model.stream(PROMPT) as stream:
                await anext(stream)
                raise ZeroDivisionError
        await scene.server.requests[0].ended.wait()
        assert scene.server.requests[0].closed_early


async def test_a_slow_consumer_is_not_taken_for_a_stalled_model() -> None:
    settings = ModelSettings(deadlines=Deadlines(gap=1.0))
    async with stage("openai", Script(tokens=5, tokens_per_second=10), settings=settings) as scene:
        pieces: list[Piece] = []
        async with scene.model.stream(PROMPT) as stream:
            async for piece in stream:
                pieces.append(piece)
                await anyio.sleep(5)
        assert isinstance(pieces[-1], Finished)


async def test_reasoning_is_a_sign_of_life() -> None:
    settings = ModelSettings(deadlines=Deadlines(first_token=3.0, gap=3.0))
    script = Script(thinking="field", first_token=2.5, tokens_per_second=0.5, tokens=3)
    async with stage("openai", script, settings=settings) as scene:
        assert text_of(await scene.pieces()) == "It is good"
