"""axe finds nothing to object to. It comes from npm when the test runs, into a temporary folder."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from tests.server.pages.stage import Stage
from tests.server.pages.test_look import in_full
from tests.server.pages.test_talk import opened

pytestmark = [pytest.mark.browser, pytest.mark.npm]


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("npm")
    install = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), "axe-core@4"]
    try:
        done = subprocess.run(install, capture_output=True, timeout=180, cwd=folder)
    except subprocess.TimeoutExpired:
        pytest.skip("the npm registry does not answer")
    if done.returncode != 0:
        pytest.skip("axe-core cannot be had from npm")
    return Path(folder, "node_modules/axe-core/axe.min.js").read_text()


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
