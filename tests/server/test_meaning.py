"""What was said is found by its meaning: vectors are made after the talk goes on, and whatever fails costs nothing."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from msgspec.structs import replace

from companions.ports import ModelError, ModelFault, ToolCall
from companions.state import Who
from generation.onnx import unit
from loadtest.client import Talker, connected
from loadtest.model_script import Script
from loadtest.model_server import model_server
from loadtest.model_vectors import vector_of
from memory.vectors import Meaning
from protocol.conversation_frames import ConversationClose
from protocol.memory_frames import MemoryForget, MemorySearch
from server.app import STORE_FILE
from server.casting import companions
from server.finding import NOTHING, Finder
from server.settings import Embedder, Settings
from server.story_vectors import stories_meant
from server.vectorizer import Outcome, Vectorizer, searched
from storage.apply import apply_all
from storage.connection import InlineStore, inline, read_only
from storage.scrubbing import found_in, pieces_of
from storage.vectors import vectors_told
from tests.server.serving import serving, settings
from tests.storage.making import ANNA, said

TEXTS = ("Bees behind the orchard", "The soup was salty", "Trains to the sea")


class Words:
    """An embedder by words, which fails as it is told to; ``asked`` keeps the texts of each question."""

    name = "words"

    def __init__(self, dimension: int = 8) -> None:
        self.dimension = dimension
        self.asked: list[tuple[str, ...]] = []
        self.fault: Callable[[Sequence[str]], ModelFault | None] = lambda _texts: None

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        await anyio.lowlevel.checkpoint()
        self.asked.append(tuple(texts))
        if (fault := self.fault(texts)) is not None:
            raise ModelError(fault, "as told")
        return [tuple(vector_of(text, self.dimension)) for text in texts]


class Counted:
    """What came of the vectors; ``told`` is set at every count."""

    def __init__(self) -> None:
        self.counts: dict[Outcome, int] = {}
        self.told = anyio.Event()

    def __call__(self, outcome: Outcome, number: int) -> None:
        self.counts[outcome] = self.counts.get(outcome, 0) + number
        self.told.set()
        self.told = anyio.Event()


def stored(store: InlineStore) -> list[str]:
    """The texts that have a vector."""
    rows: list[tuple[str]] = store.db.execute(
        "SELECT m.text FROM vectors v JOIN messages m ON m.stored = v.stored ORDER BY m.stored"
    ).fetchall()
    return [text for (text,) in rows]


async def tell(store: InlineStore, *texts: str, talk: str = "a") -> None:
    changes = [said(talk, at, text, companion="coach") for at, text in enumerate(texts, start=1)]
    await store.transact(lambda db: apply_all(db, changes))


def vectorizer(store: InlineStore, words: Words, counted: Counted | None = None) -> Vectorizer:
    return Vectorizer(store, words, frozenset({"coach"}), counted or Counted())


def test_only_companions_that_are_searched_get_vectors() -> None:
    names = {name.partition("/")[0] for name in searched(companions(""))}
    assert names == {"coach", "extremis", "maestro", "serenity"}


async def test_every_message_gets_one_and_what_came_later_is_all_that_is_asked_for(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        words = Words()
        await tell(store, *TEXTS)
        jobs = vectorizer(store, words)
        await jobs.catch_up()
        assert stored(store) == list(TEXTS)
        await tell(store, "My knee hurts", talk="b")
        await jobs.catch_up()
        assert words.asked == [("Good morning.",), TEXTS, ("My knee hurts",)]


async def test_a_text_that_the_embedder_refuses_is_passed_over_and_the_others_are_kept(
    tmp_path: Path,
) -> None:
    with inline(tmp_path / "s.db") as store:
        words, counted = Words(), Counted()
        words.fault = lambda texts: "refused" if TEXTS[1] in texts else None
        await tell(store, *TEXTS)
        await vectorizer(store, words, counted).catch_up()
        assert stored(store) == [TEXTS[0], TEXTS[2]]
        assert counted.counts == {"kept": 2, "passed_over": 1}


async def test_what_an_embedder_that_is_gone_left_out_is_made_at_the_next_start(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        gone, counted = Words(), Counted()
        gone.fault = lambda _texts: "unreachable"
        await tell(store, *TEXTS)
        jobs = vectorizer(store, gone, counted)
        async with anyio.create_task_group() as tasks:
            told = counted.told
            tasks.start_soon(jobs)
            with anyio.fail_after(60):
                await told.wait()
            tasks.cancel_scope.cancel()
        assert counted.counts == {"failed": 1}
        assert stored(store) == []
        await vectorizer(store, Words()).catch_up()
        assert stored(store) == list(TEXTS)


async def test_another_dimension_than_yesterdays_begins_again(tmp_path: Path) -> None:
    with inline(tmp_path / "s.db") as store:
        await tell(store, *TEXTS)
        await vectorizer(store, Words(8)).catch_up()
        today = Words(12)
        await vectorizer(store, today).catch_up()
        assert today.asked[-1] == TEXTS
        told = vectors_told(store.db)
        assert told is not None
        assert (told.dimension, told.vectors) == (12, 3)


def with_words(folder: Path, url: str) -> Settings:
    return replace(settings(folder), embedder=Embedder(name=f"ollama:words@{url}"))


@asynccontextmanager
async def greeted(chosen: Settings) -> AsyncGenerator[Talker]:
    async with serving(chosen) as url, connected(url) as talker:
        await talker.hello(user="ann")
        yield talker


async def found(talker: Talker, query: str) -> list[str]:
    ack = await talker.ask(MemorySearch(id=talker.new_id(), query=query))
    assert isinstance(ack.result, dict)
    return [each["text"] for each in ack.result["messages"]]


async def until_found(talker: Talker, query: str) -> list[str]:
    with anyio.fail_after(60):
        texts: list[str] = []
        while not texts:
            texts = await found(talker, query)
            await anyio.sleep(0.1)
    return texts


def vectors_with(folder: Path, message: str) -> list[bytes]:
    """The bytes of a message's vector."""
    with read_only(folder / STORE_FILE) as db:
        rows: list[tuple[bytes]] = db.execute(
            "SELECT v.vector FROM vectors v JOIN messages m USING (stored) WHERE m.id = ?", (message,)
        ).fetchall()
    return [vector[12:] for (vector,) in rows]


