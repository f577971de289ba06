"""Planning a turn: a companion's policy applied to a message and to the talk before it.

``PolicyRules`` is what the conversation's rules ask. Everything it decides is a pure function of the state, the
message and the companion; how well a message is read is the readers' business.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from companions.changes import AnyChange, JobKind, NarrativeUse
from companions.companion import Companion
from companions.events import Report, Resource, TellSafety
from companions.gathered import calmed, context_of, recalled_of, take_in, up_to, window_of
from companions.narratives import Narrative
from companions.orders import ordered
from companions.own_words import as_told, by_turns, reflection, safe_answer
from companions.policy import Policy
from companions.policy_safety import CrisisRule
from companions.policy_turn import NarrativeRole, Strategy
from companions.prompt import Assembled, Scene, Tone, assemble, lay_out, prepare
from companions.remembered import Permitted, Remembered, permit
from companions.resources import resources_for
from companions.speech import Judge, Manner
from companions.standing import standing
from companions.state import Alarm, Debounce, Folding, Plan, Settings, State, Waiting
from companions.stories import choose, near_to
from companions.talk import Talk, similarities, vector_of
from companions.telling_back import told_back
from companions.texts import crisis_words
from companions.used import memories_of
from memory.anchors import read_anchors
from memory.answers import Turn, judge, repaired
from memory.crisis import Crisis
from memory.reading import Before, Reading, read
from memory.window import in_turns

DISTRESSED = 0.35  # from here a story stands in for a model that is away, whatever was wanted
NO_STRATEGY = Strategy(repeats=0, warmth=0)


def _debounce(policy: Policy) -> Debounce | None:
    given = policy.session.debounce
    if given is None:
        return None
    return Debounce(quiet=float(given.quiet_seconds), messages=given.messages, most=float(given.most_seconds))


def _folding(policy: Policy) -> Folding | None:
    summary = policy.summary
    if summary is None or summary.during_over is None:
        return None
    return Folding(over=summary.during_over, keep=summary.during_keep, every=summary.during_every)


class PolicyRules:
    """One companion's rules of a turn."""

    def __init__(
        self,
        companion: Companion,
        *,
        acks_at_once: bool = False,
        felt: bool = False,
        meant: Mapping[str, bytes] = {},
    ) -> None:
        self.acks_at_once = acks_at_once  # an ack means received, and a word follows when it has landed
        self._felt = felt  # vectors are those that the emotion reader's head was trained on
        self._meant = meant  # vectors of stories, by their text, as far as they were made
        self.companion = companion
        self.policy = companion.policy
        self.texts = companion.texts
        recalls, dementia = self.policy.memory.recall != "never", self.policy.emotion.set == "dementia"
        self._read = partial(
            read, emotions="dementia" if dementia else "wellness", keeps=self.policy.keeps, recalls=recalls
        )
        self._settings = self._settings_of(companion.policy)

    @property
    def settings(self) -> Settings:
        """The durations of a conversation."""
        return self._settings

    def _settings_of(self, policy: Policy) -> Settings:
        jobs: tuple[JobKind, ...] = policy.session.jobs
        return Settings(
            silence=float(policy.session.silence_seconds),
            landing=0.0 if self.acks_at_once else 2.0,
            late_reason="debounced" if self.acks_at_once else "storage.busy",
            patience=policy.model.patience_seconds,
            hold=policy.answers.hold_seconds,
            words_per_second=policy.pacing.words_per_second,
            sentence_pause=policy.pacing.sentence_pause_ms / 1_000,
            jobs=jobs,
            debounce=_debounce(policy),
            folding=_folding(policy),
            regenerate=policy.session.regenerate,
            answers_after_crash=policy.session.after_crash == "answer",
            parent_mode=policy.session.parent_mode,
        )

    # ------------------------------------------------------------ reading

    def read(self, state: State, text: str, vector: Sequence[float] | None = None) -> Reading:
        """Read the person's next message against this conversation alone (D16)."""
        talk = state.talk
        lay_out(text)
        felt = vector if self._felt else None
        if talk is None:
            return self._read(text, Before(), vector=felt)
        said = [each.text for each in talk.messages if each.role == "user"]
        answers = [each.text for each in talk.messages if each.role == "assistant"]
        repeats = bool(self.policy.repetition.strategy)
        before = Before(
            said=said[-2:],
            answered=answers[-1] if answers else None,
            other=talk.other,
            distress=[row.distress for row in talk.emotions],
            asked=talk.asked if repeats else (),
            similarities=similarities(talk, vector) if repeats else None,
        )
        return self._read(text, before, vector=felt)

    def anchors(self, text: str) -> tuple[str, ...]:
        """Things named in an answer."""
        return read_anchors(text) if self.policy.memory.anchors != "never" else ()

    # ------------------------------------------------------------ safety before

    def alarm(self, state: State, message: str, reading: Reading) -> Alarm | None:
        """What a crisis calls for at once: fixed resources, and an alert where it is safe (D24, D25)."""
        crisis = reading.crisis
        if crisis is None:
            return None
        rule = self.policy.safety.rule(crisis.category)
        escalated = rule.action(crisis.severity) == "escalate"
        told = state.contacts.names(rule.recipients) if escalated else ()
        shown = crisis.severity >= rule.resources_from
        return Alarm(
            tell=self._help(state, message, crisis, told) if shown else None,
            level=crisis.severity,
            category=crisis.category,
            recipients=state.contacts.there(rule.recipients) if escalated else None,
        )

    def _help(self, state: State, message: str, crisis: Crisis, told: tuple[str, ...]) -> TellSafety:
        country = state.remembered.profile.country or self.policy.safety.country
        found = resources_for(self.companion.resources, crisis.category, country)
        return TellSafety(
            message=message,
            category=crisis.category,
            severity=crisis.severity,
            say=crisis_words(self.texts, crisis.category, told),
            resources=tuple(
                Resource(name=each.name, contact=each.contact, hours=each.hours) for each in found
            ),
        )

    def ordered(self, state: State, waiting: Waiting) -> tuple[AnyChange, ...]:
        """What a message orders to be remembered or forgotten, as the policy allows; with parents nothing (D27)."""
        if state.talk is not None and self._settings.with_parents(state.talk.session_type):
            return ()
        return ordered(self.companion, state, waiting)

    # ------------------------------------------------------------ the plan

    def plan(self, state: State, waiting: Waiting) -> Plan:
        """How a message is answered."""
        talk = state.talk
        assert talk is not None
        talk = up_to(talk, waiting)
        crisis = waiting.reading.crisis
        rule = self.policy.safety.rule(crisis.category) if crisis is not None else None
        if crisis is not None and rule is not None:
            action = rule.action(crisis.severity)
            if action == "redirect" or (action == "escalate" and not rule.model_speaks):
                return self._safe_plan(talk, crisis)
        return self._open_plan(state, talk, waiting, crisis, rule)

    def _permitted(self, state: State, talk: Talk) -> Permitted:
        """What the policy lets through of all that is remembered; of the student nothing to parents (D27)."""
        parents = self._settings.with_parents(talk.session_type)
        return permit(
            self.policy.memory,
            Remembered() if parents else state.remembered.without(talk.replaced),
            health=state.health,
            stated_here=talk.stated,
            anchors=talk.anchors,
        )

    def rest(self, state: State) -> None:
        """Take in what was said since the last turn, while nobody waits; what it comes to is kept for the next plan."""
        talk = state.talk
        if talk is None:
            return
        permitted = self._permitted(state, talk)
        take_in(permitted, state.remembered.index)
        summary = talk.summary if self.policy.memory.summaries != "never" else None
        standing(self.companion, permitted, session_type=self._session_type(talk), summary_here=summary)
        prepare(self.companion, in_turns(talk.messages)[-self.policy.window.messages :])

    def _safe_plan(self, talk: Talk, crisis: Crisis) -> Plan:
        """A safe answer from the bank; the model does not speak."""
        return Plan(
            prompt=None,
            own_words=safe_answer(self.texts, talk, crisis),
            own_source="safety",
            closing="",
            manner=self._manner(""),
            judge=_allow,
            intent=f"safety.{crisis.category}",
        )

    def _open_plan(
        self, state: State, talk: Talk, waiting: Waiting, crisis: Crisis | None, rule: CrisisRule | None
    ) -> Plan:
        reading = waiting.reading
        strategy = self.policy.repetition.at(reading.repeat_count) or NO_STRATEGY
        story = self._story(state, talk, waiting, strategy)
        role = self._story_role(story, reading, strategy)
        in_crisis = crisis is not None and rule is not None and rule.guides(crisis.severity)
        parents = self._settings.with_parents(talk.session_type)
        permitted = self._permitted(state, talk)
        scene = self._scene(state, talk, waiting, permitted, strategy)
        tone = self._tone(talk, reading, strategy, as_told(story) if story and role != "none" else None)
        scene = msgspec.structs.replace(
            scene,
            tone=msgspec.structs.replace(tone, story_role=role, style=waiting.style),
            crisis=self.texts.crisis.get(crisis.category) if in_crisis and crisis is not None else None,
            max_tokens=strategy.max_tokens,
        )
        made = assemble(self.companion, permitted, scene)
        back = None
        if crisis is None and not parents:
            back = told_back(self.companion, permitted, talk, waiting.message.text)
        own, own_use = (
            (back, None)
            if back is not None
            else self._own_words(talk, waiting, story, crisis if in_crisis else None)
        )
        return Plan(
            prompt=msgspec.structs.replace(made.prompt, own_words=own),
            own_words=own,
            own_source="safety" if in_crisis else "fallback",
            closing=by_turns(self.texts.safe_answers.closing, talk.message_count),
            manner=self._manner(made.prompt.system, self._given(made, waiting)),
            judge=self._judge(talk, waiting),
            going_on=self.texts.prompt["continue"],
            intent=reading.intent,
            narrative=self._use(story, reading, "seed") if role != "none" else None,
            own_narrative=own_use,
            anchors=story.anchors if story is not None and role != "none" else (),
            say=self.texts.words["shortened"] if made.shortened else None,
            report=_report(waiting, made),
            memories=memories_of(permitted, scene.recalled, made.used, made.dropped),
        )

    # ------------------------------------------------------------ the parts of a scene

    def _scene(
        self, state: State, talk: Talk, waiting: Waiting, permitted: Permitted, strategy: Strategy
    ) -> Scene:
        window = window_of(self.policy, talk, waiting)
        summary = talk.summary if self.policy.memory.summaries != "never" else None
        return Scene(
            session_type=self._session_type(talk, waiting.reading.crisis),
            message=waiting.message.text,
            window=window,
            recalled=recalled_of(self.policy, talk, waiting, permitted, window, state.remembered.index),
            summary_here=summary,
            max_tokens=strategy.max_tokens,
            context=context_of(self.policy, waiting.message),
            user=state.who.user,
        )

    def _session_type(self, talk: Talk, crisis: Crisis | None = None) -> str:
        """A conversation in crisis goes on as the kind of session made for it, where there is one."""
        severities = [row.crisis_severity for row in talk.emotions] + [crisis.severity if crisis else None]
        acute = any(severity is not None and severity >= 2 for severity in severities)
        types = self.policy.session.types
        meant = next((name for name, kind in types.items() if kind.crisis), None)
        return meant if acute and meant is not None else talk.session_type

    def _tone(self, talk: Talk, reading: Reading, strategy: Strategy, story: str | None) -> Tone:
        last = self.policy.emotion.tone_from_last
        if not last:
            return Tone(story=story)
        rows = [row.emotion for row in talk.emotions]
        feelings = tuple([*rows, reading.emotion][-last:])
        repeating = bool(self.policy.repetition.strategy)
        return Tone(
            feelings=feelings,
            direction=reading.trajectory,
            warmth=strategy.warmth if repeating else None,
            length=strategy.length if repeating else None,
            story=story,
        )

    def _story(self, state: State, talk: Talk, waiting: Waiting, strategy: Strategy) -> Narrative | None:
        stories, reading = self.policy.stories, waiting.reading
        pools = (strategy.category,) if strategy.category else stories.by_intent.get(reading.intent, ())
        pools = pools or (stories.fallback if reading.distress >= DISTRESSED else ())
        if not pools:
            return None
        return choose(
            self.companion.narratives,
            pools=pools,
            feeling=reading.emotion,
            prefer=strategy.prefer,
            told=talk.told,
            told_before=state.remembered.told_before,
            calmed_before=state.remembered.calmed_before,
            calmed=calmed(talk) if strategy.keep_what_calmed else (),
            likeness=near_to(
                [each for each in self.companion.narratives if each.category in pools],
                vector_of(state.talk or talk, waiting.message.id),
                self._meant,
            ),
        )

    def _story_role(self, story: Narrative | None, reading: Reading, strategy: Strategy) -> NarrativeRole:
        """What a story is for: what repetition calls for, else it is told when asked for, or colours comfort."""
        if story is None:
            return "none"
        if reading.intent == "story_request":
            return "primary"
        if strategy.narrative == "none" and reading.intent in ("calming_story", "grounding"):
            return "seed"
        return strategy.narrative

    def _use(self, story: Narrative | None, reading: Reading, mode: str) -> NarrativeUse | None:
        if story is None:
            return None
        return NarrativeUse(
            narrative=story.id,
            mode="seed" if mode == "seed" else "fallback",
            category=story.category,
            emotion=reading.emotion,
        )

    # ------------------------------------------------------------ the companion's own words

    def _own_words(
        self, talk: Talk, waiting: Waiting, story: Narrative | None, crisis: Crisis | None
    ) -> tuple[str, NarrativeUse | None]:
        """What the companion says by itself: a safe answer, a story with a word before it, or a reflection."""
        if crisis is not None:
            return safe_answer(self.texts, talk, crisis), None
        reading = waiting.reading
        own = reflection(self.texts, reading, talk)
        if story is not None and story.id not in talk.told:
            return f"{own} {as_told(story)}".strip(), self._use(story, reading, "fallback")
        return own, None

    def _given(self, made: Assembled, waiting: Waiting) -> tuple[str, ...]:
        """What a model may give back instead of an answer. Who works on given text may begin with that text."""
        if self.policy.memory.context != "never":
            return ()
        return made.prompt.messages[-1].text, waiting.message.text

    def _manner(self, system: str, given: tuple[str, ...] = ()) -> Manner:
        return Manner(
            guarded=self.policy.answers.guard,
            plain_speech="search_memory" not in self.policy.model.tools and self.policy.answers.guard,
            own_names=(self.companion.name, "Assistant", "AI"),
            opening_of_prompt=system[:200],
            said=given,
            most_held=self.policy.answers.hold_chars,
        )

    def _judge(self, talk: Talk, waiting: Waiting) -> Judge:
        if not self.policy.answers.guard:
            return _allow
        rules = frozenset(self.policy.answers.rules)
        window = [Turn(role=each.role, text=each.text) for each in talk.messages[-12:]]
        if not window or window[-1].text != waiting.message.text:
            window.append(Turn(role="user", text=waiting.message.text))

        def judged(shown: str, part: str) -> str | None:
            if judge(part, window, rules, shown=shown).allowed:
                return None
            remains = repaired(part, window, rules)
            return remains if remains and judge(remains, window, rules, shown=shown).allowed else ""

        return judged


def _allow(_shown: str, _part: str) -> str | None:
    return None


def _report(waiting: Waiting, made: Assembled) -> Report:
    return Report(
        response=waiting.ids.response,
        tokens=made.tokens,
        found=made.found,
        items=made.items,
        dropped=made.dropped,
    )
