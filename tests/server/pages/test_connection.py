"""What the page does when the connection, the server or the page itself goes away."""

import pytest
from playwright.async_api import Page, expect

from protocol.errors import error_frame
from protocol.session_frames import ResponseSnapshot, Resume, ServerDraining
from protocol.talk_frames import Durable, MessageAck, MessageSend, ResponseDelta
from tests.server.pages.stage import CONVERSATION, Stage
from tests.server.pages.test_talk import opened, says

pytestmark = pytest.mark.browser

NETWORK_IS_BACK = "dispatchEvent(new Event('online'))"  # the page comes back now, whatever its pause


async def test_a_connection_that_drops_in_mid_answer_goes_on_at_the_next_word(
    page: Page, played: Stage
) -> None:
    """B2: the page resumes and shows every word once."""
    await opened(page, played)
    await says(page, "Count for me.")
    message = await played.takes(await played.hears(MessageSend))
    response = await played.begins(message)
    await played.streams(response, "one ", "two ")
    answer = page.locator("article.assistant .text")
    await expect(answer).to_have_text("one two ")
    seq = played.events[-1].seq
    played.open = ResponseSnapshot(seq=0, response=response, message=message, text="one two three ", n=3)
    await played.drops()
    await expect(answer).to_have_text("one two three ")
    assert isinstance(played.hellos[-1].resume, Resume)
    assert (played.hellos[-1].resume.session, played.hellos[-1].resume.seq) == ("ses_1", seq)
    await played.streams(response, "four.", start=3)
    await played.ends(response, message, "one two three four.")
    await expect(answer).to_have_text("one two three four.")
    await expect(page.locator("article")).to_have_count(2)
    assert await played.said_nothing()


async def test_a_missing_piece_is_fetched_by_resuming(page: Page, played: Stage) -> None:
    await opened(page, played)
    await says(page, "Count.")
    message = await played.takes(await played.hears(MessageSend))
    response = await played.begins(message)
    played.open = ResponseSnapshot(seq=0, response=response, message=message, text="one two three ", n=3)
    await played.streams(response, "one ")
    await played.says(ResponseDelta(response=response, n=2, text="three "))
    await expect(page.locator("article.assistant .text")).to_have_text("one two three ")
    assert len(played.hellos) == 2


async def test_a_piece_that_came_before_is_not_shown_twice(page: Page, played: Stage) -> None:
    await opened(page, played)
    await says(page, "Count.")
    response = await played.begins(await played.takes(await played.hears(MessageSend)))
    await played.streams(response, "one ", "two ")
    await played.says(ResponseDelta(response=response, n=1, text="two "))
    await played.streams(response, "three ", start=2)
    await expect(page.locator("article.assistant .text")).to_have_text("one two three ")


async def test_a_short_break_is_not_noticed_and_a_long_one_is_told_quietly(page: Page, played: Stage) -> None:
    await page.clock.install()
    await opened(page, played)
    before = await page.locator("body").inner_text()
    played.accepting = False
    await played.drops()
    await played.is_knocked_at()
    await page.clock.run_for(3_000)
    assert await page.locator("body").inner_text() == before
    await page.clock.run_for(3_000)
    await expect(page.locator("#status")).to_have_text("Just a moment, we are connecting")
    played.accepting = True
    await page.evaluate(NETWORK_IS_BACK)
    await expect(page.locator("#status")).to_have_text("")


async def test_words_sent_while_away_are_on_the_screen_and_are_sent_once(page: Page, played: Stage) -> None:
    await opened(page, played)
    played.accepting = False
    await played.drops()
    await says(page, "Are you there?")
    await expect(page.locator("article.user .text")).to_have_text("Are you there?")
    played.accepting = True
    send = await played.hears(MessageSend)
    assert send.text == "Are you there?"
    await played.answers(send, "I am here.")
    await expect(page.locator("article.assistant .text")).to_have_text("I am here.")
    await expect(page.locator("article.user")).to_have_count(1)
    assert await played.said_nothing()


async def test_a_message_without_an_ack_is_sent_again_with_the_same_id(page: Page, played: Stage) -> None:
    await opened(page, played)
    await says(page, "Hello.")
    first = await played.hears(MessageSend)
    await played.drops()
    second = await played.hears(MessageSend)
    assert second == first
    await played.answers(second, "Hello to you.")
    await expect(page.locator("article.assistant .text")).to_have_text("Hello to you.")
    await expect(page.locator("article.user")).to_have_count(1)


