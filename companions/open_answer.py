"""The open answer as events of its stream find it, and what the model's tools add to it."""

from msgspec.structs import replace

from companions.events import ModelFailed, ModelFinished, PieceCame, ToolAsked, ToolFound
from companions.state import Responding, State, Step
from companions.used import with_found


def open_phase(
    state: State, event: PieceCame | ToolAsked | ToolFound | ModelFinished | ModelFailed
) -> Responding | None:
    """The open answer, unless the event is a late one of a stream that is over."""
    phase = state.phase
    if not isinstance(phase, Responding) or phase.over is not None:
        return None
    return phase if (phase.response, phase.attempts) == (event.response, event.attempt) else None


def tool_asked(state: State, event: ToolAsked) -> Step:
    """Tools are run by the session's actor within its bounds; what was called is kept with the answer."""
    phase = open_phase(state, event)
    if phase is None:
        return state, []
    return replace(state, phase=replace(phase, calls=(*phase.calls, *event.calls))), []


def tool_found(state: State, event: ToolFound) -> Step:
    """What a tool found is before the model too: kept with the answer, for whoever asks why."""
    phase = open_phase(state, event)
    if phase is None:
        return state, []
    plan = replace(phase.plan, memories=with_found(phase.plan.memories, event.messages))
    return replace(state, phase=replace(phase, plan=plan)), []
