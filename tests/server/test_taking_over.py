"""Who has a conversation when two want it, and each has what the other wants."""

from pathlib import Path

import anyio
from websockets.exceptions import ConnectionClosed

from actors.sessions import TAKE_OVER_SECONDS
from loadtest.client import Refusal, Talker
from loadtest.model_script import Script
from protocol.conversation_frames import ConversationOpen
from tests.server.scenes import played


async def test_two_that_open_each_others_conversation_at_once_do_not_wait_for_one_another(
    tmp_path: Path,
) -> None:
    async with (
        played(tmp_path, Script(text="Yes.")) as scene,
        scene.greeted() as one,
        scene.greeted() as two,
    ):
        first = (await one.talk("One.")).conversation
        second = (await two.talk("Two.")).conversation
        answers: list[str] = []

        async def opens(each: Talker, conversation: str) -> None:
            try:
                await each.ask(ConversationOpen(id=each.new_id(), conversation=conversation))
                answers.append("opened")
            except Refusal as refused:
                answers.append(refused.code)
            except ConnectionClosed:
                answers.append("closed")

        with anyio.fail_after(TAKE_OVER_SECONDS - 1.0):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(opens, one, second)
                tasks.start_soon(opens, two, first)
        assert "opened" in answers
        assert len(answers) == 2
