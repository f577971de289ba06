"""The tables of the readers are whole: every frame can match, every need has words."""

from memory.recall_topics import default_needs
from memory.statements_frames import compiled, frames
from memory.statements_words import group_names


def test_every_pattern_of_every_frame_compiles() -> None:
    patterns = [pattern for frame in frames().all for pattern in frame.patterns]
    assert all(compiled(pattern.source) for pattern in patterns)


def test_every_group_that_a_frame_asks_for_exists() -> None:
    known = {f"@{name}" for name in group_names()} | {"@called"}
    asked = {word for frame in frames().all for word in frame.need | frame.without if word.startswith("@")}
    assert asked <= known


def test_every_need_of_a_topic_names_a_kind_and_a_group_that_exist() -> None:
    needs = default_needs()
    groups = set(needs.groups) | set(group_names())
    attributes = {frame.frame.attribute for frame in frames().all} | {"baby"}
    for topic in needs.topic:
        for name in topic.needs:
            kind, _, narrow = name.partition("/")
            assert kind in {frame.frame.kind for frame in frames().all}, (topic.name, name)
            assert not narrow or narrow in groups | attributes, (topic.name, name)
