"""The page and the real server together, with the companion's own texts in place of a language model."""

import asyncio
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace
from playwright.async_api import Page, expect

from loadtest.nursery import Nursery
from server.settings import Listen
from tests.server.serving import serving, settings

pytestmark = pytest.mark.browser


def http(url: str) -> str:
    return url.replace("ws://", "http://").removesuffix("ws")


async def test_a_newcomer_talks_to_a_companion(page: Page, tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url:
        await page.goto(f"{http(url)}?companion=serenity&user=ada")
        await expect(page.locator("#name")).to_have_text("Serenity")
        await expect(page.locator("#greeting")).not_to_be_empty()
        await expect(page.locator("#note")).to_contain_text("No language model is connected")
        await page.fill("#field", "Good morning, the robins are back.")
        await page.click("#act")
        answer = page.locator("article.assistant .text")
        await expect(answer).not_to_be_empty()
        await expect(page.locator("#act")).to_have_text("Send")
        said = await page.locator("article .text").all_text_contents()
        await page.reload()
        await expect(page.locator("article .text")).to_have_text(said)


async def test_the_companion_for_dementia_shows_one_exchange(page: Page, tmp_path: Path) -> None:
    async with serving(settings(tmp_path, companion="clara")) as url:
        await page.goto(http(url))
        await expect(page.locator("#name")).to_have_text("Clara")
        for _ in range(2):
            await page.fill("#field", "What day is it?")
            await page.keyboard.press("Enter")
            await expect(page.locator("article.assistant .text")).not_to_be_empty()
            await expect(page.locator("article.user")).to_have_count(1)
            await expect(page.locator("article.assistant")).to_have_count(1)
            await page.click("#act")  # stop, or nothing when it is over


async def test_an_address_that_names_nobody_leads_to_who_is_at_home(page: Page, tmp_path: Path) -> None:
    async with serving(settings(tmp_path, companion="clara")) as url:
        await page.goto(f"{http(url)}?companion=nobody")
        await expect(page.locator("#name")).to_have_text("Clara")
        await page.fill("#field", "What day is it?")
        await page.keyboard.press("Enter")
        await expect(page.locator("article.assistant .text")).not_to_be_empty()


async def test_words_of_danger_bring_help_to_the_screen(page: Page, tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url:
        await page.goto(http(url))
        await page.fill("#field", "I want to kill myself tonight.")
        await page.click("#act")
        card = page.locator("fireside-crisis")
        await expect(card).to_be_visible()
        await expect(card.locator("li").first).to_be_visible()


async def test_a_server_that_starts_again_finds_the_page_and_the_page_its_talk(
    page: Page, tmp_path: Path
) -> None:
    chosen = settings(tmp_path)
    async with serving(chosen) as url:
        port = int(url.rpartition(":")[2].partition("/")[0])
        await page.goto(http(url))
        await page.fill("#field", "The robins are back.")
        await page.click("#act")
        await expect(page.locator("article.assistant .text")).not_to_be_empty()
        await expect(page.locator("#act")).to_have_text("Send")
        said = await page.locator("article .text").all_text_contents()
    await page.fill("#field", "Are you still there?")
    await page.keyboard.press("Enter")
    async with serving(replace(chosen, listen=Listen(port=port))):
        await expect(page.locator("article")).to_have_count(4, timeout=60_000)
        assert (await page.locator("article .text").all_text_contents())[:3] == [
            *said,
            "Are you still there?",
        ]


async def test_after_a_kill_in_mid_answer_the_page_goes_on_by_itself(
    page: Page, tmp_path: Path, born: Nursery
) -> None:
    """B2: the same conversation, nothing lost, nothing twice; this companion answers again by itself (D4)."""
    answers = Answers(page)
    async with born.server_process(tmp_path) as server:
        await page.goto(f"http://{server.address}/?companion=clara")
        await expect(page.locator("#greeting")).not_to_be_empty()
        await page.fill("#field", "Where am I?")
        await page.keyboard.press("Enter")
        await answers.begun(1)
        await server.kill()
    await page.fill("#field", "I was about to say")
    async with born.server_process(tmp_path, port=int(server.address.rpartition(":")[2])):
        await answers.begun(2)
        await expect(page.locator("article.assistant .text")).not_to_be_empty()
        await expect(page.locator("article.user .text")).to_have_text("Where am I?")
        await expect(page.locator("#field")).to_have_value("I was about to say")
        await expect(page.locator("#status")).to_have_text("")


class Answers:
    """Counts the answers that began to arrive, over all connections of a page."""

    def __init__(self, page: Page) -> None:
        self._begun = asyncio.Queue[str]()
        self._count = 0
        page.on("websocket", lambda socket: socket.on("framereceived", self._heard))

    def _heard(self, frame: str | bytes) -> None:
        if isinstance(frame, str) and '"type":"response.delta"' in frame and '"n":0' in frame:
            self._begun.put_nowait(frame)

    async def begun(self, count: int) -> None:
        """Until so many began."""
        with anyio.fail_after(60):
            while self._count < count:
                await self._begun.get()
                self._count += 1
