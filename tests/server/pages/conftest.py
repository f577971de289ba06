"""A browser for the page's tests: Debian's Chromium, a fresh profile, nothing but this machine."""

import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.server.pages.stage import Stage, stage

PATIENCE_MS = 60_000  # a busy machine is late; what comes, comes at once on a quiet one
expect.set_options(timeout=PATIENCE_MS)
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@pytest.fixture(scope="package")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="package")
async def browser(anyio_backend: str) -> AsyncIterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=ARGS)
        yield browser
        await browser.close()


@pytest.fixture
async def played() -> AsyncIterator[Stage]:
    async with stage() as played:
        yield played


@pytest.fixture
async def page(browser: Browser) -> AsyncIterator[Page]:
    """A page of its own, which complains of nothing: no script fails, nothing is blocked."""
    context = await browser.new_context(viewport={"width": 1024, "height": 768}, reduced_motion="reduce")
    page = await context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda told: complaints.append(told.text) if "Content Security" in told.text else None)
    yield page
    await context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of axe-core."""
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
