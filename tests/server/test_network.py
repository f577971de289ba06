"""A server does not open itself to a network by accident."""

import pytest

from server.listener import check_network
from server.settings import BadSetting, Listen


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.0.0.53"])
def test_this_machine_is_served(host: str) -> None:
    check_network(Listen(host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "kiosk.local"])
def test_a_network_is_refused_in_words_that_say_what_to_do(host: str) -> None:
    with pytest.raises(BadSetting, match=r"listen\.host = .*plain_network = true"):
        check_network(Listen(host=host))
    check_network(Listen(host=host, plain_network=True))
