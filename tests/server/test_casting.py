"""An operator's own folder stands beside what ships, and goes before it."""

from pathlib import Path

import pytest

from companions.errors import PolicyError
from server.casting import companions, files_of, shipped
from server.cli_companions import list_

NUMBER = "Call 000 111 222"


def house(folder: Path) -> Path:
    """A folder with one own companion, made of a shipped one, and with help of its own for all."""
    (folder / "shared").mkdir()
    text = (shipped() / "shared" / "resources.toml").read_text(encoding="utf-8")
    own = f'[NZ]\nresources = [{{ name = "The house", contact = "{NUMBER}", categories = ["medical"] }}]\n'
    (folder / "shared" / "resources.toml").write_text(own + text, encoding="utf-8")
    for path, content in files_of(shipped() / "coach").items():
        target = folder / "trainer" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content.replace('name = "Coach"', 'name = "Trainer"'), encoding="utf-8")
    return folder


def test_an_own_companion_stands_beside_the_shipped_ones(tmp_path: Path) -> None:
    found = companions(str(house(tmp_path)))
    assert found["trainer"].name == "Trainer"
    assert {"clara", "coach", "extremis", "maestro", "serenity", "trainer"} <= set(found)


def test_help_of_the_house_is_there_for_every_companion(tmp_path: Path) -> None:
    found = companions(str(house(tmp_path)))
    assert {each.resources["NZ"].resources[0].contact for each in found.values()} == {NUMBER}


def test_a_broken_own_companion_is_refused_with_its_file(tmp_path: Path) -> None:
    folder = house(tmp_path)
    (folder / "trainer" / "rules.md").unlink()
    with pytest.raises(PolicyError, match=r"trainer/rules\.md: this file is missing"):
        companions(str(folder))


def test_a_list_has_the_own_companions_where_their_folder_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    list_()
    assert "trainer" not in capsys.readouterr().out
    list_(folder=str(house(tmp_path)))
    assert "trainer" in capsys.readouterr().out
