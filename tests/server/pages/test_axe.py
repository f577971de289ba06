"""axe finds nothing to object to. It comes from npm when the test runs, into a temporary folder."""

from typing import Any

import pytest
from playwright.async_api import Page

from tests.server.pages.stage import Stage
from tests.server.pages.test_look import in_full
from tests.server.pages.test_talk import opened

pytestmark = [pytest.mark.browser, pytest.mark.npm]


async def objections(page: Page, axe: str) -> list[str]:
    found: dict[str, Any] = await page.evaluate(f"() => {{ {axe}; return axe.run(); }}")
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found["violations"]]


async def test_axe_has_no_objection_to_an_empty_page(page: Page, played: Stage, axe: str) -> None:
    await opened(page, played)
    assert await objections(page, axe) == []


async def test_axe_has_no_objection_to_a_talk_a_crisis_or_the_help(
    page: Page, played: Stage, axe: str
) -> None:
    await in_full(page, played)
    assert await objections(page, axe) == []
    await page.locator("fireside-help > button").click()
    assert await objections(page, axe) == []
