"""The page of those who look after somebody, in a browser, with the real server behind it."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from loadtest.client import connected
from protocol.care_frames import ConsentSet
from server.orders import AddPerson
from tests.server.caring import caring, token
from tests.server.jobs_stage import Jobs, playing, until
from tests.server.pages.test_real_server import http
from tests.server.serving import serving, settings
from tests.server.test_alerts import ABUSE, FALL, said
from tests.server.test_entrance import at_rest
from tests.server.test_jobs import rows
from tests.server.test_leaks import unpaced
from tests.server.test_notes import MATHS, NOTE, learning, taught
from tests.server.test_timeline import allow

pytestmark = pytest.mark.browser


async def signed_in(page: Page, url: str, shown: str) -> None:
    await page.goto(f"{http(url)}care")
    await page.fill("#token", shown)
    await page.click("#enter button")
    await expect(page.locator("#title")).to_have_text("How ann is doing")


async def test_a_caregiver_sees_the_day_what_is_allowed_and_nothing_once_it_is_taken_back(
    page: Page, tmp_path: Path
) -> None:
    maria = token(tmp_path, companion="clara")
    await page.set_viewport_size({"width": 360, "height": 780})
    chosen = settings(tmp_path, companion="clara", own=unpaced(tmp_path / "own"))
    async with serving(chosen) as url, connected(url) as ann:
        await ann.hello(user="ann")
        await ann.talk("I am so happy about my roses today.")
        await signed_in(page, url, maria)
        await expect(page.locator("#emotions")).to_contain_text("Consent does not allow this now.")
        await page.select_option("#scope", "trends")
        await page.get_by_role("button", name="Allow this for a year").click()
        await expect(page.locator("#emotions")).to_contain_text("1 message;")
        await expect(page.locator("#repetition")).to_contain_text("last 7 days")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        assert maria not in await page.evaluate("location.href + JSON.stringify(localStorage)")
        await page.fill("#known_topics", "the rose garden\nher sister Eva")
        await page.focus("#scope")  # words that are not kept yet outlast what others change meanwhile
        async with caring(url, maria) as carer:
            await carer.ask(ConsentSet(id="n", scopes=("trends",), allow=False, basis="legal_representative"))
        await expect(page.locator("#emotions")).to_have_text("Consent does not allow this now.")
        await page.get_by_role("button", name="Keep this").click()
        await expect(page.locator("#status")).to_have_text("It is kept.")
        await page.reload()  # the window still knows who this is
        await expect(page.locator("#known_topics")).to_have_value("the rose garden\nher sister Eva")
        await page.get_by_role("button", name="Sign out").click()
        await expect(page.locator("#enter")).to_be_visible()
        assert await page.evaluate("sessionStorage.length") == 0
        assert await page.locator("#known_topics").input_value() == ""


async def test_an_alert_comes_to_the_page_and_is_looked_after(page: Page, tmp_path: Path) -> None:
    okafor = token(tmp_path, "Ms Okafor", companion="clara", role="safeguarding")
    maria = token(tmp_path, companion="clara")
    async with serving(settings(tmp_path, companion="clara")) as url:
        await signed_in(page, url, maria)
        await expect(page.locator("#alert-list")).to_have_text("Nothing needs you now.")
        await said(url, ABUSE, FALL)
        alerts = page.locator("#alert-list .alert")
        await expect(alerts).to_have_count(1)
        await expect(alerts).to_contain_text("need medical help")
        await page.get_by_role("button", name="I look after it").click()
        await expect(page.locator("#alert-list")).to_have_text("Nothing needs you now.")
        await page.get_by_role("button", name="Sign out").click()
        await signed_in(page, url, okafor)
        await expect(alerts).to_contain_text("does harm to them")
        await page.get_by_role("button", name="Let family see what was said").click()
        await page.get_by_role("button", name="Let them see it").click()
        await expect(page.get_by_role("button", name="Keep it from family again")).to_be_visible()
        await expect(page.locator("#views")).to_be_hidden()


async def test_being_there_is_seen_on_both_sides_and_ends_with_the_persons_no(
    page: Page, browser: Browser, tmp_path: Path
) -> None:
    maria = token(tmp_path, companion="clara")
    kiosk = await browser.new_page()
    chosen = settings(tmp_path, companion="clara", own=unpaced(tmp_path / "own"))
    async with serving(chosen) as url, connected(url) as ann:
        await ann.hello(user="ann")
        async with caring(url, maria) as carer:
            await allow(carer, "watching")
        await kiosk.goto(f"{http(url)}?user=ann")
        await kiosk.fill("#field", "The roses are in bloom.")
        await kiosk.keyboard.press("Enter")
        await expect(kiosk.locator("article.assistant .text")).not_to_be_empty()
        await signed_in(page, url, maria)
        await page.click("#watch")
        await expect(page.locator("#watch-now")).to_contain_text("They see that you are there.")
        await expect(kiosk.locator("#note")).to_contain_text("Maria can read along now")
        await expect(kiosk.locator("#act")).to_have_text("Send")
        await kiosk.fill("#field", "Good morning.")
        await kiosk.keyboard.press("Enter")
        await expect(page.locator("#watch-list")).to_contain_text("They: Good morning.")
        await expect(page.locator("#watch-list")).to_contain_text("The companion: ")
        await ann.ask(ConsentSet(id="no", scopes=("watching",), allow=False))
        await expect(page.locator("#watch-now")).to_contain_text("It is over")
        await expect(kiosk.locator("#note")).not_to_contain_text("Maria")
        await kiosk.close()


async def test_a_token_that_opens_nothing_is_told_so(page: Page, tmp_path: Path) -> None:
    async with serving(settings(tmp_path, companion="clara")) as url:
        await page.goto(f"{http(url)}care")
        await page.fill("#token", "no such token")
        await page.click("#enter button")
        await expect(page.locator("#status")).to_contain_text("This token does not open anything.")
        await expect(page.locator("#enter")).to_be_visible()


async def test_what_was_learned_is_seen_by_date_and_subject_and_vanishes_with_the_consent(
    page: Page, tmp_path: Path
) -> None:
    at_rest(tmp_path, AddPerson(user="ann", name="Ann Miller"))
    maria = token(tmp_path, companion="maestro", basis="parent")
    await page.set_viewport_size({"width": 360, "height": 780})
    async with playing(tmp_path, Jobs({"parent_note": NOTE, "learnings": learning})) as stage:
        await page.goto(f"{http(stage.url)}care")
        await page.fill("#token", maria)
        await page.fill("#companion", MATHS)
        await page.click("#enter button")
        await expect(page.locator("#title")).to_have_text("How Ann Miller is doing")
        await expect(page.locator("#who")).to_have_text("With Maestra Livia. You are here as a caregiver.")
        await expect(page.get_by_role("link", name="Good to know")).to_be_hidden()  # of no use to a teacher
        shown = page.locator("#learned")
        await expect(shown).to_have_text("Consent does not allow this now.")
        await page.get_by_role("link", name="What is allowed").click()
        await expect(page.locator("#consent-title")).to_be_in_viewport()
        await page.select_option("#basis", "parent")
        await page.select_option("#scope", "notes")
        await page.get_by_role("button", name="Allow this for a year").click()
        await expect(shown).to_contain_text("Nothing is told yet of what was learned.")
        await taught(stage, "So one half is more than one third of it, with fractions?")
        await taught(stage, "Now fractions again, please.")
        await until(lambda: len(rows(stage, "SELECT 1 FROM learnings")) == 4)
        await page.reload()
        await expect(shown).to_contain_text("The last 7 days: 3 new, 1 came up again.")
        first = shown.locator("li", has_text="also in 1 earlier lesson")
        await expect(first).to_contain_text("Fractions came up again")
        await expect(first).to_contain_text("Mathematics, ")
        await expect(shown).not_to_contain_text("one half is more")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        async with caring(stage.url, maria, companion=MATHS) as carer:
            await carer.ask(ConsentSet(id="n", scopes=("notes",), allow=False, basis="parent"))
        await expect(shown).to_have_text("Consent does not allow this now.")
