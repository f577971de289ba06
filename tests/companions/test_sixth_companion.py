"""A sixth companion needs no code: a folder that is unlike all others in everything loads, whole."""

from collections.abc import Iterator
from typing import Any, cast

import msgspec
import pytest

from companions.check import checked
from companions.companion import catalogue
from companions.errors import PolicyError
from companions.loading import load
from companions.policy import Policy
from tests.companions.keys import keys
from tests.companions.library import NAMES, SIXTH, files_of, shipped

UNSTATED = {"languages", "session.regenerate", "session.parent_mode"}


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, object]]:  # Any: TOML of every shape
    match value:
        case dict():
            for key, each in cast("dict[str, Any]", value).items():  # Any: TOML's tables have text for keys
                yield from leaves(each, f"{path}.{key}".lstrip("."))
        case [dict(), *_]:
            for each in cast("list[Any]", value):  # Any: tables of every shape
                yield from leaves(each, f"{path}[]")
        case _:
            yield path, value


def named(path: str) -> str:
    """``path`` as the list of keys writes it, with stars for free names."""
    for start in ("session.types", "budget.tiers"):
        if path.startswith(f"{start}."):
            return f"{start}.*.{path.rpartition('.')[2]}"
    if path.startswith("safety.") and path.count(".") == 2:
        return f"safety.*.{path.rpartition('.')[2]}"
    for table in ("stories.by_intent", "facts.filed"):
        if path.startswith(table):
            return table
    return path


def test_a_folder_alone_makes_a_companion() -> None:
    jette, hinnerk = shipped(SIXTH)
    assert (jette.id, jette.name, jette.subject) == ("lotse/nord", "Jette", "Nordsee")
    assert (
        jette.texts.persona
        == "Du bist Jette und kennst die Nordsee.\n\nJette spricht knapp und mag den Wind."
    )
    assert hinnerk.texts.greetings.plain == ("Moin, ich bin Hinnerk.",)
    assert jette.texts.words["help"] == "Hilfe"
    assert jette.texts.words["send"] == "Send"  # its own file leaves this to the shared one
    assert jette.policy.safety.country == "DE"
    assert [story.id for story in jette.narratives] == ["im-hafen"]


@pytest.mark.parametrize("name", NAMES)
def test_it_differs_from_each_shipped_companion_in_every_number(name: str) -> None:
    own = dict(leaves(msgspec.toml.decode(files_of(SIXTH)["companion.toml"])))
    other = dict(leaves(msgspec.toml.decode(files_of(name)["companion.toml"])))
    numbers = {key for key, value in own.items() if type(value) in (int, float) and key in other}
    same = {key for key in numbers if own[key] == other[key]}
    assert {
        key for key in same if not key.endswith((".priority", "_from", ".warmth")) and key != "format"
    } == set()


def test_it_states_every_key_there_is() -> None:
    stated = {named(path) for path, _ in leaves(msgspec.toml.decode(files_of(SIXTH)["companion.toml"]))}
    assert {named(key) for key, _ in keys(Policy)} - stated == UNSTATED


def test_nothing_in_it_surprises_the_checker() -> None:
    report = checked(SIXTH, files_of(SIXTH))
    assert report.errors == ()
    assert report.warnings == ()


def test_every_id_a_client_may_name_leads_to_one_companion() -> None:
    found = catalogue([shipped(name) for name in (*NAMES, SIXTH)])
    assert found["lotse"] is found["lotse/nord"]
    assert found["lotse/ost"].name == "Hinnerk"
    assert {key for key in found if "/" not in key} == {*NAMES, SIXTH}
    assert found["maestro"].id == "maestro/mathematics"


def in_english(files: dict[str, str]) -> dict[str, str]:
    """``files`` with a folder of English texts beside the German ones."""
    texts = {path: text for path, text in files.items() if path.endswith(".md")}
    shared = {path[7:]: text for path, text in texts.items() if path.startswith("shared/")}
    own = {path: text.replace("Moin", "Ahoy") for path, text in texts.items() if "shared/" not in path}
    whole = shared | own | {path: shared[path] for path in ("words.md", "prompt.md")}
    toml = files["companion.toml"].replace('language = "de"', 'language = "de"\nlanguages = ["en"]')
    return {
        **files,
        "companion.toml": toml,
        "languages/en/narratives/harbour.toml": files["narratives/hafen.toml"],
        **{f"languages/en/{path}": text for path, text in whole.items()},
    }


def test_a_folder_may_speak_several_languages() -> None:
    files = in_english(files_of(SIXTH))
    assert load(SIXTH, files).texts.greetings.plain == ("Moin, ich bin Jette.",)
    assert load(SIXTH, files, "en").texts.greetings.plain == ("Ahoy, ich bin Jette.",)
    assert load(SIXTH, files, "en").resources == load(SIXTH, files).resources


def test_a_language_that_is_not_whole_is_an_error_of_its_own() -> None:
    files = in_english(files_of(SIXTH))
    del files["languages/en/rules.md"]
    report = checked(SIXTH, files)
    assert report.errors == ("lotse/languages/en/rules.md: this file is missing",)


def test_a_language_that_is_not_listed_is_refused() -> None:
    with pytest.raises(PolicyError, match=r"lotse/companion.toml: languages: fr is not among them"):
        load(SIXTH, files_of(SIXTH), "fr")