async def test_a_message_without_an_ack_survives_a_reload_of_the_page(page: Page, played: Stage) -> None:
    await opened(page, played)
    await says(page, "Hello.")
    first = await played.hears(MessageSend)
    await page.reload()
    assert await played.hears(MessageSend) == first
    await expect(page.locator("article.user .text")).to_have_text("Hello.")


async def test_a_message_whose_ack_was_lost_is_not_shown_twice_after_a_reload(
    page: Page, played: Stage
) -> None:
    await opened(page, played)
    await says(page, "Hello.")
    first = await played.hears(MessageSend)
    await played.tells_message("msg_x", "user", "Hello.")
    await page.reload()
    assert await played.hears(MessageSend) == first
    await played.says(MessageAck(re=first.id, message="msg_x", conversation=CONVERSATION, durable=True))
    await expect(page.locator("article.user")).to_have_count(1)


async def test_what_is_not_durable_is_kept_until_it_is(page: Page, played: Stage) -> None:
    await opened(page, played)
    await says(page, "Hello.")
    first = await played.hears(MessageSend)
    message = await played.takes(first, durable=False)
    await page.reload()
    assert await played.hears(MessageSend) == first
    await played.says(MessageAck(re=first.id, message=message, conversation=CONVERSATION, durable=False))
    await played.says(Durable(messages=(message,), responses=()))
    await says(page, "And more.")
    assert (await played.hears(MessageSend)).text == "And more."
    await page.reload()
    assert (await played.hears(MessageSend)).text == "And more."


async def test_unsent_words_are_kept_over_a_reload(page: Page, played: Stage) -> None:
    await opened(page, played)
    await page.fill("#field", "I was about to say")
    await page.reload()
    await expect(page.locator("#field")).to_have_value("I was about to say")


async def test_after_a_reload_the_same_talk_is_on_the_screen(page: Page, played: Stage) -> None:
    await opened(page, played)
    await says(page, "Hello.")
    await played.answers(await played.hears(MessageSend), "Good ", "morning.")
    await expect(page.locator("article.assistant .text")).to_have_text("Good morning.")
    await page.reload()
    await expect(page.locator("article .text")).to_have_text(["Hello.", "Good morning."])


async def test_a_session_that_is_gone_begins_anew_and_loses_no_words(page: Page, played: Stage) -> None:
    await opened(page, played)
    await says(page, "Hello.")
    first = await played.hears(MessageSend)
    played.resumes = False
    await played.drops()
    assert await played.hears(MessageSend) == first
    await expect(page.locator("article.user .text")).to_have_text("Hello.")


async def test_what_can_be_tried_again_is_tried_again_by_itself(page: Page, played: Stage) -> None:
    await opened(page, played)
    await says(page, "Hello.")
    first = await played.hears(MessageSend)
    await played.says(error_frame("session.busy", re=first.id, ref="r"))
    assert await played.hears(MessageSend) == first


async def test_a_page_that_was_replaced_comes_back_when_somebody_talks(page: Page, played: Stage) -> None:
    await page.clock.install()
    await opened(page, played)
    await played.closes(4504)
    await expect(page.locator("#status")).to_have_text("This talk has come to its end.")
    await page.clock.run_for(120_000)
    assert len(played.hellos) == 1
    await says(page, "Hello.")
    assert (await played.hears(MessageSend)).text == "Hello."
    assert len(played.hellos) == 2


async def test_a_server_that_drains_says_when_to_come_back(page: Page, played: Stage) -> None:
    await page.clock.install()
    await opened(page, played)
    await page.clock.pause_at(await page.evaluate("Date.now() / 1000 + 1"))
    await played.says(ServerDraining(seq=played.seq(), reconnect_after_ms=3_000))
    await played.closes(4001)
    await page.clock.run_for(2_900)
    assert len(played.hellos) == 1
    await page.clock.run_for(3_000)
    await says(page, "Hello.")
    await played.hears(MessageSend)
    assert len(played.hellos) == 2


async def test_a_connection_that_died_without_a_word_is_noticed(page: Page, played: Stage) -> None:
    await page.clock.install()
    await opened(page, played)
    played.dead = played.connection
    await page.clock.run_for(40_000)
    await says(page, "Hello.")
    await page.evaluate(NETWORK_IS_BACK)
    await played.hears(MessageSend)
    assert len(played.hellos) == 2


async def test_a_second_window_does_not_send_the_words_of_the_first(page: Page, played: Stage) -> None:
    await opened(page, played)
    await says(page, "From the first.")
    await played.hears(MessageSend)
    second = await page.context.new_page()
    await opened(second, played)
    await says(second, "From the second.")
    assert (await played.hears(MessageSend)).text == "From the second."
    await expect(second.locator("article")).to_have_count(1)
