"""A server whose model also does the jobs: what it answers to each kind of job is written down here."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from msgspec.structs import replace

from loadtest.client import Talker, connected
from loadtest.model_script import Script
from loadtest.model_server import ModelServer, Request, model_server
from protocol.conversation_frames import SummaryReady
from server.app import STORE_FILE
from tests.server.scenes import PATIENT
from tests.server.serving import serving, settings

ANSWER = Script(text="I hear you. Tell me more.")


def kind_of(request: Request) -> str:
    """Which job a request is for, by the form that is asked for."""
    form = request.json()["response_format"]["json_schema"]["schema"]["properties"]
    if "highlights" in form:
        return "parent_note"
    if "engagement" in form:
        return "evaluation"
    return "summary" if "summary" in form else next(iter(form))


def asked_of(request: Request) -> str:
    """What the model was given: its last message."""
    return str(request.json()["messages"][-1]["content"])


def saying(answer: object) -> Script:
    """A script that says ``answer``: text as it is, anything else as JSON."""
    return Script(text=answer if isinstance(answer, str) else json.dumps(answer))


@dataclass
class Jobs:
    """What is answered to jobs, by kind, and what they were given."""

    answers: dict[str, object] = field(default_factory=dict[str, object])
    given: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def __call__(self, request: Request) -> Script:
        kind = kind_of(request)
        self.given.append((kind, asked_of(request)))
        answer = self.answers.get(kind, "")
        if callable(answer):
            answer = answer(asked_of(request))
        return answer if isinstance(answer, Script) else saying(answer)

    def of(self, kind: str) -> list[str]:
        return [text for each, text in self.given if each == kind]


@dataclass
class Stage:
    """The running server, its model, and the jobs."""

    url: str
    model: ModelServer
    jobs: Jobs
    store: Path

    @asynccontextmanager
    async def greeted(self, *, companion: str, user: str = "ann") -> AsyncGenerator[Talker]:
        async with connected(self.url) as talker:
            await talker.hello(companion=companion, user=user)
            yield talker

    def last_prompt(self) -> str:
        """The system part of what the model was given last for a person."""
        return str(self.model.talked[-1].json()["messages"][0]["content"])


@asynccontextmanager
async def playing(
    folder: Path, jobs: Jobs | None = None, *, slots: int = 4, own: Path | None = None
) -> AsyncGenerator[Stage]:
    """A server with its data in ``folder``."""
    played = jobs or Jobs()
    async with model_server(ANSWER) as upstream:
        upstream.choose = lambda request: played(request) if request.is_job else ANSWER
        chosen = settings(folder, model=f"openai:m@{upstream.url}/v1", own=own)
        chosen = replace(
            chosen, model=replace(PATIENT, name=chosen.model.name, for_jobs=True, most_at_once=slots)
        )
        async with serving(chosen) as url:
            yield Stage(url, upstream, played, folder / STORE_FILE)


async def until(holds: Callable[[], bool], *, seconds: float = 30.0) -> None:
    """Wait for what a job will make true."""
    with anyio.fail_after(seconds):
        while not holds():  # noqa: ASYNC110  # the store says nothing by itself
            await anyio.sleep(0.02)


async def summed_up(talker: Talker, conversation: str) -> SummaryReady:
    """The next summary of a conversation that the client is told of: it may have come behind what was waited for."""
    while True:
        for event in talker.events:
            if isinstance(event, SummaryReady) and event.conversation == conversation:
                talker.events.remove(event)
                return event
        await talker.next(SummaryReady, seconds=30)
