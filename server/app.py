"""The server, from start to stop: read downwards it starts, upwards it stops.

The store is opened and what a crash left is ended; the model is chosen; writer, summarizer and extractor run; the
door opens. Stopping: clients are told to come back later, open answers finish or are cut, the last writes land,
the store is closed.
"""

import random
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import anyio
import structlog

from actors.aftermath import Channel, Taker
from actors.landing import land
from actors.mail import Mail
from actors.ports import Services
from actors.runtime import Address, kept_running, running
from actors.sessions import Sessions
from actors.writer import Writer
from companions.changes import AnyChange, Landed, Outcome
from companions.companion import Companion
from companions.events import Report
from companions.ports import LanguageModel
from companions.state import Who
from companions.unsaying import Unsaid
from generation.builtin import Builtin
from generation.choose import choose, language_model
from server import opening
from server.addresses import address_for_devices
from server.aftercare import aftercare, nudging
from server.allowance import rationed
from server.attending import Attending
from server.care import Care
from server.casting import at_home, casts, companions
from server.collector import seldom_collector
from server.committing import committing
from server.connection import Door
from server.contacts import contacts_of, with_grants
from server.copying import DailyCopies
from server.descriptors import as_served
from server.desk import StoreDesk
from server.entrance import Entrance
from server.erasing import Erasures
from server.health import Health
from server.ids import mint, new_id, now_ms
from server.indexer import Indexer
from server.job_keeper import JobKeeper
from server.keys import unlocked
from server.listener import Site, check_network, listening
from server.metrics import Metrics
from server.models import (
    check_embedder,
    check_local,
    embedding,
    meanings,
    model_settings,
    tells_feelings,
    vectors,
    without_health,
)
from server.order_line import STORE_FILE as STORE_FILE
from server.order_line import taking_orders
from server.ordering import Ordering
from server.pace import Pace
from server.page_data import page_data
from server.pairing import Pairing
from server.pins import Pins
from server.presence import Presence
from server.restoring import Watch, made_whole
from server.retention import Retention
from server.scrubber import Scrubber
from server.settings import Settings
from server.spilling import mending, spilling
from server.static import pages
from server.story_vectors import stories_meant
from server.sweeper import Sweeper
from server.telling_person import owing
from server.tickets import Tickets
from server.tls import authority_page, renewing, tls_of
from server.vectorizer import Vectorizer, searched
from server.warmth import Warmth
from storage.connection import ThreadStore
from storage.lock import held
from storage.patience import Patient
from storage.refusals import StoreRefused
from storage.restoring import Restored
from storage.sizes import sizes

WRITER_MAILBOX = 1_000
WRITER_GRACE = 10.0
DEBOUNCE_SECONDS = 1.5  # what was received is flushed within 2 s
JITTER_MS = (500, 5_000)

log: structlog.stdlib.BoundLogger = structlog.get_logger("server")


@dataclass(frozen=True, kw_only=True)
class Running:
    """A server that serves."""

    host: str
    port: int
    model: LanguageModel
    why: str
    companion: Companion
    open_mode: bool
    secure: bool
    again: anyio.Event  # the store asks for a start: it was damaged, or can be used now


