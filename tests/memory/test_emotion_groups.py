"""The grouping of GoEmotions' labels that the weights were trained and scored on (D33)."""

import ast
from pathlib import Path

import memory

TRAINER = Path(memory.__file__).parent.parent / "evaluation" / "train_emotion.py"


def test_the_trainer_groups_labels_as_decided() -> None:
    tree = ast.parse(TRAINER.read_text(encoding="utf-8"))
    values = [
        each.value
        for each in tree.body
        if isinstance(each, ast.Assign)
        and isinstance(each.targets[0], ast.Name)
        and each.targets[0].id == "GROUPS"
    ]
    groups: dict[str, str] = ast.literal_eval(values[0])
    assert {name: set(labels.split()) for name, labels in groups.items()} == {
        "joy": {"joy", "amusement", "excitement", "love", "pride"},
        "sadness": {"sadness", "grief", "disappointment", "remorse"},
        "anger": {"anger", "annoyance"},
        "anxious": {"nervousness"},
        "calm": {"relief"},
        "hopeful": {"optimism"},
        "grateful": {"gratitude"},
        "fear": {"fear"},
        "surprise": {"surprise"},
        "disgust": {"disgust"},
        "neutral": {"neutral"},
    }
