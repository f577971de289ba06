"""What is taken from elsewhere is of a known version and known bytes, from nowhere in particular."""

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from tests.audited import told
from tests.outcomes import ROOT

FILES = [ROOT / "requirements" / name for name in ("run.txt", "test.txt", "audit.txt")]
PINNED = re.compile(r"^([A-Za-z0-9_.-]+)==(\S+)", re.MULTILINE)


def pins(text: str) -> dict[str, str]:
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in PINNED.findall(text)}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_requirement_has_its_version_and_its_bytes_and_no_address(file: Path) -> None:
    text = file.read_text()
    entries = re.split(r"\n(?=\S)", text.strip())
    assert entries
    for entry in entries:
        assert PINNED.match(entry), entry[:80]
        assert "--hash=sha256:" in entry, entry[:80]
    assert "://" not in text


def test_the_bytes_are_of_the_versions_that_are_pinned_and_of_all_that_is_needed() -> None:
    pinned = pins((ROOT / "constraints.txt").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = {
        "run.txt": project["dependencies"],
        "test.txt": project["dependencies"] + project["optional-dependencies"]["test"],
    }
    for name, needed in asked.items():
        held = pins((ROOT / "requirements" / name).read_text())
        assert {
            package: version for package, version in held.items() if pinned.get(package, version) != version
        } == {}
        for each in needed:
            package = re.sub(r"[-_.]+", "-", re.split(r"[<>=; \[]", each)[0]).lower()
            assert package in held, f"{package} is not in requirements/{name}: make lock"


def test_an_audit_tells_faults_and_what_could_not_be_asked() -> None:
    def report(*packages: dict[str, object]) -> bytes:
        return msgspec.json.encode({"dependencies": packages})

    good: dict[str, object] = {"name": "good", "version": "1", "vulns": []}
    bad: dict[str, object] = {"name": "bad", "version": "2", "vulns": [{"id": "PYSEC-1"}]}
    unknown: dict[str, object] = {"name": "far", "version": "3", "skip_reason": "not found"}
    assert told(report(good)) == ("Audited 1 of 1 packages, 0 known faults.", True)
    assert told(report(good, bad))[1] is False
    assert "bad 2: PYSEC-1" in told(report(good, bad))[0]
    said, well = told(report(unknown))
    assert (said.splitlines()[-1][:7], well) == ("SKIPPED", True)
    assert told(b"")[1] is True
