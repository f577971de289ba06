"""The page for client developers shows frames as they are, and names every error and close code."""

import json
import re
from pathlib import Path

import pytest

from protocol.catalogue import COMMANDS
from protocol.errors import ERRORS, CloseCode, comes_back
from tests.protocol.golden import golden_frames

TEXT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text()
SHOWN = re.findall(r"<!-- frame: (\S+) -->\n```json\n(.*?)\n```", TEXT, re.DOTALL)
CLOSES = dict(re.findall(r"^\| (4\d\d\d) \|.*\| (yes|no) \|$", TEXT, re.MULTILINE))


@pytest.mark.parametrize(("name", "shown"), SHOWN)
def test_a_frame_that_is_shown_is_a_golden_one(name: str, shown: str) -> None:
    assert json.loads(shown) == json.loads(golden_frames()[name])


def test_no_frame_is_shown_that_is_not_checked() -> None:
    assert TEXT.count("```json") == len(SHOWN)
    assert len(SHOWN) > 10


def test_every_error_is_there_with_what_it_means() -> None:
    for code, kind in ERRORS.items():
        again = "yes" if kind.retryable else "no"
        closes = int(kind.close) if kind.close else ""
        assert f"| `{code}` | {kind.message} | {again} | {closes} |" in TEXT


def test_every_close_code_of_our_own_is_there_with_what_to_do() -> None:
    assert {
        str(int(code)): "yes" if comes_back(code) else "no" for code in CloseCode if code >= 4000
    } == CLOSES


def test_every_command_is_named() -> None:
    named = set(re.findall(r'"type": "([a-z_.]+)"', TEXT))
    for row in re.findall(r"^\| (`[a-z]+[.`].*?) \|", TEXT, re.MULTILINE):
        family = ""
        for name in re.findall(r"`([a-z_.]+)`", row):
            family = family if name.startswith(".") else name.partition(".")[0]
            named.add(f"{family}{name}" if name.startswith(".") else name)
    assert set(COMMANDS) <= named
