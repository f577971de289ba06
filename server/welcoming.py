"""What a hello asks for, and the welcome that answers it."""

from collections.abc import Sequence

from msgspec import UNSET

from actors.sessions import Wanted
from companions.companion import Companion
from companions.ports import LanguageModel
from protocol.errors import ERRORS, ErrorCode
from protocol.session_frames import Hello, Limits, Model, Welcome
from server.entrance import Entrant
from server.settings import Limits as LimitSettings

QUEUE = 4
MESSAGE_CHARS = 200_000
_WITHOUT_TALK = {"caregiver": "care", "safeguarding": "care", "admin": "devices", "pairing": "pairing"}


def wanted(hello: Hello, default: str, *, shared: bool = False) -> Wanted:
    """What hello asks for. On a shared device no talk of who has a PIN is gone back to, but its own."""
    resume = None if hello.resume is UNSET else hello.resume
    return Wanted(
        companion=default if hello.companion is UNSET else hello.companion,
        conversation=None if hello.conversation is UNSET or shared else hello.conversation,
        session_type=None if hello.session_type is UNSET else hello.session_type,
        resume_session=resume.session if resume is not None else None,
        resume_seq=resume.seq if resume is not None else None,
        resume_epoch=resume.epoch if resume is not None else None,
    )


def known_code(code: str) -> ErrorCode:
    """``code`` as one of the wire's; a fault of ours where it is none."""
    for known in ERRORS:
        if known == code:
            return known
    return "server.failed"


def welcome(
    hello: Hello,
    session: str,
    entrant: Entrant,
    *,
    companion: Companion,
    limits: LimitSettings,
    epoch: str,
    model: LanguageModel,
    resumed: bool,
    seq: int,
    conversation: str | None,
) -> Welcome:
    """The answer to ``hello``."""
    return Welcome(
        re=hello.id,
        session=session,
        resumed=resumed,
        seq=seq,
        epoch=epoch,
        companion=companion.id,
        user=entrant.user,
        role=entrant.role,
        conversation=conversation,
        limits=Limits(
            frame_bytes=limits.frame_bytes,
            message_chars=MESSAGE_CHARS,
            queue=QUEUE,
            commands_per_s=limits.commands_per_second,
            heartbeat_s=limits.heartbeat_seconds,
        ),
        features=tuple(_features(entrant, companion)),
        model=Model(kind=model.kind, name=model.name, connected=model.connected),
        name=entrant.name,
    )


def _features(entrant: Entrant, companion: Companion) -> Sequence[str]:
    if entrant.role not in ("device", "person"):
        return [_WITHOUT_TALK[entrant.role]]
    features = [*entrant.features]
    features += ["regenerate"] if companion.policy.session.regenerate else []
    features += ["health"] if companion.policy.memory.health != "never" else []
    features += ["check_in"] if companion.policy.memory.check_in != "never" else []
    return features
