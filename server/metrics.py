"""What is counted: for Prometheus by ``/metrics``, on loopback. Labels are names of ours, never a person's."""

from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

from companions.events import Report
from storage.sizes import Sizes

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
TOKENS = (50, 100, 200, 400, 800, 1_200, 2_000, 4_000, 8_000, 16_000)


class Metrics:
    """The counters of one server."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # untyped there; such times say nothing here
        self.registry = CollectorRegistry()
        self.connections = Gauge("fireside_connections", "Open connections.", registry=self.registry)
        self.sessions = Gauge("fireside_sessions", "Live sessions.", registry=self.registry)
        self.messages = Counter("fireside_messages", "Messages taken.", registry=self.registry)
        self.answers = Counter(
            "fireside_answers", "Answers given.", ["companion", "source", "status"], registry=self.registry
        )
        self.first = Histogram(
            "fireside_first_delta_seconds",
            "From a message's arrival to the first word of its answer.",
            buckets=SECONDS,
            registry=self.registry,
        )
        self.commits = Histogram(
            "fireside_commit_changes",
            "Changes in one commit.",
            buckets=(1, 2, 5, 10, 50, 500),
            registry=self.registry,
        )
        self.prompt = Histogram(
            "fireside_prompt_tokens",
            "Estimated tokens of a prompt, by tier.",
            ["companion", "tier"],
            buckets=TOKENS,
            registry=self.registry,
        )
        self.found = Counter(
            "fireside_prompt_found",
            "Items of memory that there were for prompts, by tier.",
            ["companion", "tier"],
            registry=self.registry,
        )
        self.items = Counter(
            "fireside_prompt_items",
            "Items of memory in prompts, by tier.",
            ["companion", "tier"],
            registry=self.registry,
        )
        self.dropped = Counter(
            "fireside_prompt_dropped", "Items left out.", ["companion", "reason"], registry=self.registry
        )
        self.tokens_used = Counter(
            "fireside_model_tokens",
            "Tokens as counted by the model.",
            ["companion", "kind"],
            registry=self.registry,
        )
        self.vectors = Counter(
            "fireside_message_vectors",
            "Messages by what came of their vector.",
            ["result"],
            registry=self.registry,
        )
        self.stored_vectors = Counter(
            "fireside_stored_vectors",
            "Messages by what came of the vector that is stored for searching.",
            ["result"],
            registry=self.registry,
        )
        self.refused = Counter("fireside_refused", "Commands refused.", ["code"], registry=self.registry)
        self.job_rows = Gauge(
            "fireside_jobs_open", "Jobs that have not ended.", ["state"], registry=self.registry
        )
        self.storage = Gauge(
            "fireside_storage_bytes",
            "On the disk, by part; free is what is left on it.",
            ["part"],
            registry=self.registry,
        )
        self.jobs = Counter("fireside_jobs", "Jobs done.", ["kind", "result"], registry=self.registry)

    def count_sessions(self, count: Callable[[], int]) -> None:
        """Ask ``count`` for the number of live sessions whenever the figures are read."""
        self.sessions.set_function(count)

    def measure_storage(self, sizes: Callable[[], Sizes]) -> None:
        """Ask ``sizes`` what is taken up on the disk whenever the figures are read."""
        for part in ("database", "log", "backups", "set_aside", "other", "free"):
            self.storage.labels(part).set_function(lambda part=part: float(getattr(sizes(), part)))  # type: ignore[misc] # bound here

    def jobs_now(self, waiting: int, running: int, parked: int) -> None:
        """How many jobs have not ended; those that are parked have failed for good."""
        for state, count in (("waiting", waiting), ("running", running), ("parked", parked)):
            self.job_rows.labels(state).set(count)

    def said(self) -> None:
        """A message was taken."""
        self.messages.inc()

    def first_delta(self, seconds: float) -> None:
        """From the message to the first word shown."""
        self.first.observe(seconds)

    def answered(self, companion: str, source: str, status: str) -> None:
        """An answer is over."""
        self.answers.labels(companion, source, status).inc()

    def tokens(self, companion: str, prompt: int, completion: int) -> None:
        """Tokens as the model server counted them."""
        self.tokens_used.labels(companion, "prompt").inc(prompt)
        self.tokens_used.labels(companion, "completion").inc(completion)

    def vector(self, result: str) -> None:
        """What came of the vector of one message: made, late, failed, or resting after failures."""
        self.vectors.labels(result).inc()

    def vectors_stored(self, result: str, number: int) -> None:
        """What came of vectors for searching: kept, passed over (one text), or failed (the embedder, and it rests)."""
        self.stored_vectors.labels(result).inc(number)

    def committed(self, changes: int) -> None:
        """One commit with so many changes."""
        self.commits.observe(changes)

    def planned(self, companion: str, report: Report) -> None:
        """What each tier found and what it cost (C6)."""
        for tier, cost in report.tokens.items():
            self.prompt.labels(companion, tier).observe(cost)
        for tier, count in report.found.items():
            self.found.labels(companion, tier).inc(count)
        for tier, count in report.items.items():
            self.items.labels(companion, tier).inc(count)
        for reason in report.dropped.values():
            self.dropped.labels(companion, reason).inc()

    def text(self) -> bytes:
        """The exposition format."""
        return generate_latest(self.registry)
