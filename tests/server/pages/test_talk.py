"""A talk on the page, from the first words to the last."""

import msgspec
import pytest
from playwright.async_api import Page, expect

from protocol.errors import error_frame
from protocol.session_frames import ConversationSnapshot, Model, Notice
from protocol.talk_frames import (
    MessageSend,
    ResponseCancel,
    ResponseDelta,
    ResponseRegenerate,
    SafetyShown,
)
from protocol.values import Resource, StoredMessage
from tests.server.pages.stage import AT, CONVERSATION, WORDS, Stage

pytestmark = pytest.mark.browser


async def opened(page: Page, played: Stage) -> None:
    await page.goto(f"{played.url}?companion=serenity")
    await expect(page.locator("#greeting")).to_have_text("Good morning. It is good to see you.")
    await expect(page.locator("#name")).to_have_text(played.companion["display_name"])


async def says(page: Page, text: str) -> None:
    await page.fill("#field", text)
    await page.click("#act")


async def test_an_answer_streams_and_stands(page: Page, played: Stage) -> None:
    await opened(page, played)
    await says(page, "The robins are back.")
    await expect(page.locator("article.user .text")).to_have_text("The robins are back.")
    send = await played.hears(MessageSend)
    assert send.text == "The robins are back."
    message = await played.takes(send)
    response = await played.begins(message)
    await played.streams(response, "How ", "lovely.", " They ")
    answer = page.locator("article.assistant .text")
    await expect(answer).to_have_text("How lovely. They ")
    await expect(page.locator("#act")).to_have_text("Stop")
    await played.streams(response, "sing.", start=3)
    await played.ends(response, message, "How lovely. They sing.")
    await expect(page.locator("#act")).to_have_text("Send")
    await expect(answer).to_have_text("How lovely. They sing.")
    await expect(page.locator("article")).to_have_count(2)
    assert await page.locator(".who").all_text_contents() == ["You", "Serenity"]


async def test_sentences_are_read_when_they_are_whole_and_the_persons_own_words_are_not(
    page: Page, played: Stage
) -> None:
    await opened(page, played)
    await says(page, "Hello.")
    message = await played.takes(await played.hears(MessageSend))
    response = await played.begins(message)
    await played.streams(response, "One is whole. ", "The next is ")
    await expect(page.locator("article.assistant .text")).to_have_text("One is whole. The next is ")
    region = page.locator("[role=log]")
    await expect(region).to_have_attribute("aria-live", "polite")
    assert await region.locator(".sentence").all_text_contents() == ["One is whole. "]
    await expect(region.locator("[aria-hidden=true]")).to_have_text("The next is ")
    await expect(page.locator("article.user")).to_have_attribute("aria-live", "off")
    await played.streams(response, "not.", start=2)
    await played.ends(response, message, "One is whole. The next is not.")
    await expect(region.locator(".sentence")).to_have_count(2)


async def test_stop_stops_and_what_was_said_stays(page: Page, played: Stage) -> None:
    await opened(page, played)
    await says(page, "Tell me a long story.")
    message = await played.takes(await played.hears(MessageSend))
    response = await played.begins(message)
    await played.streams(response, "Once upon a time. ")
    await expect(page.locator("article.assistant .text")).to_have_text("Once upon a time. ")
    await page.click("#act")
    await played.hears(ResponseCancel)
    await played.says(ResponseDelta(response=response, n=1, text="There was"))
    await played.ends(response, message, "Once upon a time. There was", status="cancelled")
    await expect(page.locator("#act")).to_have_text("Send")
    await expect(page.locator("article.assistant .text")).to_have_text("Once upon a time. ")
    await expect(page.locator("article.assistant")).to_have_count(1)


async def test_words_with_markup_stay_words(page: Page, played: Stage) -> None:
    nasty = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    played.companion = {
        **played.companion,
        "display_name": nasty,
        "help": [{"name": nasty, "contact": nasty}],
        "words": {**WORDS, "placeholder": nasty, "disclosure": nasty},
    }
    await opened(page, played)
    await says(page, nasty)
    await played.answers(await played.hears(MessageSend), nasty)
    await expect(page.locator("article.assistant .text")).to_have_text(nasty)
    await expect(page.locator("article.user .text")).to_have_text(nasty)
    assert await page.title() == nasty
    assert await page.locator("body img, body script").count() == 0


