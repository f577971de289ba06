"""The contract's table of errors and closes, row by row; after what the table says stays, the talk goes on."""

import json
import socket
from pathlib import Path
from typing import Any

import anyio
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from loadtest.client import Refusal, Talker, connected
from loadtest.model_script import Script
from loadtest.model_server import model_server
from protocol.conversation_frames import ConversationClose, ConversationHistory, ConversationOpen
from protocol.errors import ErrorFrame
from protocol.session_frames import Client, Hello
from protocol.talk_frames import MessageSend, ResponseRegenerate, ResponseStarted
from server.settings import Limits
from tests.server.serving import serving, settings, with_limits

HELLO: dict[str, Any] = {"type": "hello", "id": "1", "client": {"name": "t", "version": "1"}}
FAST = Limits(hello_seconds=0.3, drain_seconds=1.0, commands_per_second=1_000.0)


async def closed_with(socket: ClientConnection) -> int:
    """The code with which the server closes."""
    with anyio.fail_after(60), pytest.raises(ConnectionClosed) as closed:  # noqa: PT012  # until it closes
        while True:
            await socket.recv()
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code


async def error_of(socket: ClientConnection) -> dict[str, Any]:
    """The next frame, which is an error."""
    with anyio.fail_after(60):
        frame: dict[str, Any] = json.loads(await socket.recv())
    assert frame["type"] == "error"
    assert {"code", "message", "hint", "say", "retryable", "ref"} <= frame.keys()
    return frame


async def test_no_hello_in_time(tmp_path: Path) -> None:
    async with serving(with_limits(settings(tmp_path), FAST)) as url, connect(url, proxy=None) as socket:
        assert (await error_of(socket))["code"] == "hello.required"
        assert await closed_with(socket) == 4501


