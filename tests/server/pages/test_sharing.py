"""Who may see what, on the person's own page."""

from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from protocol.care_frames import ConsentSet
from tests.server.caring import caring, token
from tests.server.pages.test_real_server import http
from tests.server.serving import serving, settings

pytestmark = pytest.mark.browser


async def test_the_person_sees_who_may_see_what_and_says_no(page: Page, tmp_path: Path) -> None:
    maria = token(tmp_path)
    async with serving(settings(tmp_path, companion="clara")) as url, caring(url, maria) as carer:
        await page.goto(f"{http(url)}me?companion=clara&user=ann")
        sharing = page.locator("#sharing-list")
        await expect(sharing).to_contain_text("Nothing from our talks is shared with anyone.")
        await carer.ask(ConsentSet(id="1", scopes=("transcripts",), allow=True, basis="legal_representative"))
        await expect(page.locator("#status")).to_contain_text("Maria, who acts for you in law")
        await expect(sharing).to_contain_text("can be seen by Maria")
        await page.get_by_role("button", name="Say no: What is said, word for word").click()
        await expect(sharing).to_contain_text("you said no, so nobody sees this")
