"""Those who look on at the talk of one session: shown a copy of it as it comes, and shown to the person."""

from typing import TYPE_CHECKING

from actors.client import Onlooker
from actors.telling import numbered, unnumbered
from companions.events import SendDelta, TellClosed, TellDurable
from companions.watching import Sight, Told
from protocol.frames import Event
from protocol.session_frames import Notice

if TYPE_CHECKING:
    from actors.session import Session

HERE = "{names} can read along now, while we talk."
ALONE = "We are by ourselves again."


class Watching:
    """The onlookers of one session, by its open talk."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._there: dict[Onlooker, Sight] = {}
        self._named = ""  # who the person was told of last

    async def begin(self, onlooker: Onlooker) -> None:
        """Somebody looks on; the person is told."""
        self._there[onlooker] = Sight()
        await self._tell_changed()

    async def end(self, onlooker: Onlooker) -> None:
        """They look on no longer; the person is told, of several who leave at once together."""
        if self._there.pop(onlooker, None) is not None:
            onlooker.over()
            await self._tell_changed()

    async def _tell_changed(self) -> None:
        if self._names() != self._named:
            await self.tell()

    def _names(self) -> str:
        return " and ".join(dict.fromkeys(each.name for each in self._there if each.sees))

    async def tell(self) -> None:
        """Who is there, in the companion's words."""
        names = self._named = self._names()
        code, say = ("watch.started", HERE.format(names=names)) if names else ("watch.ended", ALONE)
        await self._session.announce(lambda seq: Notice(seq=seq, code=code, say=say))

    async def greeted(self) -> None:
        """A client came: it shows who is there."""
        if self._names():
            await self.tell()

    async def shown(self, told: Told) -> None:
        """Show a copy; who may not look on any more is not there from now on."""
        for onlooker, sight in list(self._there.items()):
            sees = not sight.shows(self._session.state, told) or onlooker.show(_copy(told))
            if not sees or isinstance(told, TellClosed):
                await self.end(onlooker)

    async def left(self) -> None:
        """The person has left the talk, and goes on without it: nobody looks on any longer, and they are told."""
        self.leave()
        await self._tell_changed()

    def leave(self) -> None:
        """The session is over."""
        for onlooker in self._there:
            onlooker.over()
        self._there.clear()


def _copy(told: Told) -> Event:
    return unnumbered(told, "") if isinstance(told, SendDelta | TellDurable) else numbered(told, 0)
