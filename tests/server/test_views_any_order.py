"""In any order of consent, withdrawal, time, release and work no view holds what may not be seen (G16, D25)."""

import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from actors.ports import CommandRefused
from companions.care_changes import AlertReleased, ConsentDecided, NoteMade, ScopeSet
from companions.changes import AlertRaised, AnyChange, ExtractMade, Landed, SummaryMade
from companions.consenting import DAY_MS, Basis, Scope
from companions.state import Who
from protocol.care_frames import CareEmotions, CareHistory, CareNotes, CareRepetition, CareSummaries
from protocol.trend_frames import CareTrends
from protocol.values import Value
from server.care_pages import note_page
from server.care_timeline import emotion_page, repetition_now, summary_page, transcript_page, trends_now
from server.casting import companions
from storage.alerts import alerts_told
from storage.apply import apply_all
from storage.connection import inline
from storage.grants import Grant, digest_of, end, give
from storage.jobs import claim_job
from tests.storage.fresh import placed
from tests.storage.making import ANNA, answered, closed, emotion, job, raw, repetition, said

NOW = 1_767_344_400_000
CLARA = companions("")["clara"]
WHO = Who(user=ANNA, companion="clara", session="s", space="s")
GIVERS: dict[str, tuple[str, Basis]] = {
    "": ("", "self"),
    "grt_m": ("Maria", "legal_representative"),
    "grt_o": ("Otto", "best_interest"),
    "grt_p": ("Pia", "parent"),
}
SCOPES: tuple[Scope, ...] = ("trends", "summaries", "transcripts", "notes")
WORDLESS = ("trends", "summaries")  # what somebody's best interest reaches
SAID = {  # message: text, what it is read as, the word that tells of it, the feeling that does
    "msg_c_1": ("The quokplain roses bloom.", None, "quokplain", "calm"),
    "msg_c_3": ("My quokabuse son hits me.", "abuse", "quokabuse", "fearful"),
    "msg_c_5": ("I want to kill myself quokharm.", "self_harm", "quokharm", "sad"),
}
View: TypeAlias = Callable[[sqlite3.Connection, int], Value]
LATE = "Her quokabuse son hits her when nobody is there."  # as a model tells of it
VIEWS: dict[Scope, tuple[View, ...]] = {
    "trends": (
        lambda db, at: emotion_page(db, WHO, CareEmotions(id="1"), at),
        lambda db, at: repetition_now(db, WHO, CLARA, CareRepetition(id="2", days=366), at),
        lambda db, at: trends_now(db, WHO, CLARA, CareTrends(id="3"), at),
    ),
    "summaries": (lambda db, at: summary_page(db, WHO, CareSummaries(id="4"), at),),
    "transcripts": (lambda db, at: transcript_page(db, WHO, CareHistory(id="5", conversation="c"), at),),
    "notes": (lambda db, at: note_page(db, WHO, CareNotes(id="6"), at, "grt_p"),),
}
LEARNED = (
    {"topic": "roses", "learned": "Knows quokplain roses by their scent.", "evidence": ["msg_c_1"]},
    {"topic": "help", "learned": LATE, "evidence": ["msg_c_1"]},
    {"topic": "seeds", "learned": "She does not want to live any more, quokharm.", "evidence": ["msg_c_1"]},
    {"topic": "quokharm", "learned": "Says what quokharm is.", "evidence": ["msg_c_5"]},
)  # as a model may tell of it, whatever it was given
FOLDER = tempfile.mkdtemp(prefix="fireside-views-")
COUNT = iter(range(10_000_000))


def grant(name: str, role: str = "caregiver") -> Grant:
    return msgspec.convert(
        {
            "id": f"grt_{name}",
            "name": name,
            "role": role,
            "user": ANNA,
            "companion": "",
            "basis": None,
        },
        Grant,
    )