def held_in_files(folder: Path, vector: bytes) -> bool:
    """Whether a file of the data folder, backups apart, holds the middle of ``vector``."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "backups"]
    return bool(found_in(files, pieces_of(vector)))


async def until_vectors(folder: Path, message: str) -> bytes:
    """The vector of a message, once it was made."""
    with anyio.fail_after(60):
        vectors: list[bytes] = []
        while not vectors:
            await anyio.sleep(0.1)
            vectors = vectors_with(folder, message)
    return vectors[0]


async def test_the_vector_of_what_was_said_is_stored_and_gone_from_every_byte_with_it(tmp_path: Path) -> None:
    async with model_server(Script(dimension=64)) as upstream:
        async with greeted(with_words(tmp_path, upstream.url)) as talker:
            ack = await talker.say("My sister keeps bees.")
            await talker.answer()
            assert isinstance(ack.message, str)
            vector = await until_vectors(tmp_path, ack.message)
            await talker.ask(ConversationClose(id=talker.new_id()))
            assert held_in_files(tmp_path, vector)
            await talker.ask(MemoryForget(id=talker.new_id(), item=ack.message))
            assert vectors_with(tmp_path, ack.message) == []
        assert not held_in_files(tmp_path, vector)


async def test_what_shares_no_word_that_counts_is_found_by_its_vector(tmp_path: Path) -> None:
    """``of a`` are words that full text leaves out: only the vectors of this embedder know them."""
    words = Words(384)

    async def meaning(text: str) -> Meaning | None:
        (vector,) = await words.embed([text])
        return Meaning(model=words.name, vector=unit(vector))

    with inline(tmp_path / "s.db") as store:
        await tell(store, "The of a the of a", *TEXTS)
        await vectorizer(store, words).catch_up()
        sam = Who(session="s", space="s", user=ANNA, companion="coach")
        assert await Finder(store).for_person(sam, "of a", 5) == ()
        found = await Finder(store, meaning).for_person(sam, "of a", 5)
        assert [each.text for each in found] == ["The of a the of a"]
        call = ToolCall(id="1", name="search_memory", arguments='{"query": "of a"}')
        coach = companions("")["coach"]
        told = await Finder(store, meaning).for_model(coach, sam, call, None)
        assert told.text == '- "The of a the of a"'
        kim = Who(session="k", space="k", user="kim", companion="coach")
        assert (await Finder(store, meaning).for_model(coach, kim, call, None)).text == NOTHING


async def test_without_an_embedder_it_is_not_found_and_no_vector_is_stored(tmp_path: Path) -> None:
    async with greeted(settings(tmp_path)) as talker:
        await talker.talk("The of a the of a")
        assert await found(talker, "of a") == []
    with read_only(tmp_path / STORE_FILE) as db:
        assert db.execute("SELECT COUNT(*) FROM vectors").fetchone() == (0,)


async def test_search_goes_on_by_words_while_the_embedder_is_away(tmp_path: Path) -> None:
    async with model_server(Script(status=503)) as upstream:
        async with greeted(with_words(tmp_path, upstream.url)) as talker:
            await talker.talk("My sister keeps bees.")
            await talker.ask(ConversationClose(id=talker.new_id()))
            texts = await until_found(talker, "bees")
        assert texts[0] == "My sister keeps bees."


async def test_every_story_gets_its_vector_also_when_the_embedder_comes_late() -> None:
    words, meant = Words(), dict[str, bytes]()
    found = companions("").values()
    refused: list[int] = []

    def late(texts: Sequence[str]) -> ModelFault | None:
        refused.append(len(texts))
        return "unreachable" if len(refused) == 1 else None

    words.fault = late
    with anyio.fail_after(60):
        await stories_meant(words, found, meant, rest=0.01)
    assert set(meant) == {story.text for each in found for story in each.narratives}
    assert len(refused) > 1