async def test_another_frame_first(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connect(url, proxy=None) as socket:
        await socket.send(json.dumps({"type": "message.send", "id": "1", "text": "hi"}))
        frame = await error_of(socket)
        assert (frame["code"], frame["re"]) == ("hello.required", "1")
        assert await closed_with(socket) == 4501


async def test_a_second_hello(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello()
        with pytest.raises(Refusal) as refused:
            await talker.ask(Hello(id="again", client=Client(name="t", version="1")))
        assert refused.value.code == "hello.repeated"
        await goes_on(talker)


async def test_a_wrong_token(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connect(url, proxy=None) as socket:
        await socket.send(json.dumps({**HELLO, "token": "guess"}))
        assert (await error_of(socket))["code"] == "auth.refused"
        assert await closed_with(socket) == 4502


@pytest.mark.parametrize(
    ("frame", "path"),
    [
        ('{"type":"message.send","id":"2","text":"hi"', "$"),
        ('{"type":"message.send","id":"2"}', "$.text"),
        ('{"type":"message.send","id":"2","text":7}', "$.text"),
        ('{"type":"message.send","id":"2","text":"hi","colour":"red"}', "$"),
        ('{"type":"message.send","id":"2","text":"\\ud800"}', "$.text"),
        ('{"type":"message.send","id":"2","text":"a\\u0000b"}', "$.text"),
    ],
)
async def test_what_is_no_frame_is_answered_with_its_path(tmp_path: Path, frame: str, path: str) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello()
        await talker.socket.send(frame)
        error = await talker.next(ErrorFrame)
        assert error.code == "frame.invalid"
        assert f"`{path}`" in error.message
        assert "red" not in error.message
        await goes_on(talker)


async def test_too_many_bad_frames(tmp_path: Path) -> None:
    limits = Limits(invalid_per_minute=5, drain_seconds=1.0)
    async with serving(with_limits(settings(tmp_path), limits)) as url, connect(url, proxy=None) as socket:
        await socket.send(json.dumps(HELLO))
        await socket.recv()
        for _ in range(6):
            await socket.send("{")
        assert await closed_with(socket) == 4503


async def test_an_unknown_type(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello()
        await talker.socket.send('{"type":"dance.begin","id":"9"}')
        error = await talker.next(ErrorFrame)
        assert (error.code, error.re) == ("frame.unknown", "9")
        await goes_on(talker)


async def test_the_wrong_kind_of_frame(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url:
        async with connected(url) as talker:
            await talker.hello()
            await talker.socket.send(b"\x80")
            assert await closed_with(talker.socket) == 1003
        async with connected(url, wire="msgpack") as talker:
            await talker.hello()
            await talker.socket.send("text")
            assert await closed_with(talker.socket) == 1003


async def test_too_large_a_frame(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello()
        await talker.socket.send("x" * 1_100_000)
        assert await closed_with(talker.socket) == 1009


async def test_bad_utf8(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello()
        await talker.socket.send(b'{"type":"ping","id":"\xff"}', text=True)
        assert await closed_with(talker.socket) == 1007


async def test_an_unknown_companion_may_be_mended(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connect(url, proxy=None) as socket:
        await socket.send(json.dumps({**HELLO, "companion": "nobody"}))
        assert (await error_of(socket))["code"] == "companion.unknown"
        await socket.send(json.dumps({**HELLO, "id": "2"}))
        assert json.loads(await socket.recv())["type"] == "welcome"


async def test_an_unknown_conversation_and_anothers_look_the_same(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as ann, connected(url) as ben:
        await ann.hello(user="ann")
        theirs = (await ann.talk("hello")).conversation
        await ben.hello(user="ben")
        errors: list[dict[str, object]] = []
        for name in (theirs, "cnv_00000000-0000-7000-8000-000000000000"):
            for command in (
                ConversationOpen(id=ben.new_id(), conversation=name),
                ConversationHistory(id=ben.new_id(), conversation=name),
            ):
                with pytest.raises(Refusal) as refused:
                    await ben.ask(command)
                error = refused.value.error
                errors.append({"code": error.code, "message": error.message, "hint": error.hint})
        assert errors[0]["code"] == "conversation.unknown"
        assert all(error == errors[0] for error in errors)


async def test_empty_and_too_long_messages(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello()
        for text, code in ((" \n\t", "message.empty"), ("x" * 200_001, "message.too_long")):
            with pytest.raises(Refusal) as refused:
                await talker.say(text)
            assert refused.value.code == code
        await goes_on(talker)


async def test_100_kilobytes_of_text_and_control_characters_are_taken(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        long = "word " * 20_000
        odd = "a\u0001b\u200e\u202e\x7f and more"
        first = await talker.talk(long)
        await talker.talk(odd)
        history = await talker.ask(ConversationHistory(id=talker.new_id(), conversation=first.conversation))
        assert isinstance(history.result, dict)
        texts = [message["text"] for message in history.result["messages"] if message["role"] == "user"]
        assert texts == [long, odd]


async def test_an_id_used_again(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello()
        first = await talker.say("hello", id_="mine")
        again = await talker.say("hello", id_="mine")
        assert again.message == first.message
        with pytest.raises(Refusal) as refused:
            await talker.say("something else", id_="mine")
        assert refused.value.code == "id.reused"


async def test_more_messages_than_the_queue_takes(tmp_path: Path) -> None:
    slow = Script(tokens=400, tokens_per_second=20.0)
    async with model_server(slow) as model:
        chosen = settings(tmp_path, model=f"openai:m@{model.url}/v1")
        async with serving(chosen) as url, connected(url) as talker:
            await talker.hello()
            await talker.say("one")
            await talker.next(ResponseStarted)
            for text in ("two", "three", "four", "five"):
                ack = await talker.say(text)
                assert ack.durable is True
            with pytest.raises(Refusal) as refused:
                await talker.say("six")
            assert (refused.value.code, refused.value.error.retryable) == ("session.busy", True)
            await talker.ask(ConversationClose(id=talker.new_id()))


async def test_too_many_commands(tmp_path: Path) -> None:
    slow = 0.001  # nothing comes in while the test runs, however long it takes
    limits = Limits(commands_per_second=slow, drain_seconds=1.0)
    async with serving(with_limits(settings(tmp_path), limits)) as url, connected(url) as talker:
        await talker.hello()
        codes: list[str] = []
        for _ in range(8):
            try:
                await talker.say("")
            except Refusal as refused:
                codes.append(refused.code)
        assert codes[0] == "message.empty"
        assert codes[-1] == "rate.limited"


async def test_what_the_companion_does_not_do(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(companion="clara")
        await talker.say("Hello.")
        with pytest.raises(Refusal) as refused:
            await talker.ask(ConversationHistory(id=talker.new_id(), conversation="cnv_x"))
        assert refused.value.code == "policy.refused"
        await talker.cancel()


async def test_only_unknown_subprotocols(tmp_path: Path) -> None:
    async with (
        serving(settings(tmp_path)) as url,
        connect(url, subprotocols=[Subprotocol("fireside.v9.json")], proxy=None) as socket,
    ):
        assert socket.subprotocol == "fireside.v9.json"
        assert (await error_of(socket))["code"] == "protocol.unsupported"
        assert await closed_with(socket) == 4500


async def test_no_subprotocol_is_json_without_echo(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url, named=False) as talker:
        assert talker.socket.subprotocol is None
        await talker.hello()
        await goes_on(talker)


async def test_a_closed_conversation_is_read_only(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        done = await talker.talk("hello")
        closed = await talker.ask(ConversationClose(id=talker.new_id()))
        assert closed.result == {"conversation": done.conversation}
        with pytest.raises(Refusal) as refused:
            await talker.ask(ConversationOpen(id=talker.new_id(), conversation=done.conversation))
        assert refused.value.code == "conversation.closed"
        anew = await talker.say("hello again")
        assert anew.conversation != done.conversation


async def test_a_message_that_is_not_there_cannot_be_answered_anew(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello()
        with pytest.raises(Refusal) as refused:
            await talker.ask(ResponseRegenerate(id=talker.new_id(), message="msg_nope"))
        assert refused.value.code == "message.unknown"


async def test_a_hundred_silent_connections_do_not_keep_anyone_out(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, anyio.create_task_group() as tasks:
        for _ in range(100):
            tasks.start_soon(_silent, url)
        async with connected(url) as talker:
            await talker.hello()
            done = await talker.talk("Hello, is anybody there?")
            assert done.status == "completed"
        tasks.cancel_scope.cancel()


async def _silent(url: str) -> None:
    async with connect(url, proxy=None):
        await anyio.sleep_forever()


async def test_a_slow_reader_is_closed_and_nobody_else_waits(tmp_path: Path) -> None:
    limits = Limits(slow_reader_seconds=0.3, drain_seconds=1.0, commands_per_second=10_000.0)
    async with (
        serving(with_limits(settings(tmp_path), limits)) as url,
        connected(url) as slow,
        connected(url) as other,
        anyio.create_task_group() as tasks,
    ):
        await other.hello(user="other")
        await slow.hello(user="slow")
        said = await slow.talk("word " * 35_000)
        slow.socket.transport.pause_reading()
        for number in range(120):
            await slow.send(ConversationHistory(id=f"history-{number}", conversation=said.conversation))
        tasks.start_soon(goes_on, other)
        with anyio.fail_after(60):
            while stands(slow):  # noqa: ASYNC110  # the kernel wakes nobody
                await anyio.sleep(0.01)
        slow.socket.transport.resume_reading()
        with anyio.fail_after(60), pytest.raises(ConnectionClosed):  # noqa: PT012  # until it finds out
            while True:
                await slow.socket.recv()


def stands(talker: Talker) -> bool:
    """Whether the kernel still has the line; asking it reads nothing."""
    line: socket.socket = talker.socket.transport.get_extra_info("socket")
    return line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 8)[0] == 1


async def goes_on(talker: Talker) -> None:
    """The connection still talks."""
    await talker.send(MessageSend(id=talker.new_id(), text="Still there?"))
    done = await talker.answer()
    assert done.text
