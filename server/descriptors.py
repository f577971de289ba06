"""File descriptors: each connection takes one, and without any left nothing can be opened, the store included."""

import resource

from msgspec.structs import replace

from server.settings import Limits

KEPT = 80
"""Descriptors that connections leave: the store with its log and readers, copies, model servers, pages, the log."""


def most_connections(asked: int) -> int:
    """How many connections may be served at once: as many as ``asked``, if this process may open so many files.

    The process takes as many as it is allowed to (the hard limit, ``ulimit -Hn``) if that helps.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = asked + KEPT
    if _less(soft, wanted):
        soft = wanted if not _less(hard, wanted) else hard
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return asked if not _less(soft, wanted) else max(1, soft - KEPT)


def as_served(limits: Limits) -> Limits:
    """The limits with as many connections as can be served."""
    return replace(limits, connections=most_connections(limits.connections))


def _less(limit: int, wanted: int) -> bool:
    return limit != resource.RLIM_INFINITY and limit < wanted
