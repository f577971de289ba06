"""Pasts of a person: everything that may be remembered of somebody, to be told from everything else."""

from companions.remembered import Caregiver, CheckIn, FactLine, Health, Lately, PastTalk, Profile, Remembered
from memory.check_ins import Habits
from memory.recall import Stated
from memory.slopes import Trend
from memory.statements import read_statements

ANN = Remembered(
    profile=Profile(
        name="Annabel Reed",
        preferred_name="Ann",
        age=42,
        pronouns="she/her",
        primary_goals=("sleep better", "say no more often"),
        secondary_goals=("paint again",),
        communication_style="direct",
        session_length="brief",
        topics_to_avoid=("my brother",),
        coping_strategies=("a walk by the canal", "breathing out slowly"),
        crisis_contact="her friend Mira",
        therapist="Dr. Osei, on Thursdays",
        country="GB",
    ),
    caregiver=Caregiver(
        preferred_name="Annie",
        known_topics=("roses", "the dog Bramble"),
        avoid_topics=("the old house",),
        routine=("tea at four", "a walk after lunch"),
    ),
    check_in=CheckIn(
        on="2026-03-02",
        mood=4,
        sleep=5,
        anxiety=7,
        stressors=("a move to a new team",),
        wins=("called her mother",),
    ),
    lately=Lately(
        trends=(
            ("mood", Trend(direction="falling", per_week=-0.8, entries=9, days=8, span=26)),
            ("sleep", Trend(direction="steady", per_week=0.1, entries=7, days=7, span=26)),
        ),
        habits=Habits(talks=14, minutes=18, parts=("evening",)),
        days_since=3,
    ),
    facts=(
        FactLine(id="fct_1", category="identity", text="Works as a paramedic", confidence=0.9),
        FactLine(
            id="fct_2",
            category="preference",
            text="Likes short answers",
            confidence=0.95,
            pinned=True,
            on="2026-02-11",
            origin="edited",
        ),
        FactLine(id="fct_3", category="trigger", text="Sirens at night keep her awake", confidence=0.7),
        FactLine(id="fct_4", category="strategy", text="Writing a list before bed helps", confidence=0.6),
        FactLine(id="fct_5", category="goal", text="Wants to run ten kilometres by June", confidence=0.5),
        FactLine(id="fct_6", category="technical", text="Writes Python 3.11 on Linux", confidence=0.8),
        FactLine(id="fct_7", category="work", text="Is on the release team", confidence=0.8),
    ),
    summaries=(
        PastTalk(id="sum_1", on="2026-02-20", part="evening", text="Spoke of a hard shift and little sleep."),
        PastTalk(
            id="sum_2", on="2026-03-01", part="morning", text="Planned to call her mother; felt lighter."
        ),
    ),
    key_facts=("Prefers worked examples", "Chose to practise fractions first", "Can now add fractions"),
    topics=("fractions", "number lines"),
    told_before=("calm-rain-window",),
)
HEALTH = Health(lines=("Sleep: 5 h 40 min last night", "Resting heart rate: 64", "Mindful minutes: 10"))


def stated(message: str, text: str, position: int) -> Stated:
    """What a person stated in a message, as it is kept."""
    return Stated(message_id=message, position=position, statements=read_statements(text), text=text)