async def test_the_keyboard_is_enough(page: Page, played: Stage) -> None:
    await opened(page, played)
    await expect(page.locator("#field")).to_be_focused()
    await page.keyboard.type("One line")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("and another")
    await page.keyboard.press("Enter")
    assert (await played.hears(MessageSend)).text == "One line\nand another"
    await expect(page.locator("#field")).to_be_focused()
    await page.keyboard.press("Tab")
    await expect(page.locator("#act")).to_be_focused()
    await page.locator("fireside-help > button").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("dialog")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.locator("dialog")).to_be_hidden()


async def test_nothing_and_blanks_are_not_sent(page: Page, played: Stage) -> None:
    await opened(page, played)
    await page.click("#act")
    await says(page, "  \n ")
    await says(page, "Hello.")
    assert (await played.hears(MessageSend)).text == "Hello."
    await expect(page.locator("article")).to_have_count(1)


async def test_what_is_refused_comes_back_into_the_field_with_the_persons_words_alone(
    page: Page, played: Stage
) -> None:
    await opened(page, played)
    await says(page, "Very long.")
    send = await played.hears(MessageSend)
    await played.says(error_frame("message.too_long", re=send.id, ref="r-77"))
    await expect(page.locator("#status")).to_have_text(
        "That is a lot at once. Could you tell me in smaller pieces?"
    )
    await expect(page.locator("#field")).to_have_value("Very long.")
    await expect(page.locator("article")).to_have_count(0)
    shown = await page.locator("body").inner_text()
    for word in ("error", "Error", "limits", "r-77", "too_long", "one piece"):
        assert word not in shown


async def test_an_error_without_words_for_the_person_shows_none(page: Page, played: Stage) -> None:
    await opened(page, played)
    before = (await page.locator("body").inner_text()).split("\n")
    await played.says(error_frame("frame.invalid", ref="r-78"))
    await played.says(Notice(seq=played.seq(), code="note", say="Your daughter is looking on."))
    await expect(page.locator("#status")).to_have_text("Your daughter is looking on.")
    after = (await page.locator("body").inner_text()).split("\n")
    assert set(after) - set(before) == {"Your daughter is looking on."}


async def test_it_says_plainly_when_no_language_model_is_connected(page: Page, played: Stage) -> None:
    await opened(page, played)
    await expect(page.locator("#note")).to_be_hidden()
    played.model = Model(kind="builtin", name="builtin", connected=False)
    await page.reload()
    await expect(page.locator("#note")).to_have_text(WORDS["no_model"])


async def test_help_in_a_crisis_is_there_at_once_and_stays(page: Page, played: Stage) -> None:
    await opened(page, played)
    await says(page, "I fell and cannot get up.")
    send = await played.hears(MessageSend)
    await played.says(
        SafetyShown(
            seq=played.seq(),
            message="msg_1",
            category="medical",
            severity=3,
            say="Please call for help now.",
            resources=(Resource(name="Emergency services", contact="Call 112", hours="Day and night"),),
        )
    )
    card = page.locator("fireside-crisis[role=alert]")
    await expect(card).to_contain_text("Please call for help now.")
    await expect(card).to_contain_text("Call 112")
    await played.answers(send, "Help is on its way. ", "I am with you.")
    await says(page, "Thank you.")
    await played.answers(await played.hears(MessageSend), "You are welcome.")
    await expect(card).to_be_visible()
    await card.get_by_role("button").click()
    await expect(card).to_be_hidden()


async def test_help_is_in_reach_also_without_a_connection(page: Page, played: Stage) -> None:
    await opened(page, played)
    played.accepting = False
    await played.drops()
    await page.locator("fireside-help > button").click()
    sheet = page.locator("dialog")
    for words in ("Emergency services", "Call 112", "Day and night", "Samaritans", "Call 116 123, free"):
        await expect(sheet).to_contain_text(words)
    await expect(sheet).to_contain_text("not a human being")
    await sheet.get_by_role("button").click()
    await expect(sheet).to_be_hidden()


