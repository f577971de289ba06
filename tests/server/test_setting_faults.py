"""A setting of the right kind that cannot be meant is refused: what is wrong with it, where it stands, what to do."""

from pathlib import Path

import pytest

from loadtest.nursery import Nursery
from server.setting_faults import fault, unknown
from server.settings import BadSetting, load
from tests.commanding import fireside

KNOWN = ("clara", "coach", "serenity")

WRONG = [
    ("listen.origins", ["a b c"], "'a b c' is no origin"),
    ("listen.origins", [""], "'' is no origin"),
    ("listen.origins", ["*"], "'*' is no origin"),
    ("listen.origins", ["kiosk.example"], "such as https://kiosk.example"),
    ("listen.origins", ["https://kiosk.example", "kiosk.example"], "'kiosk.example' is no origin"),
    ("listen.origins", ["https://kiosk.example/"], "write https://kiosk.example"),
    ("listen.origins", ["https://kiosk.example/page"], "write https://kiosk.example"),
    ("listen.origins", ["https://kiosk.example:443"], "write https://kiosk.example"),
    ("listen.origins", ["http://kiosk.example:80"], "write http://kiosk.example"),
    ("listen.origins", ["HTTPS://Kiosk.Example:8443"], "write https://kiosk.example:8443"),
    ("listen.origins", ["https://müller.example"], "write https://xn--mller-kva.example"),
    ("listen.origins", ["https://kiosk.example:99999"], "is no origin"),
    ("listen.origins", ["https://me@kiosk.example"], "is no origin"),
    ("listen.origins", ["wss://kiosk.example"], "is no origin"),
    ("listen.origins", ["https://"], "is no origin"),
    ("listen.origins", ["https://[::1"], "is no origin"),
    ("listen.origins", ["null"], "never let in"),
    ("listen.names", [""], "'' is no name of a machine"),
    ("listen.names", ["my box"], "'my box' is no name"),
    ("listen.names", ["fireside.local", "fireside.local:8765"], "without http://, port"),
    ("listen.names", ["http://fireside.local"], "is no name"),
    ("listen.names", ["*.local"], "is no name"),
    ("listen.names", ["fireside.local."], "is no name"),
    ("listen.names", ["-a.local"], "is no name"),
    ("listen.host", "", "write 127.0.0.1"),
    ("listen.host", " 127.0.0.1", "neither an address nor a name"),
    ("listen.host", "127.0.0.1:8765", "the port is listen.port's"),
    ("listen.host", "http://127.0.0.1", "neither an address nor a name"),
    ("listen.host", "[::1]", "::1"),
    ("data.folder", " ", "white space"),
    ("data.folder", "/var/lib/fireside ", "white space"),
    ("data.folder", "~/fireside", "write the whole path"),
    ("data.key_file", "~/key", "write the whole path"),
    ("companions.folder", "~/companions", "write the whole path"),
    ("model.api_key", "sk-1\n", "white space around it"),
    ("model.api_key", "schlüssel", "plain characters"),
    ("embedder.api_key", "two words", "is no key"),
]

RIGHT = [
    ("listen.origins", ("https://kiosk.example", "http://192.168.1.5:8080", "http://[fd00::5]:8080")),
    ("listen.origins", ("chrome-extension://abcdefgh", "capacitor://localhost", "app://-")),
    ("listen.names", ("fireside.local", "Fireside", "192.168.1.5", "fd00::5", "my_box")),
    ("listen.host", "::1"),
    ("listen.host", "fireside.local"),
    ("data.folder", "/var/lib/my fire~side"),
    ("model.api_key", "sk-1_x.Y=/+"),
    ("model.api_key", ""),
    ("data.folder", ""),
]


@pytest.mark.parametrize(("key", "value", "words"), WRONG)
def test_what_cannot_be_meant_is_refused_with_what_to_write(
    tmp_path: Path, key: str, value: object, words: str
) -> None:
    section, _, name = key.partition(".")
    file = tmp_path / "fireside.toml"
    shown = str(value).replace("\n", "\\n").replace("'", '"')
    file.write_text(
        f"[{section}]\n{name} = {shown if isinstance(value, list) else _quoted(value)}\n", "utf-8"
    )
    with pytest.raises(BadSetting) as refused:
        load(file, {})
    said = str(refused.value)
    assert said.startswith(f"{key} = ")
    assert f"(from {file})" in said
    assert words in said


def _quoted(value: object) -> str:
    return '"' + str(value).replace("\n", "\\n") + '"'


@pytest.mark.parametrize(("key", "value"), RIGHT)
def test_what_may_be_meant_is_taken(key: str, value: object) -> None:
    assert fault(key, value) is None


def test_a_secret_is_not_shown_where_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSetting) as refused:
        load(None, {"FIRESIDE_MODEL_API_KEY": "sécret"})
    assert "cret" not in str(refused.value)
    empty = tmp_path / "key"
    empty.touch()
    with pytest.raises(BadSetting, match="is empty"):
        load(None, {"FIRESIDE_MODEL_API_KEY_FILE": str(empty)})


def test_a_file_that_an_editor_marked_is_read(tmp_path: Path) -> None:
    file = tmp_path / "fireside.toml"
    file.write_text("[listen]\nport = 9000\n", encoding="utf-8-sig")
    assert load(file, {}).settings.listen.port == 9000


def test_a_companion_that_is_none_is_named_with_the_nearest() -> None:
    assert unknown(("coach", "clara"), KNOWN) is None
    assert unknown(("coach", "Clara"), KNOWN) == "there is no companion 'Clara'; did you mean clara?"
    assert unknown(("",), KNOWN) == "there is no companion ''; there are clara, coach, serenity"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ('[companions]\nallow_remote = ["klara"]', "there is no companion 'klara'; did you mean clara?"),
        ('[companions]\ndefault = "Coach"', "there is no companion 'Coach'; did you mean coach?"),
        ('[listen]\norigins = ["a b c"]', "'a b c' is no origin"),
        ('[contacts]\ncaregiver = [{name = "Eva", user = " ann"}]', "without space around it"),
        ('[contacts]\ncaregiver = [{name = "Eva", companion = "klara"}]', "there is no such companion"),
        ('[listen]\nhost = "0.0.0.0"', "fireside init --tls"),
    ],
)
def test_a_start_and_the_doctor_say_the_same(tmp_path: Path, born: Nursery, wrong: str, words: str) -> None:
    file = tmp_path / "fireside.toml"
    file.write_text(wrong)
    chosen = ("--config", str(file), "--data", str(tmp_path / "data"))
    started = fireside(born, "serve", "--model", "builtin", "--port", "0", *chosen)
    assert started.code == 2
    assert words in started.err
    looked = fireside(born, "doctor", *chosen)
    assert looked.code != 0
    assert words in looked.out + looked.err


def test_a_folder_of_companions_that_is_one_or_holds_none_is_said(tmp_path: Path, born: Nursery) -> None:
    own = tmp_path / "own"
    own.mkdir()
    looked = fireside(
        born, "doctor", "--data", str(tmp_path), environment={"FIRESIDE_COMPANIONS_FOLDER": str(own)}
    )
    assert f"none in {own}" in looked.out
    (own / "companion.toml").touch()
    looked = fireside(
        born, "doctor", "--data", str(tmp_path), environment={"FIRESIDE_COMPANIONS_FOLDER": str(own)}
    )
    assert "name the folder that holds it" in looked.out
