"""The page of one's own memory, with the real server: seen, put right, forgotten, taken along, called back."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, get_args

import anyio
import pytest
from msgspec.structs import replace
from playwright.async_api import Locator, Page, WebSocketRoute, expect

from companions.policy import Theme
from loadtest.client import Talker, connected
from protocol.conversation_frames import ConversationClose
from protocol.memory_frames import MemoryAdd, MemoryEdit, MemoryList
from server.settings import Data
from server.static import pages
from tests.server.pages.test_axe import objections
from tests.server.pages.test_look import MEASURE
from tests.server.pages.test_real_server import http
from tests.server.serving import serving, settings
from tests.server.test_forgetting import in_files

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)>"
WIDTHS = [320, 360, 768, 1280, 1920]
FILES = [
    "me.html",
    "me.css",
    "me.js",
    "me_parts.js",
    "me_facts.js",
    "me_talks.js",
    "me_everything.js",
    "me_lately.js",
    "welcome.html",
    "welcome.js",
]


@asynccontextmanager
async def remembered(folder: Path, *, cool_down: float = 600.0) -> AsyncGenerator[tuple[str, Talker]]:
    """A server on which Ada has talked and had things remembered; the address of her page, and her program."""
    chosen = settings(folder)
    data = Data(folder=str(folder), durability="process", erase_cool_down_seconds=cool_down)
    async with serving(replace(chosen, data=data)) as url, connected(url) as talker:
        await talker.hello(companion="serenity", user="ada")
        await talker.talk("I live in Lisbon and I work as a nurse.")
        await talker.talk(f"My sister is called Maria. {HOSTILE}")
        await talker.ask(ConversationClose(id=talker.new_id()))
        await talker.ask(MemoryAdd(id=talker.new_id(), text="I am allergic to peanuts"))
        with anyio.fail_after(60):
            await learned(talker)
        yield f"{http(url)}me?companion=serenity&user=ada", talker


async def learned(talker: Talker) -> None:
    """Until what was said has become notes."""
    while True:
        if len(await held(talker)) >= 3:
            return
        await anyio.sleep(0.1)


async def held(talker: Talker) -> list[dict[str, Any]]:  # Any: facts as plain JSON
    ack = await talker.ask(MemoryList(id=talker.new_id()))
    assert isinstance(ack.result, dict)
    return [fact for fact in ack.result["facts"] if fact["status"] == "active"]


def settings_told(frame: str | bytes) -> bool:
    """Whether the page is told its settings, the last it asks for before it draws."""
    return isinstance(frame, str) and '"enabled":' in frame and "facts" not in frame


def note(page: Page, text: str) -> Locator:
    return page.locator("#fact-list > div li").filter(has_text=text)


async def test_a_note_says_where_it_comes_from_and_is_put_right_and_forgotten(
    page: Page, tmp_path: Path
) -> None:
    async with remembered(tmp_path) as (address, talker):
        await page.goto(address)
        await note(page, "Lisbon").get_by_role("button", name="Where it comes from").click()
        await expect(note(page, "Lisbon").locator("blockquote")).to_have_text(
            "I live in Lisbon and I work as a nurse."
        )
        await note(page, "Lisbon").get_by_role("button", name="Put right").click()
        await page.get_by_role("textbox", name="Put right").fill("Porto")
        await page.get_by_role("button", name="Save").click()
        await expect(note(page, "Porto")).to_contain_text("In your own words")
        await expect(note(page, "Lisbon")).to_have_count(0)
        await note(page, "peanuts").get_by_role("button", name="Forget").click()
        await expect(page.locator("#sheet")).to_contain_text("allergic to peanuts")
        await page.locator("#sheet").get_by_role("button", name="Keep it").click()
        await expect(note(page, "peanuts")).to_have_count(1)
        await note(page, "peanuts").get_by_role("button", name="Forget").click()
        await page.locator("#sheet").get_by_role("button", name="Forget it").click()
        await expect(note(page, "peanuts")).to_have_count(0)
        assert "peanuts" not in json.dumps(await held(talker))
        await page.get_by_role("button", name="Take back my last change").click()
        await expect(note(page, "peanuts")).to_have_count(1)


async def test_what_is_under_a_finger_stays_where_nothing_changed(page: Page, tmp_path: Path) -> None:
    async with remembered(tmp_path) as (address, talker):
        async with page.expect_websocket() as opened:
            await page.goto(address)
        line = await opened.value
        under = await note(page, "peanuts").get_by_role("button", name="Forget").element_handle()
        (fact,) = [each for each in await held(talker) if "peanuts" in each["text"]]
        async with line.expect_event("framereceived", settings_told):
            await talker.ask(MemoryEdit(id=talker.new_id(), item=fact["fact"], enabled=True))
        assert await under.evaluate(
            "async (it) => (await new Promise(requestAnimationFrame), it.isConnected)"
        )


async def test_something_is_remembered_kept_first_and_switched_off(page: Page, tmp_path: Path) -> None:
    async with remembered(tmp_path) as (address, talker):
        await page.goto(address)
        await page.get_by_label("Something to remember").fill("I play the cello")
        await page.get_by_role("button", name="Remember this").click()
        await expect(note(page, "cello")).to_contain_text("You asked to have this remembered")
        await note(page, "cello").get_by_role("button", name="Keep first").click()
        await expect(note(page, "cello")).to_contain_text("Kept first")
        await page.get_by_role("button", name="Stop remembering").click()
        await expect(page.get_by_role("button", name="Remember again")).to_be_visible()
        await expect(page.locator("#fact-list")).to_contain_text("switched off")
        assert any("cello" in fact["text"] for fact in await held(talker))


async def test_what_another_device_changed_first_is_said_kindly_and_shown(page: Page, tmp_path: Path) -> None:
    async with remembered(tmp_path) as (address, talker):
        await page.goto(address)
        await note(page, "Lisbon").get_by_role("button", name="Put right").click()
        await page.get_by_role("textbox", name="Put right").fill("Porto")
        (fact,) = [each for each in await held(talker) if "Lisbon" in each["text"]]
        await talker.ask(MemoryEdit(id=talker.new_id(), item=fact["fact"], text="Berlin"))
        await page.get_by_role("button", name="Save").click()
        await expect(page.locator("#status")).to_have_text(
            "This was changed somewhere else meanwhile. Here is how it stands now."
        )
        await expect(note(page, "Berlin")).to_have_count(1)


async def test_conversations_are_read_named_put_away_found_and_deleted(page: Page, tmp_path: Path) -> None:
    async with remembered(tmp_path) as (address, _):
        await page.goto(address)
        talk = page.locator("#talk-list > li")
        await talk.get_by_role("button", name="Rename").click()
        await page.get_by_role("textbox", name="Title").fill("About me")
        await page.get_by_role("button", name="Save").click()
        await expect(talk.locator("h3")).to_have_text("About me")
        await page.get_by_label("Find by title").fill("nothing like it")
        await page.get_by_role("button", name="Find").click()
        await expect(page.locator("#talk-list")).to_contain_text("Nothing of that name was found.")
        await page.get_by_label("Find by title").fill("about")
        await page.get_by_role("button", name="Find").click()
        await talk.get_by_role("button", name="Read").click()
        await expect(talk.locator(".said > li")).to_have_count(4)
        await expect(talk).to_contain_text(HOSTILE)  # as text, never as markup
        await talk.get_by_role("button", name="Why this answer").first.click()
        await expect(talk.locator(".why")).to_be_visible()
        await talk.get_by_role("button", name="Archive").click()
        await expect(page.locator("#talk-list h3")).to_have_count(0)
        await page.get_by_role("button", name="Show archived ones").click()
        await talk.get_by_role("button", name="Bring back").click()
        await page.get_by_role("button", name="Show the others").click()
        await talk.get_by_role("button", name="Delete").first.click()
        await page.locator("#sheet").get_by_role("button", name="Delete it").click()
        await expect(page.locator("#talk-list h3")).to_have_count(0)
        await expect(note(page, "Lisbon")).to_have_count(0)
        await expect(note(page, "peanuts")).to_have_count(1)


async def test_a_deleted_message_takes_along_what_was_learned_from_it_alone(
    page: Page, tmp_path: Path
) -> None:
    async with remembered(tmp_path) as (address, _):
        await page.goto(address)
        await expect(note(page, "nurse")).to_have_count(1)
        talk = page.locator("#talk-list > li")
        await talk.get_by_role("button", name="Read").click()
        await talk.get_by_role("button", name="Delete the message: I live").click()
        await expect(page.locator("#sheet")).to_contain_text("what was learned from it alone")
        await page.locator("#sheet").get_by_role("button", name="Delete it").click()
        await expect(talk.locator(".said > li")).to_have_count(2)
        await expect(note(page, "nurse")).to_have_count(0)
        assert in_files(tmp_path, "Lisbon") == []


async def test_everything_is_called_back_and_then_forgotten_with_a_receipt(
    page: Page, tmp_path: Path
) -> None:
    async with remembered(tmp_path, cool_down=1.0) as (address, talker):
        await page.goto(address)
        await page.get_by_role("button", name="Forget everything …").click()
        await expect(page.get_by_role("button", name="Forget everything now")).to_be_disabled()
        await page.get_by_role("button", name="Call it back").click()
        assert await held(talker) != []
        await page.get_by_role("button", name="Forget everything …").click()
        await page.get_by_role("button", name="Forget everything now").click()
        await expect(page.locator("#erase h3")).to_have_text("Everything is forgotten")
        await expect(page.locator("#erase")).to_contain_text("searched afterwards, and hold none of it")
        await expect(page.locator("#erase")).to_contain_text("Copies for emergencies")
        await expect(page.locator("#fact-list")).to_contain_text("Nothing is remembered yet.")
        assert await held(talker) == []
        assert in_files(tmp_path, "Lisbon") == []


async def test_a_copy_is_taken_along(page: Page, tmp_path: Path) -> None:
    async with remembered(tmp_path) as (address, _):
        await page.goto(address)
        async with page.expect_download() as download:
            await page.get_by_role("button", name="A file to bring in elsewhere").click()
        path = await (await download.value).path()
        assert json.loads(path.read_bytes())["user"] == "ada"
        async with page.expect_download() as download:
            await page.get_by_role("button", name="A page to read").click()
        await (await download.value).save_as(tmp_path / "memory.html")
        await page.goto(f"file://{tmp_path / 'memory.html'}")
        await expect(page.locator("h1")).to_have_text("What Serenity remembers")


async def test_after_a_lost_connection_the_page_goes_on(page: Page, tmp_path: Path) -> None:
    async with remembered(tmp_path) as (address, _):
        sockets: list[WebSocketRoute] = []

        def route(socket: WebSocketRoute) -> None:
            sockets.append(socket)
            socket.connect_to_server()

        await page.route_web_socket("**/ws", route)
        await page.goto(address)
        await expect(note(page, "Lisbon")).to_have_count(1)
        await sockets[0].close(code=1011, reason="lost")
        await page.get_by_label("Something to remember").fill("I play the cello")
        await page.get_by_role("button", name="Remember this").click()
        await expect(note(page, "cello")).to_have_count(1, timeout=60_000)


async def test_a_companion_that_caregivers_look_after_says_so_and_offers_no_way_in(
    page: Page, tmp_path: Path
) -> None:
    async with serving(settings(tmp_path, companion="clara")) as url:
        await page.goto(f"{http(url)}me")
        await expect(page.locator("#others")).to_contain_text("Those who care for you")
        await expect(page.locator("#own")).to_be_hidden()
        await page.goto(http(url))
        await expect(page.locator("#name")).to_have_text("Clara")
        await expect(page.locator("#me")).to_be_hidden()
        await page.goto(f"{http(url)}?companion=serenity")
        await page.locator("#me").click()
        await expect(page.locator("h1")).to_have_text("What Serenity remembers")


@pytest.mark.npm
async def test_it_has_room_and_contrast_and_axe_has_no_objection(
    page: Page, tmp_path: Path, axe: str
) -> None:
    async with remembered(tmp_path) as (address, _):
        await page.goto(address)
        await expect(note(page, "Lisbon")).to_have_count(1)
        await page.locator("#talk-list").get_by_role("button", name="Read").click()
        await expect(page.locator(".said > li")).to_have_count(4)
        assert await objections(page, axe) == []
        for theme in get_args(Theme):
            await page.evaluate("(theme) => (document.documentElement.dataset.theme = theme)", theme)
            found: list[dict[str, Any]] = await page.evaluate(MEASURE)
            assert [each for each in found if each["contrast"] < 7 or each["size"] < 18] == [], theme
        for width in WIDTHS:
            await page.set_viewport_size({"width": width, "height": 800})
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        await note(page, "Lisbon").get_by_role("button", name="Forget").click()
        assert await objections(page, axe) == []


def test_its_files_make_no_markup_of_text_and_ask_nobody_else() -> None:
    served = pages()
    for name in FILES:
        content = served[f"/{name}"].content
        for word in (
            b"innerHTML",
            b"outerHTML",
            b"insertAdjacentHTML",
            b"document.write",
            b"eval(",
            b"http://",
            b"https://",
        ):
            assert word not in content, name
    assert "/me" in served
