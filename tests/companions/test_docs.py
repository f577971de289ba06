"""The page on companions names every key, with the default it has."""

import re
from pathlib import Path

import pytest

import companions
from companions.narratives import Narrative
from companions.policy import Policy
from companions.policy_memory import SECTIONS
from companions.resources import Country
from tests.companions.keys import REQUIRED, keys

PAGE = Path(companions.__file__).parent.parent / "docs" / "companions.md"
ROW = re.compile(r"^\| `([^`]+)` \|[^|]*\|[^|]*\| ([^|]*) \|[^|]*\|$", re.MULTILINE)
SAFETY = re.compile(r"^safety\.(self_harm|harm_others|abuse|medical)\.")


def written(default: object) -> str:
    if default == SECTIONS:
        return ", ".join(SECTIONS)
    words = {"None": "off", "()": "[]", "True": "true", "False": "false"}
    return words.get(str(default), str(default))


def rows() -> list[tuple[str, str]]:
    return [(row[1], row[2]) for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))]


@pytest.mark.skipif(not PAGE.exists(), reason="the page is not installed with the package")
def test_every_key_stands_on_the_page_once_with_its_default() -> None:
    stated = {
        SAFETY.sub("safety.*.", key): written(default) for key, default in [*keys(Policy), *keys(Country)]
    }
    assert dict(rows()) == stated
    assert len(rows()) == len(stated)


@pytest.mark.skipif(not PAGE.exists(), reason="the page is not installed with the package")
def test_every_key_of_a_story_stands_in_the_example() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for key, default in keys(Narrative):
        assert default == REQUIRED
        assert re.search(rf"^{key} = ", page, re.MULTILINE)