class AnyOrder(RuleBasedStateMachine):
    """Against a model that is written from the decisions: who has allowed what until when, and what was released."""

    def __init__(self) -> None:
        super().__init__()
        self.context = inline(placed(Path(FOLDER) / f"{next(COUNT)}.db"))
        self.db = self.context.__enter__().db
        self.at = NOW
        self.until: dict[tuple[str, Scope], int] = {}
        self.no: set[Scope] = set()
        self.released: set[str] = set()
        self.ended: set[str] = set()
        give(self.db, grant("m"), digest=digest_of("m"), at=1)
        give(self.db, grant("s", "safeguarding"), digest=digest_of("s"), at=1)
        for place, (message, (text, category, _, feeling)) in enumerate(SAID.items()):
            at = 2 * place + 1
            self.apply(said("c", at, text, at=NOW - 1_000 + at))
            read = emotion(
                message, feeling, crisis_category=category, crisis_severity=2 if category else None
            )
            self.apply(answered("c", at + 1, emotion=read, repetition=repetition(message)))
            if category:
                self.apply(self.raised(message, category))  # whatever it says: family is not told of abuse
        for giver in GIVERS:
            for scope in SCOPES:
                self.consents(giver, scope, 12)
        works = (job("j", last=6), job("n", "parent_note", last=6), job("l", "learnings", last=6))
        self.apply(closed("c", *works))
        claim_job(self.db, "j", worker="w", at=NOW, lease_ms=1)
        self.apply(self.summed("j", LATE))
        self.apply(self.noted("n", "c", "It was about quokplain."))
        self.apply(said("d", 1, at=NOW))
        self.apply(closed("d", job("m", "parent_note")))
        self.apply(self.noted("m", "d", LATE))
        self.apply(self.learned("l"))
        assert "roses by their scent" in (self.seen(VIEWS["notes"][0]) or "")

    def teardown(self) -> None:
        self.context.__exit__(None, None, None)

    def apply(self, change: AnyChange) -> None:
        assert apply_all(self.db, [change]) == [Landed()]

    def raised(self, message: str, category: str) -> AlertRaised:
        return AlertRaised(
            user=ANNA,
            companion="clara",
            at=NOW,
            alert=f"alr_{message}",
            conversation="c",
            message=message,
            category=category,
            level=2,
            recipients=("caregiver", "safeguarding"),
        )

    def summed(self, name: str, text: str) -> SummaryMade:
        return SummaryMade(
            user=ANNA,
            companion="clara",
            at=self.at,
            job=name,
            summary=f"sum_{name}",
            conversation="c",
            content=raw(msgspec.json.encode({"text": text}).decode()),
            covers_first=1,
            covers_last=6,
            partial=False,
            made_by="extract",
            tokens=1,
        )

    def noted(self, name: str, conversation: str, summary: str) -> NoteMade:
        return NoteMade(
            user=ANNA,
            companion="clara",
            at=self.at,
            job=name,
            note=f"nte_{conversation}",
            conversation=conversation,
            subject="Gardening",
            minutes=3,
            content=raw(msgspec.json.encode({"summary": summary, "highlights": [LATE]}).decode()),
            made_by="extract",
        )

    def learned(self, name: str) -> ExtractMade:
        content = raw(msgspec.json.encode(LEARNED).decode())
        return ExtractMade(
            user=ANNA,
            companion="clara",
            at=self.at,
            job=name,
            conversation="c",
            kind="learnings",
            content=content,
        )

    def may_see(self, scope: Scope) -> bool:
        alive = any(each == scope and self.at < until for (_, each), until in self.until.items())
        return alive and not (scope == "transcripts" and scope in self.no)

    @rule(giver=st.sampled_from(list(GIVERS)), scope=st.sampled_from(SCOPES), days=st.integers(1, 5))
    def consents(self, giver: str, scope: Scope, days: int) -> None:
        name, basis = GIVERS[giver]
        tenable = basis == "parent" if scope == "notes" else basis != "best_interest" or scope in WORDLESS
        change = ConsentDecided(
            user=ANNA,
            companion="clara",
            at=self.at,
            giver=giver,
            name=name,
            basis=basis,
            allow=True,
            scopes=(ScopeSet(f"cns_{next(COUNT)}", scope),),
            review_at=self.at + days * DAY_MS,
        )
        (outcome,) = apply_all(self.db, [change])
        assert isinstance(outcome, Landed) is tenable
        if tenable:
            self.until[giver, scope] = self.at + days * DAY_MS
            self.no -= {scope} if giver == "" else set()

    @rule(giver=st.sampled_from(list(GIVERS)), scope=st.sampled_from(SCOPES))
    def takes_back(self, giver: str, scope: Scope) -> None:
        name, basis = GIVERS[giver]
        self.apply(
            ConsentDecided(
                user=ANNA,
                companion="clara",
                at=self.at,
                giver=giver,
                name=name,
                basis=basis,
                allow=False,
                scopes=(ScopeSet(f"cns_{next(COUNT)}", scope),),
            )
        )
        says_no = giver == "" and scope == "transcripts"
        for other in GIVERS if says_no else (giver,):
            self.until.pop((other, scope), None)
        self.no |= {scope} if says_no else set()

    @rule()
    def the_person_says_no(self) -> None:
        self.takes_back("", "transcripts")

    @rule(days=st.integers(1, 4))
    def time_goes_by(self, days: int) -> None:
        self.at += days * DAY_MS

    @rule()
    def a_grant_ends(self) -> None:
        end(self.db, "grt_m", at=self.at)
        self.until = {key: until for key, until in self.until.items() if key[0] != "grt_m"}

    @rule(message=st.sampled_from(["msg_c_3", "msg_c_5"]), allow=st.booleans())
    def releases(self, message: str, allow: bool) -> None:
        self.apply(
            AlertReleased(
                user=ANNA,
                companion="clara",
                at=self.at,
                release=f"rel_{next(COUNT)}",
                alert=f"alr_{message}",
                grant="grt_s",
                name="s",
                allow=allow,
            )
        )
        self.released = self.released | {message} if allow else self.released - {message}

    @invariant()
    def every_view_shows_what_is_allowed_and_nothing_else(self) -> None:
        for scope, views in VIEWS.items():
            for view in views:
                shown = self.seen(view)
                assert (shown is not None) == self.may_see(scope), scope
                self.holds_nothing_kept(shown or "")
                if shown is not None and scope in ("summaries", "transcripts"):
                    assert ("quokabuse" in shown) == ("msg_c_3" in self.released)

    def seen(self, view: View) -> str | None:
        """What a view shows; None where consent does not allow it."""
        try:
            return msgspec.json.encode(view(self.db, self.at)).decode()
        except CommandRefused as refused:
            if refused.code != "policy.refused":
                raise
            return None

    def holds_nothing_kept(self, shown: str) -> None:
        for message, (_, category, word, feeling) in SAID.items():
            if category is not None and message not in self.released:
                assert word not in shown
                assert f'"{feeling}"' not in shown

    @invariant()
    def of_abuse_family_hears_nothing(self) -> None:
        told = alerts_told(self.db, grant("m"))
        assert [each.category for each in told] == ["self_harm"]


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(max_examples=20, stateful_step_count=10, deadline=None)