async def test_where_one_exchange_is_shown_the_one_before_is_gone(page: Page, played: Stage) -> None:
    """D15: the page shows the current exchange only."""
    played.companion = {**played.companion, "transcript": "current"}
    await opened(page, played)
    for _ in range(3):
        await says(page, "What day is it?")
        await expect(page.locator("article")).to_have_count(1)
        await played.answers(await played.hears(MessageSend), "It is Monday.")
        await expect(page.locator("article.assistant .text")).to_have_text("It is Monday.")
        await expect(page.locator("article")).to_have_count(2)


async def test_where_one_exchange_is_shown_words_said_meanwhile_wait_for_theirs(
    page: Page, played: Stage
) -> None:
    played.companion = {**played.companion, "transcript": "current"}
    await opened(page, played)
    await says(page, "First.")
    one = await played.takes(await played.hears(MessageSend))
    response = await played.begins(one)
    await played.streams(response, "About the first. ")
    await page.fill("#field", "Second.")
    await page.keyboard.press("Enter")
    two = await played.takes(await played.hears(MessageSend))
    await expect(page.locator("article.assistant .text")).to_have_text("About the first. ")
    await played.ends(response, one, "About the first. ")
    await played.streams(await played.begins(two), "About the second. ")
    await expect(page.locator("article.assistant .text")).to_have_text("About the second. ")
    assert await page.locator("article .text").all_text_contents() == ["Second.", "About the second. "]


async def test_an_answer_that_was_cut_short_can_be_begun_anew(page: Page, played: Stage) -> None:
    await opened(page, played)
    await says(page, "Tell me.")
    message = await played.takes(await played.hears(MessageSend))
    response = await played.begins(message)
    await played.streams(response, "It was ")
    await played.ends(response, message, "It was ", status="interrupted")
    await page.get_by_role("button", name="The last answer was cut short").click()
    again = await played.hears(ResponseRegenerate)
    assert again.message == message
    await expect(page.locator("#again")).to_be_hidden()


@pytest.mark.parametrize("unanswered", [True, False])
async def test_after_a_crash_the_same_talk_is_there_and_it_offers_to_go_on(
    page: Page, played: Stage, *, unanswered: bool
) -> None:
    said = StoredMessage(message="m1", role="user", text="Tell me.", position=0, at=AT, status="completed")
    cut = StoredMessage(
        message="m2", role="assistant", text="It was", position=1, at=AT, status="interrupted"
    )
    played.snapshot = ConversationSnapshot(
        seq=1,
        conversation=CONVERSATION,
        messages=(said,) if unanswered else (said, cut),
        unanswered=("m1",) if unanswered else (),
        response=None,
    )
    await page.goto(played.url)
    await expect(page.locator("article.user .text")).to_have_text("Tell me.")
    await expect(page.locator("article")).to_have_count(1 if unanswered else 2)
    await page.locator("#again").click()
    assert (await played.hears(ResponseRegenerate)).message == "m1"


async def test_a_slow_reader_is_given_whole_words_at_their_pace(page: Page, played: Stage) -> None:
    played.companion = {**played.companion, "pace_words_per_second": 2.0}
    await page.clock.install()
    await opened(page, played)
    await says(page, "Hello.")
    message = await played.takes(await played.hears(MessageSend))
    await page.clock.pause_at(await page.evaluate("Date.now() / 1000 + 1"))
    response = await played.begins(message)
    await played.streams(response, "One tw", "o. ", "Three four")
    answer = page.locator("article.assistant .text")
    await expect(answer).to_have_text("One ")
    await page.clock.run_for(400)
    await expect(answer).to_have_text("One ")
    await page.clock.run_for(200)
    await expect(answer).to_have_text("One two. ")
    await page.clock.run_for(500)
    await expect(answer).to_have_text("One two. Three ")
    await played.ends(response, message, "One two. Three four")
    await expect(page.locator("#act")).to_have_text("Stop")
    await page.clock.run_for(1_100)
    await expect(answer).to_have_text("One two. Three four")
    await expect(page.locator("#act")).to_have_text("Send")


async def test_events_of_a_newer_server_are_passed_over(page: Page, played: Stage) -> None:
    await opened(page, played)
    assert played.connection is not None
    await played.connection.send(msgspec.json.encode({"type": "weather.changed", "sky": "blue"}), text=True)
    await says(page, "Hello.")
    await played.answers(await played.hears(MessageSend), "Good morning.")
    await expect(page.locator("article.assistant .text")).to_have_text("Good morning.")
