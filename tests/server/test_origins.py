"""Which pages may open a WebSocket, under which names the server answers, and who counts as near."""

import pytest
from websockets.datastructures import Headers

from server.origins import caller_of, host_allowed, origin_allowed
from server.settings import Listen

HOST = "fireside.local:8765"
LISTED = Listen(origins=("https://kiosk.example",), names=("fireside.local",))


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "https://evil.example",
        "https://kiosk.example.evil.example",  # a listed one as a prefix
        "https://evil-kiosk.example",  # and as a suffix
        "https://kiosk.example:8443",
        "http://kiosk.example",
        "https://KIOSK.example/",
        "http://fireside.local",
        "http://fireside.local:8765.evil.example",
        "http://evil.example/fireside.local:8765",
        "http://fireside.local:8765@evil.example",
        "file://fireside.local:8765",
        "http://[",
        "",
    ],
)
def test_an_origin_that_is_not_exactly_ours_or_listed_opens_nothing(origin: str) -> None:
    assert not origin_allowed(origin, HOST, LISTED)


@pytest.mark.parametrize("origin", [None, "http://fireside.local:8765", "https://kiosk.example"])
def test_this_site_a_listed_one_and_a_program_open_a_websocket(origin: str | None) -> None:
    assert origin_allowed(origin, HOST, LISTED)


@pytest.mark.parametrize(
    "host", ["evil.example", "fireside.local.evil.example", "notfireside.local", "", "kiosk"]
)
def test_a_name_that_is_not_ours_is_not_answered(host: str) -> None:
    assert not host_allowed(host, LISTED)


@pytest.mark.parametrize(
    "header",
    [
        "Forwarded",
        "X-Forwarded-For",
        "X-Real-IP",
        "x-forwarded-for",
        "X-Forwarded-Host",
        "X-Forwarded-Proto",
        "Via",
        "X-Client-IP",
        "True-Client-IP",
        "CF-Connecting-IP",
        "CDN-Loop",
        "X-Envoy-External-Address",
        "Tailscale-User-Login",
    ],
)
def test_who_comes_through_a_proxy_is_not_near(header: str) -> None:
    assert caller_of(Headers(Host=HOST), "127.0.0.1").near
    assert not caller_of(Headers({"Host": HOST, header: "203.0.113.7"}), "127.0.0.1").near
    assert not caller_of(Headers(Host=HOST), "192.168.1.4").near


def test_a_token_is_taken_from_its_header_and_from_no_other() -> None:
    assert caller_of(Headers({"Authorization": "Bearer abc"}), "::1").bearer == "abc"
    assert caller_of(Headers({"Authorization": "Basic abc"}), "::1").bearer is None
    assert caller_of(Headers({"Authorization": "Bearer "}), "::1").bearer is None
