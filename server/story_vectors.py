"""The stories' vectors: made once a start, beside the talk, so that what is told can fit what was said (D17).

Until they are there, and where an embedder never answers, stories are chosen without them.
"""

from collections.abc import Iterable

import anyio
import structlog

from companions.companion import Companion
from companions.ports import Embedder, ModelError
from generation.timely import head_and_tail
from memory.vectors import packed
from server.vectorizer import BATCH, REST_SECONDS

log: structlog.stdlib.BoundLogger = structlog.get_logger("stories")


async def stories_meant(
    embedder: Embedder,
    companions: Iterable[Companion],
    meant: dict[str, bytes],
    rest: float = REST_SECONDS[0],
) -> None:
    """Put the vector of every story into ``meant``, by its text.

    An embedder that is away is asked again after ``rest``, each time after twice as long.
    """
    texts = tuple(dict.fromkeys(story.text for each in companions for story in each.narratives))
    while waiting := [text for text in texts if text not in meant][:BATCH]:
        try:
            vectors = await embedder.embed([head_and_tail(text) for text in waiting])
            meant.update(zip(waiting, map(packed, vectors), strict=True))
        except ModelError as error:
            log.info("stories.wait", fault=error.fault, seconds=rest)
            await anyio.sleep(rest)
            rest = min(2 * rest, REST_SECONDS[1])
    log.info("stories.meant", stories=len(meant))
