from typing import get_args

from memory.data import table
from memory.emotion import read_emotion
from memory.flags import FLAGS, read_flags
from memory.intent import Intent, read_intent
from memory.noticing import KINDS, Phrases, noticed
from memory.topics import read_topics


def test_the_tables_name_only_flags_and_intents_that_there_are() -> None:
    assert table("flags.toml", Phrases).keys() <= {*FLAGS}
    assert table("intents.toml", Phrases).keys() <= {*get_args(Intent)}


def test_what_was_noticed_once_serves_every_reader() -> None:
    text = "My sister is coming. I need to call the doctor, and could you tell me a story?"
    emotion, seen = read_emotion(text, "wellness"), noticed(text)
    assert {kind for kind in KINDS if seen.found[kind]} == {*KINDS}
    assert read_topics(seen) == read_topics(text)
    assert read_flags(seen, emotion, crisis=False) == read_flags(text, emotion, crisis=False)
    assert read_intent(seen, emotion) == read_intent(text, emotion)
