"""What is kept apart within one person's memory: talks with parents, and what stands behind a message."""

from companions.changes import ConversationClosed, MessageSaid
from companions.events import Save
from companions.greeting import greeting
from tests.companions.pasts import ANN
from tests.companions.sitting import Sitting


def written(sitting: Sitting, kind: type[MessageSaid] | type[ConversationClosed]) -> list[object]:
    saves = (effect.change for effect in sitting.effects if isinstance(effect, Save))
    return [change for change in saves if isinstance(change, kind)]


def test_a_talk_with_parents_knows_nothing_of_the_student_and_leaves_nothing_behind() -> None:
    lesson = Sitting("maestro", remembered=ANN)
    parents = Sitting("maestro", remembered=ANN, session_type="parent")
    for sitting, knows in ((lesson, True), (parents, False)):
        prompt = sitting.exchange("Good evening, how is it going?")
        assert prompt is not None
        assert ("fraction" in prompt.system) is knows
        assert (greeting(sitting.companion, sitting.state, turn=0)[1] != ()) is knows
        sitting.close()
        said, over = written(sitting, MessageSaid)[0], written(sitting, ConversationClosed)[0]
        assert isinstance(said, MessageSaid)
        assert isinstance(over, ConversationClosed)
        assert said.begins is not None
        assert said.begins.parent_mode is not knows
        rules = sitting.policy_rules.settings
        assert ("facts" in rules.jobs_after(parents=not knows)) is knows
        assert [job.kind for job in over.jobs] == ["summary"]  # of the one id that was minted


def test_what_parents_state_is_not_carried_into_a_lesson_of_the_same_session() -> None:
    sitting = Sitting("maestro", session_type="parent")
    sitting.exchange("She is allergic to nuts, and I am allergic to cats.")
    sitting.close()
    assert sitting.state.remembered.stated == ()


def test_a_message_answered_late_knows_nothing_of_what_stands_behind_it() -> None:
    sitting = Sitting("extremis")
    sitting.say("First of all, what is a canal?")
    message = sitting.state.talk.messages[-1].id if sitting.state.talk else ""
    sitting.land()
    sitting.cancel()
    sitting.land()
    sitting.exchange("And what is a lock?", "A lock lifts boats.")
    sitting.regenerate(message)
    texts = "".join(each.text for each in sitting.prompts[-1].messages)
    assert "what is a canal" in texts
    assert "lock" not in texts.lower()


def test_a_message_that_waited_knows_the_answers_before_it() -> None:
    sitting = Sitting("extremis")
    sitting.say("What is a canal?")
    sitting.say("What is a lock?")
    sitting.land()
    sitting.piece("A canal is a waterway.")
    sitting.finish()
    sitting.land()
    assert "A canal is a waterway." in "".join(each.text for each in sitting.prompts[-1].messages)
