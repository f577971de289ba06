"""Setting up a device in the browser, and whose turn it is on one that several people use."""

from pathlib import Path

import pytest
from playwright.async_api import Page, expect

import server.orders as orders
from loadtest.client import connected
from protocol.care_frames import CareEmotions, ConsentSet
from tests.server.caring import caring, token
from tests.server.pages.test_real_server import http
from tests.server.serving import serving, settings
from tests.server.test_entrance import at_rest, kiosk, order, with_pin

pytestmark = pytest.mark.browser


async def test_a_device_is_set_up_by_the_address_of_the_qr_code_and_then_talks(
    page: Page, tmp_path: Path
) -> None:
    async with serving(kiosk(settings(tmp_path))) as url:
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        await page.goto(f"{http(url)}?companion=serenity")
        await expect(page.locator("#status")).to_contain_text("set up again")
        code, _ = await order(tmp_path, orders.PairDevice())
        await page.goto(f"{http(url)}pair#{code}")
        await expect(page.locator("#code")).to_have_value(code)
        assert code not in page.url
        await page.fill("#name", "Garden room")
        await page.click("button.main")
        await expect(page.locator("#done")).to_be_visible()
        await expect(page.locator("#whose")).to_contain_text("Garden room")
        await page.goto(f"{http(url)}?companion=serenity")
        await page.fill("#field", "Good morning, the robins are back.")
        await page.click("#act")
        await expect(page.locator("article.assistant .text")).not_to_be_empty()
        assert not [each for each in requests if code in each.split("#")[0]]


async def test_a_wrong_code_is_told_in_plain_words(page: Page, tmp_path: Path) -> None:
    async with serving(kiosk(settings(tmp_path))) as url:
        await page.goto(f"{http(url)}pair")
        await page.fill("#code", "AAAA-2222")
        await page.click("button.main")
        await expect(page.locator("#status")).to_contain_text("does not hold")
        await expect(page.locator("#done")).to_be_hidden()


async def test_on_a_shared_device_the_memory_page_shows_nothing_before_the_pin(
    page: Page, tmp_path: Path
) -> None:
    device = orders.ClaimDevice(name="Garden room")
    _, shown = at_rest(tmp_path, orders.AddPerson(user="ann"), with_pin("ann", "271828"), device)
    async with serving(settings(tmp_path)) as url:
        await page.goto(f"{http(url)}pair")
        await page.evaluate("(token) => { localStorage.token = token; }", shown)
        await page.goto(f"{http(url)}me?companion=serenity&user=ann")
        await expect(page.locator("#turn")).to_be_visible()
        await expect(page.locator("#facts")).to_be_hidden()
        await expect(page.locator("#sharing")).to_be_hidden()
        await page.fill("#pin", "0000")
        await page.click("#turn button")
        await expect(page.locator("#status")).to_contain_text("not the PIN")
        await page.fill("#pin", "271828")
        await page.click("#turn button")
        await expect(page.locator("#facts")).to_be_visible()
        await expect(page.locator("#sharing")).to_be_visible()


@pytest.mark.parametrize("own", [True, False])
async def test_on_a_device_a_person_is_got_to_know_as_soon_as_it_is_their_turn(
    page: Page, tmp_path: Path, own: bool
) -> None:
    device = (
        orders.ClaimDevice(name="Tablet", user="ann", own=True) if own else orders.ClaimDevice(name="Hall")
    )
    _, shown = at_rest(tmp_path, orders.AddPerson(user="ann"), with_pin("ann", "271828"), device)
    async with serving(settings(tmp_path)) as url:
        await page.goto(f"{http(url)}pair")
        await page.evaluate("(token) => { localStorage.token = token; }", shown)
        await page.goto(f"{http(url)}welcome?companion=serenity&user=ann")
        if not own:
            await expect(page.locator("#turn")).to_be_visible()
            await expect(page.locator("#asked")).to_be_hidden()
            await page.fill("#pin", "271828")
            await page.click("#turn button")
        await expect(page.locator("#question")).not_to_be_empty()
        await page.fill("#value", "Annie")
        await page.get_by_role("button", name="Tell this").click()
        await expect(page.locator("#left")).to_contain_text("more after this one")


async def test_the_person_reads_on_their_page_who_looked(page: Page, tmp_path: Path) -> None:
    maria = token(tmp_path)
    async with serving(settings(tmp_path)) as url, connected(url) as ann, caring(url, maria) as carer:
        await ann.hello(user="ann", companion="clara")
        await ann.ask(ConsentSet(id="1", scopes=("trends",), allow=True))
        await carer.ask(CareEmotions(id="1"))
        await page.goto(f"{http(url)}me?companion=clara&user=ann")
        first = page.locator("#looked-list li").first
        await expect(first).to_contain_text("Maria, who cares for you, looked at how you have been feeling.")
