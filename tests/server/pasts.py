"""A past in the store: for everybody, with every companion, a canary in every kind of memory there is.

It is written by the store's own functions, also where a companion's policy would never have let it be made.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from companions.care_changes import CareContextGiven
from companions.changes import (
    AnyChange,
    ConversationClosed,
    JobSpec,
    Landed,
    MoodCheckedIn,
    ProfileSet,
    SummaryMade,
)
from companions.fact_changes import FactsProposed, Keeping, Proposal
from memory.statements import Statement, read_statements
from protocol.person_frames import Profile
from storage.apply import apply_groups
from storage.connection import inline, transacted
from tests.server.canaries import Ledger, Place
from tests.storage.fresh import placed
from tests.storage.making import answered, begins, emotion, narrative, repetition, said


def write_past(file: Path, ledger: Ledger, users: tuple[str, ...], companions: tuple[str, ...]) -> None:
    """Write what everybody has told everybody before."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with inline(placed(file)) as store:
        for user in users:
            for companion in companions:
                changes = past(ledger, user, companion)
                store.db.execute("BEGIN IMMEDIATE")
                outcomes = apply_groups(store.db, [(change,) for change in changes])
                store.db.execute("COMMIT")
                assert outcomes == [Landed()] * len(changes), outcomes


def past(ledger: Ledger, user: str, companion: str) -> Sequence[AnyChange]:
    """One person's past with one companion: a closed talk, its summary and facts, a profile, a check-in."""
    name = f"cnv_{user}_{companion}".replace("/", "_")
    who: dict[str, Any] = {"user": user, "companion": companion}  # Any: keywords of structs

    def word(place: Place) -> str:
        planted = ledger.plant(place, user, companion)
        planted.conversation = name
        return planted.word

    text = f"I am allergic to walnuts and {word('said')}."
    message = f"msg_{name}_1"
    stated = msgspec.Raw(msgspec.json.encode(read_statements(text)))
    jobs = (
        JobSpec(id=f"job_summary_{name}", kind="summary", first=1, last=2),
        JobSpec(id=f"job_facts_{name}", kind="facts", first=1, last=2),
    )
    summary = {
        "text": word("summary"),
        "quote": word("summary"),
        "topics": [word("topic")],
    }
    kept = word("key_fact" if companion.startswith("maestro") else "fact")
    fact = Proposal(
        fact=f"fct_{name}",
        statement=Statement(kind="preference", value=kept, attribute="likes"),
        category="preference",
        evidence=(message,),
    )
    profile = Profile(name=word("profile"), primary_goals=(word("profile"),), therapist=word("profile"))
    return [
        said(name, 1, text, **who, statements=stated, new=begins(word("said"))),
        answered(
            name,
            2,
            f"I keep {word('answer')} in mind.",
            **who,
            anchors=(word("said"),),
            narrative=narrative("calm-rain-window"),
            emotion=emotion(message, "sad", distress=0.9),
            repetition=repetition(message, count=6),
        ),
        ConversationClosed(**who, at=3_000, conversation=name, reason="asked", jobs=jobs),
        SummaryMade(
            **who,
            at=3_001,
            job=jobs[0].id,
            summary=f"sum_{name}",
            conversation=name,
            content=msgspec.Raw(msgspec.json.encode(summary)),
            covers_first=1,
            covers_last=2,
            partial=False,
            made_by="extract",
            tokens=20,
        ),
        FactsProposed(
            **who,
            at=3_002,
            job=jobs[1].id,
            conversation=name,
            made_by="statements",
            keeping=Keeping(),
            proposals=(fact,),
        ),
        ProfileSet(**who, at=3_003, profile=msgspec.Raw(msgspec.json.encode(profile))),
        MoodCheckedIn(
            **who, at=3_004, check_in=f"chk_{name}", conversation=None, mood=3, stressors=(word("check_in"),)
        ),
    ]


def write_care(path: Path, ledger: Ledger, users: Sequence[str], companions: Sequence[str]) -> None:
    """What those who care for each person told each companion, whether it may know of it or not."""
    changes: list[tuple[CareContextGiven]] = []
    with inline(path) as store:
        for user in users:
            for companion in companions:
                name, topic = (ledger.plant("caregiver", user, companion).word for _ in range(2))
                told = {"preferred_name": name, "known_topics": [topic]}
                change = CareContextGiven(
                    user=user,
                    companion=companion,
                    at=3_005,
                    name="Maria",
                    context=msgspec.Raw(msgspec.json.encode(told)),
                )
                changes.append((change,))
        transacted(store.db, lambda db: apply_groups(db, changes))