@asynccontextmanager
async def server(settings: Settings) -> AsyncGenerator[Running]:
    """Serve while the block runs.

    Raises ``FolderHeld``, ``PolicyError``, ``BadSetting`` and ``BadModelNameError`` before it
    serves, each with words for the operator.
    """
    began = time.monotonic()
    seldom_collector()
    found = companions(settings.companions.folder)
    default = at_home(settings.companions, found)
    tls = await anyio.to_thread.run_sync(tls_of, settings.folder)
    check_network(settings.listen, secure=tls is not None)
    unlocked(settings)
    chosen = await choose(model_settings(settings))
    check_local(chosen.model, found.values(), settings.companions.allow_remote)
    found = without_health(found, chosen.model)
    contacts = contacts_of(settings.contacts, found)
    chosen_embedder = check_embedder(settings, found.values())
    stories: dict[str, bytes] = {}  # their vectors, made while people talk already
    debounced = settings.data.durability == "debounced"
    cast = casts(found, acks_at_once=debounced, felt=tells_feelings(chosen_embedder), meant=stories)
    metrics = Metrics()
    with held(settings.folder), spilling(settings.folder) as (kept_aside, spill_file):
        path = settings.folder / STORE_FILE
        mended = await anyio.to_thread.run_sync(made_whole, path)
        restored = mended if isinstance(mended, Restored) else None
        unusable = mended if isinstance(mended, StoreRefused) else None
        async with opening.found(path, settings.data.durability, spill_file, unless=unusable) as opened:
            store, absent, this_epoch = opened.store, opened.absent, opened.epoch
            patient = Patient(store)  # for who waits for an answer
            watch = Watch(path, absent=absent.code if absent else None, restored=restored is not None)
            if isinstance(store, ThreadStore):
                store.damaged = watch.saw
            indexer = Indexer(store)
            followers = [indexer.committed]
            scrubber = Scrubber(store, settings.folder)

            def committed(changes: int) -> None:
                metrics.committed(changes)
                for follower in followers:
                    follower()

            writing = Writer(
                committing(store, scrubber.committed),
                measure=committed,
                delay=DEBOUNCE_SECONDS if debounced else 0.0,
                spill=kept_aside,
                mend=mending(store),
            )
            writing.first(opened.waits)
            writing.refusing = absent.code if absent else None
            async with (
                rationed(
                    language_model(model_settings(settings), chosen), settings.limits.tokens_per_day, store
                ) as model,
                embedding(settings) as embedder,
                vectors(embedder, metrics.vector) as vector,
                running(writing, name="writer", capacity=WRITER_MAILBOX, grace=WRITER_GRACE) as writer,
                nudging() as channels,
                anyio.create_task_group() as tasks,
            ):
                cool_down = settings.data.erase_cool_down_seconds
                erasures = Erasures(store, settings.folder, scrubber, cool_down=cool_down, now_ms=now_ms)
                tickets = Tickets()

                async def kept(who: Who, change: AnyChange) -> Outcome:
                    outcome = await land(writer, (change,))
                    if isinstance(outcome, Landed):
                        sessions.refresh(who.user, companion=who.companion, items=())
                    return outcome

                attending = Attending(store, now_ms)
                meaning, waiting = meanings(embedder, vector), writing.waiting
                desk = StoreDesk(patient, cast, this_epoch, erasures, tickets, kept, meaning, waiting=waiting)
                sessions = Sessions(tasks, cast, desk, most=settings.limits.sessions)
                unsay = attending.hushed(sessions.unsay)
                metrics.count_sessions(lambda: len(sessions))

                async def unsaid(who: Who, what: Unsaid, by: Address[Mail] | None = None) -> None:
                    """Other sessions forget it, the files are cleaned, what was withdrawn is made again."""
                    sessions.unsaid(who, what, by)
                    if what.conversation is not None:
                        await scrubber.now(what.texts)
                        _nudge(channels, what.conversation)

                warmth = Warmth(connects=model.connected)
                services = Services(
                    writer=writer,
                    model=model,
                    desk=desk,
                    now_ms=now_ms,
                    mint=mint,
                    new_ref=lambda: new_id("ref"),
                    hand_over=lambda conversation: _nudge(channels, conversation),
                    take_over=sessions.take_over,
                    holds=sessions.holds,
                    alert=attending.alert,
                    report=lambda who, report: _planned(metrics, who, report),
                    measure=metrics,
                    trouble=lambda: writing.refusing,
                    restored=restored is not None or opened.older,
                    vector=vector,
                    warmed=warmth.done.wait,
                    contacts=with_grants(patient, contacts),
                    owed=owing(patient, now_ms),
                    decided=lambda who: attending.decided(who.user),
                    unsay=unsay,
                    unsaid=unsaid,
                    memory_changed=lambda who, items: sessions.refresh(
                        who.user, companion=who.companion, edited=True, items=items
                    ),
                )
                takers = aftercare(
                    store,
                    found,
                    model if settings.model.for_jobs else Builtin(),
                    writer,
                    channels,
                    sessions,
                    metrics,
                )
                keeper = JobKeeper(
                    store,
                    settings.folder,
                    found,
                    metrics=metrics,
                    nudge=lambda conversation: _nudge(channels, conversation),
                    now_ms=now_ms,
                )
                retention = Retention(
                    store,
                    settings.folder,
                    scrubber,
                    now_ms=now_ms,
                    archived_days=settings.data.purge_archived_days,
                )
                copies = DailyCopies(
                    scrubber.copier, settings.folder, hours=settings.data.backup_hours, now_ms=now_ms
                )
                metrics.measure_storage(lambda: sizes(path))
                aftermath = [_over(tasks, taker) for taker in takers] if absent is None else []
                if absent is None:
                    tasks.start_soon(lambda: kept_running(keeper, name="keeper"))
                    sweeper = Sweeper(store, writer, sessions, cast, services)
                    tasks.start_soon(lambda: kept_running(sweeper, name="sweeper"))
                    tasks.start_soon(lambda: kept_running(indexer, name="indexer"))
                    if embedder is not None:
                        vectorizer = Vectorizer(store, embedder, searched(found), metrics.vectors_stored)
                        followers.append(vectorizer.committed)
                        tasks.start_soon(lambda: kept_running(vectorizer, name="vectorizer"))
                        tasks.start_soon(stories_meant, embedder, found.values(), stories, name="stories")
                    tasks.start_soon(lambda: kept_running(scrubber, name="scrubber"))
                    tasks.start_soon(lambda: kept_running(retention, name="retention"))
                    tasks.start_soon(lambda: kept_running(copies, name="copies"))
                tasks.start_soon(lambda: kept_running(attending, name="attending"))
                tasks.start_soon(watch, name="watch")
                tasks.start_soon(warmth, name="warmth")
                care = Care(
                    patient,
                    lambda change: land(writer, (change,)),
                    erasures,
                    changed=lambda user: sessions.refresh(user, edited=True),
                    unsay=lambda who, what: unsay(who, what, None),
                    unsaid=unsaid,
                    attending=attending,
                    talks=sessions,
                )
                if tls is not None:
                    tasks.start_soon(renewing, tls, settings.folder, name="renewing")
                presence, pairing = Presence(tasks), Pairing()
                entrance = Entrance(patient, pairing, kiosk=settings.listen.kiosk)
                await entrance.look()
                addresses: list[str] = []
                ordering = Ordering(
                    patient,
                    presence,
                    entrance,
                    pairing,
                    lambda: addresses[0],
                    lambda user: sessions.refresh(user, edited=True),
                )
                limits = as_served(settings.limits)
                door = Door(
                    care=care,
                    presence=presence,
                    pace=Pace(limits),
                    entrance=entrance,
                    pairing=pairing,
                    pins=Pins(patient),
                    do=ordering,
                    sessions=sessions,
                    services=services,
                    limits=limits,
                    metrics=metrics,
                    epoch=this_epoch,
                    default_companion=settings.companions.default,
                )
                health = Health(
                    writing=writing,
                    sessions=sessions,
                    watch=watch,
                    restored=restored,
                    jobs=keeper,
                    retention=retention,
                    copies=copies,
                )
                site = Site(
                    pages=pages() | authority_page(settings.folder),
                    companion=lambda name: page_data(found, name or settings.companions.default),
                    health=health.told,
                    metrics=metrics.text,
                    download=lambda path: tickets.take(path, sessions.lives),
                )
                async with (
                    taking_orders(settings.folder, ordering),
                    listening(settings.listen, door, site, tls) as listener,
                ):
                    port = next(iter(listener.sockets)).getsockname()[1]
                    addresses.append(address_for_devices(settings.listen, port, secure=tls is not None))
                    log.info(
                        "server.ready",
                        port=port,
                        seconds=round(time.monotonic() - began, 3),
                        model=model.name,
                    )
                    yield Running(
                        host=settings.listen.host,
                        port=port,
                        model=model,
                        why=chosen.why,
                        companion=default,
                        open_mode=entrance.open_mode,
                        secure=tls is not None,
                        again=watch.again,
                    )
                    log.info("server.draining", sessions=len(sessions))
                    scrubber.copier.stop()
                    spread = [random.randrange(*JITTER_MS) for _ in range(64)]  # noqa: S311  # spreads clients, no secret
                    await sessions.drain(spread, settings.limits.drain_seconds)
                for channel in channels:
                    channel.close()
                with anyio.move_on_after(settings.limits.drain_seconds):
                    for over in aftermath:
                        await over.wait()
                tasks.cancel_scope.cancel()
            with suppress(StoreRefused):
                await indexer.index()
            await scrubber.settle()
    log.info("server.stopped")


def _over(tasks: anyio.abc.TaskGroup, taker: Taker) -> anyio.Event:
    """Start a taker; the event is set when it has ended."""
    over = anyio.Event()

    async def run() -> None:
        try:
            await kept_running(taker, name=taker.name)
        finally:
            over.set()

    tasks.start_soon(run, name=taker.name)
    return over


def _nudge(channels: Sequence[Channel], conversation: str) -> None:
    for channel in channels:
        channel.nudge(conversation)


def _planned(metrics: Metrics, who: Who, report: Report) -> None:
    metrics.planned(who.companion, report)
    log.debug(
        "turn.planned",
        response=report.response,
        tokens=report.tokens,
        found=report.found,
        items=report.items,
        dropped=report.dropped,
    )
