"""How the page looks, by figures: sizes, contrasts, room; and that it asks nobody else for anything."""

from itertools import product
from typing import Any, get_args
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Page, expect

from companions.policy import Theme
from protocol.session_frames import Model, Notice
from protocol.talk_frames import MessageSend, SafetyShown
from protocol.values import Resource
from server.static import pages
from tests.server.pages.stage import Stage
from tests.server.pages.test_talk import opened, says

pytestmark = pytest.mark.browser

SIZES = [(320, 568), (360, 640), (768, 1024), (1024, 768), (1920, 1080), (3840, 2160)]
SCRIPTS = ["kiosk.js", "companion.js", "fireside.js", "help.js", "kept.js", "pace.js", "transcript.js"]
KIOSK = ["index.html", "kiosk.css", *SCRIPTS]
KIOSK_BYTES = 30_000  # of the page with all it loads, before compression

MEASURE = """() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = channels(colour).slice(0, 3).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if (channels(colour)[3] !== 0) return colour;
    }
  };
  const contrast = (one, other) => {
    const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };
  const all = [...document.querySelectorAll("body *")];
  const shown = all.filter((element) => element.checkVisibility() &&
    (element.matches("textarea") || [...element.childNodes].some(({ data }) => data?.trim())));
  return shown.map((element) => {
    const style = getComputedStyle(element);
    const hint = getComputedStyle(element, "::placeholder");
    const ink = element.matches("textarea") ? hint.color : style.color;
    const size = parseFloat(style.fontSize);
    return { what: element.outerHTML.slice(0, 60), size, contrast: contrast(ink, behind(element)) };
  });
}"""

ROOM = """() => ({
  wide: document.documentElement.scrollWidth <= innerWidth,
  inside: [...document.querySelectorAll("header *, footer *")]
    .filter((each) => each.checkVisibility() && !each.closest(".unseen, dialog"))
    .map((each) => each.getBoundingClientRect())
    .every(({ left, right, top, bottom }) =>
      left >= -1 && right <= innerWidth + 1 && top >= -1 && bottom <= innerHeight + 1),
})"""


async def in_full(page: Page, played: Stage) -> None:
    """Everything the page can show, at once."""
    played.model = Model(kind="builtin", name="builtin", connected=False)
    await opened(page, played)
    await says(page, "A word that is very long: " + "a" * 90)
    send = await played.hears(MessageSend)
    await played.answers(send, "One sentence. ", "Another.")
    await played.says(
        SafetyShown(
            seq=played.seq(),
            message="m",
            category="abuse",
            severity=2,
            say="It is not your fault.",
            resources=(Resource(name="Help line", contact="Call 0800", hours="Day and night"),) * 4,
        )
    )
    await expect(page.locator("fireside-crisis")).to_contain_text("It is not your fault.")


async def test_every_text_is_large_and_stands_out_in_every_theme(page: Page, played: Stage) -> None:
    await in_full(page, played)
    for opens_help, theme in product((False, True), get_args(Theme)):
        if opens_help and not await page.locator("dialog").is_visible():
            await page.locator("fireside-help > button").click()
        await page.evaluate("(theme) => (document.documentElement.dataset.theme = theme)", theme)
        found: list[dict[str, Any]] = await page.evaluate(MEASURE)
        assert len(found) > 10
        assert [text for text in found if text["size"] < 24] == []
        assert [text for text in found if text["contrast"] < 7] == [], theme


@pytest.mark.parametrize("least", [24, 40])
async def test_everything_has_room_from_a_small_phone_to_4k(page: Page, played: Stage, least: int) -> None:
    played.companion = {**played.companion, "text_px": least}
    await opened(page, played)
    for full in (False, True):
        if full:
            await in_full(page, played)
        for width, height in SIZES:
            await page.set_viewport_size({"width": width, "height": height})
            assert await page.evaluate(ROOM) == {"wide": True, "inside": True}, (width, height)


async def test_long_news_at_the_bottom_leaves_room_for_help_on_a_small_screen(
    page: Page, played: Stage
) -> None:
    await page.set_viewport_size({"width": 360, "height": 740})
    await in_full(page, played)
    await played.says(Notice(seq=played.seq(), code="note", say="Somebody may see something. " * 12))
    await expect(page.locator("#status")).to_contain_text("Somebody may see")
    for words in ("fireside-crisis h2", "fireside-crisis li:first-child"):
        await expect(page.locator(words)).to_be_in_viewport(ratio=1)
        assert await page.locator(words).evaluate(
            "(part) => part.getBoundingClientRect().bottom <= document.querySelector('footer').offsetTop"
        )


async def test_the_date_and_the_companion_are_always_in_sight(page: Page, played: Stage) -> None:
    await page.clock.set_fixed_time("2026-03-02T10:00:00")
    played.companion = {**played.companion, "language": "en-GB"}
    await in_full(page, played)
    await expect(page.locator("#date")).to_have_text("Monday 2 March")
    await expect(page.locator("#date")).to_be_in_viewport()
    await expect(page.locator("#name")).to_be_in_viewport()
    await expect(page.locator("html")).to_have_attribute("lang", "en-GB")


async def test_the_page_asks_nobody_else_for_anything(page: Page, played: Stage) -> None:
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    page.on("websocket", lambda socket: hosts.add(urlsplit(socket.url).netloc))
    await in_full(page, played)
    assert hosts - {""} == {urlsplit(played.url).netloc}


def test_the_page_is_small_and_puts_text_in_as_text() -> None:
    kiosk = {name: page.content for name, page in pages().items() if name.removeprefix("/") in KIOSK}
    assert len(kiosk) == len(KIOSK)
    assert sum(map(len, kiosk.values())) <= KIOSK_BYTES
    for content in kiosk.values():
        for word in (
            b"innerHTML",
            b"outerHTML",
            b"insertAdjacentHTML",
            b"document.write",
            b"eval(",
            b"//www",
        ):
            assert word not in content


async def test_nothing_moves_for_those_who_asked_for_less_motion(page: Page, played: Stage) -> None:
    await in_full(page, played)
    moving = "document.getAnimations().filter((each) => each.playState === 'running').length"
    assert await page.evaluate(moving) == 0


@pytest.mark.parametrize("name", ["Maestra Livia", "Coach", "Professoressa Annunziata"])
async def test_a_name_stands_in_whole_words_on_a_small_screen(page: Page, played: Stage, name: str) -> None:
    played.companion = {**played.companion, "display_name": name}
    for width in (320, 360):
        await page.set_viewport_size({"width": width, "height": 740})
        await opened(page, played)
        title = page.locator("#name")
        await expect(title).to_have_text(name)
        lines = await title.evaluate(
            "(h) => h.getClientRects()[0].height / parseFloat(getComputedStyle(h).lineHeight)"
        )
        assert round(lines) <= len(name.split())
