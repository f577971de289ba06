"""Check-ins on the page of one's own memory, and the page of getting to know each other, with the real server."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from server.ids import now_ms
from tests.companions.library import shipped
from tests.server.pages.test_axe import objections
from tests.server.pages.test_real_server import http
from tests.server.serving import serving, settings
from tests.server.test_care_trends import write
from tests.server.test_lately import month

pytestmark = pytest.mark.browser

WHO = "companion=serenity&user=ann"
WELCOME = shipped("serenity")[0].texts.welcome
ASKS = shipped("serenity")[0].policy.welcome.asks


@asynccontextmanager
async def checked_in(folder: Path) -> AsyncGenerator[str]:
    """A server on which Ann has checked in for some days."""
    write(folder, month(now_ms()))
    async with serving(settings(folder)) as url:
        yield http(url)


async def test_check_ins_are_a_chart_with_its_figures_beside_it_and_a_new_one_is_kept(
    page: Page, tmp_path: Path
) -> None:
    async with checked_in(tmp_path) as address:
        await page.goto(f"{address}me?{WHO}")
        lately = page.locator("#lately")
        await expect(lately).to_contain_text("Mood has been rising over 10 days (11 check-ins on 10 days).")
        await expect(lately.locator("polyline.mood")).to_have_count(1)
        await expect(lately.locator("polyline.sleep")).to_have_count(0)
        await expect(lately.locator("tbody tr")).to_have_count(11)
        await expect(lately.get_by_role("rowheader", name="day unknown")).to_have_count(0)
        await lately.locator("summary").click()
        await expect(lately.get_by_role("rowheader", name="day unknown")).to_have_count(1)
        await lately.locator("#mood").select_option("9")
        await lately.get_by_label("What went well").fill("slept through\nran")
        await lately.get_by_role("button", name="Keep this").click()
        await expect(page.locator("#status")).to_have_text("Thank you. It is kept.")
        await expect(lately.locator("tbody tr").first).to_contain_text("slept through; ran")


async def test_each_question_is_answered_left_out_or_put_off(page: Page, tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url:
        await page.goto(f"{http(url)}welcome?{WHO}")
        await expect(page.locator("#say")).to_have_text(WELCOME["begin"])
        await expect(page.locator("#question")).to_have_text(WELCOME["preferred_name"])
        await page.locator("#value").fill("Annie")
        await page.get_by_role("button", name="Tell this").click()
        await expect(page.locator("#question")).to_have_text(WELCOME["name"])
        await page.get_by_role("button", name="Leave this out").click()
        await expect(page.locator("#question")).to_have_text(WELCOME["pronouns"])
        await page.reload()
        await expect(page.locator("#question")).to_have_text(WELCOME["pronouns"])
        for field in ASKS[2:]:
            await expect(page.locator("#question")).to_have_text(WELCOME[field])
            if field == "age":
                await page.locator("#value").fill("42")
                await page.get_by_role("button", name="Tell this").click()
            elif field == "communication_style":
                await page.locator("#value").select_option("direct")
                await page.get_by_role("button", name="Tell this").click()
            else:
                await page.get_by_role("button", name="Leave this out").click()
        await expect(page.locator("#say")).to_have_text(WELCOME["done"])
        await expect(page.locator("#asked")).to_be_hidden()


@pytest.mark.npm
async def test_axe_has_no_objection_to_either(page: Page, tmp_path: Path, axe: str) -> None:
    async with checked_in(tmp_path) as address:
        await page.goto(f"{address}me?{WHO}")
        await expect(page.locator("#lately tbody tr")).to_have_count(11)
        assert await objections(page, axe) == []
        await page.goto(f"{address}welcome?{WHO}")
        await expect(page.locator("#question")).to_have_text(WELCOME["preferred_name"])
        assert await objections(page, axe) == []
