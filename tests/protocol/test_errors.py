from typing import get_args

import msgspec
import pytest

from protocol.errors import ERRORS, CloseCode, ErrorCode, comes_back, error_frame


def test_every_code_has_its_entry_and_every_entry_its_voices() -> None:
    assert list(ERRORS) == list(get_args(ErrorCode))
    assert all(kind.message and kind.hint for kind in ERRORS.values())


@pytest.mark.parametrize(
    ("code", "close"),
    [
        ("hello.required", 4501),
        ("auth.refused", 4502),
        ("protocol.unsupported", 4500),
        ("hello.repeated", None),
        ("frame.invalid", None),
        ("frame.unknown", None),
        ("companion.unknown", None),
    ],
)
def test_an_error_ends_the_connection_only_where_the_contract_says_so(
    code: ErrorCode, close: int | None
) -> None:
    assert ERRORS[code].close == close


def test_what_may_succeed_later_says_so() -> None:
    retryable = {code for code, kind in ERRORS.items() if kind.retryable}
    assert {"session.busy", "rate.limited"} < retryable
    assert not {"id.reused", "frame.invalid", "auth.forbidden", "message.too_long"} & retryable


@pytest.mark.parametrize(
    ("code", "back"),
    [
        *((code, True) for code in (1001, 1006, 1011, 4001, 4008, 4499)),
        *((code, False) for code in (1000, 1003, 1007, 1009, 4500, 4504, 4999)),
    ],
)
def test_a_close_code_says_whether_to_come_back(code: int, back: bool) -> None:
    assert comes_back(code) is back


def test_the_close_codes_are_those_of_the_contract() -> None:
    assert {1003, 1007, 1009, 4001, 4008, 4500, 4501, 4502, 4503, 4504} <= {int(code) for code in CloseCode}


def test_an_error_speaks_in_three_voices_with_the_companions_own_words() -> None:
    frame = error_frame("message.too_long", re="c1", ref="r1", say="In kleinen Stücken, bitte.")
    assert frame.say == "In kleinen Stücken, bitte."
    assert frame.message == ERRORS["message.too_long"].message
    assert frame.hint == ERRORS["message.too_long"].hint
    assert (frame.re, frame.ref, frame.retryable) == ("c1", "r1", False)


def test_an_error_about_no_command_names_none() -> None:
    sent = msgspec.json.decode(msgspec.json.encode(error_frame("hello.required", ref="r1")))
    assert "re" not in sent
    assert sent["say"] is None


def test_a_conflict_carries_what_stands_now() -> None:
    frame = error_frame("state.conflict", re="c1", ref="r1", current={"title": "Robins"})
    assert frame.current == {"title": "Robins"}
