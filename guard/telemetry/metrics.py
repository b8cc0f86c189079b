"""Series of a process, in registries of their own and never the process-wide one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import choose_encoder
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

from guard.policy import Rule, highest
from guard.records import Assessment, LookResult, Outcome, TextKind, Verdict
from guard.telemetry import names
from guard.telemetry.collectors import Registry, ScrapedCollector, engine_metrics
from guard.telemetry.opentelemetry.trace_parent import exemplar_of


class Metrics:
    """An observer that counts. One per runtime; scraped through `registry`.

    engine: gives what `engine_metrics` takes, on every scrape. use_cases: those whose counters
    exist, at zero, from the start, so that a rate over them sees the first event. rules_of: those
    of a use case. thresholds: of all rules, which bound buckets.
    """

    def __init__(
        self,
        *,
        engine: Callable[[], object] | None = None,
        use_cases: Iterable[str] = (),
        rules_of: Callable[[str], Iterable[Rule]] = lambda _: (),
        thresholds: Iterable[float] = (),
    ) -> None:
        self._rules_of = rules_of
        self._known: set[str] = set()
        self.registry = Registry()
        self._calls = _counter(self.registry, names.CALLS)
        self._inputs = _counter(self.registry, names.INPUTS)
        self._unscored = _counter(self.registry, names.UNSCORED)
        self._unread = _counter(self.registry, names.UNREAD)
        self._fired = _counter(self.registry, names.FIRED)
        self._allow = _counter(self.registry, names.ALLOW)
        self._candidate = _counter(self.registry, names.CANDIDATE)
        self._second_look = _counter(self.registry, names.SECOND_LOOK)
        self._second_look_seconds = _histogram(
            self.registry, names.SECOND_LOOK_SECONDS, names.SECONDS_BUCKETS
        )
        self._upstream_errors = _counter(self.registry, names.UPSTREAM_ERRORS)
        self._observer_errors = _counter(self.registry, names.OBSERVER_ERRORS)
        self._score = cache(  # thirteen times a call, and `labels` is not cheap
            _histogram(self.registry, names.SCORE, names.SCORE_BUCKETS).labels
        )
        buckets = tuple(sorted({*names.POLICY_SCORE_BUCKETS, *thresholds}))
        self._policy_score = _histogram(self.registry, names.POLICY_SCORE, buckets)
        self._threshold = _gauge(self.registry, names.POLICY_THRESHOLD)
        self._scoring = _histogram(self.registry, names.SCORING_SECONDS, names.SECONDS_BUCKETS)
        self._queue = _histogram(self.registry, names.QUEUE_SECONDS, names.SECONDS_BUCKETS)
        self._added = _histogram(self.registry, names.ADDED_SECONDS, names.SECONDS_BUCKETS)
        if engine is not None:
            self.registry.register(ScrapedCollector(lambda: engine_metrics(engine())))
        add_process_series(self.registry)
        for use_case in use_cases:
            self._declare(use_case)

    def outcome(self, outcome: Outcome) -> None:
        """Count one guarded call, or a text that no model said."""
        use_case, exemplar = outcome.call.use_case, exemplar_of(outcome.call.trace_parent)
        if (kind := outcome.call.kind) is not TextKind.REPLY:
            self._inputs.labels(use_case, kind.value, outcome.verdict.value).inc(exemplar=exemplar)
            return
        self._calls.labels(use_case, outcome.verdict.value).inc(exemplar=exemplar)
        self._added.labels(use_case).observe(outcome.added_seconds, exemplar)
        for fired in outcome.fired:
            self._fired.labels(use_case, fired.score, fired.action.value).inc()
        if outcome.unscored is not None:
            self._unscored.labels(use_case, outcome.unscored.value).inc()
        for part in outcome.unread:
            self._unread.labels(use_case, part.value).inc()
        for entry in outcome.allowed:
            self._allow.labels(use_case, entry).inc()
        if (other := outcome.candidate) is not None:
            self._candidate.labels(use_case, other.present.value, other.action.value).inc()
        for look in outcome.second_looks:
            self._second_look.labels(use_case, look.result.value).inc()
            self._second_look_seconds.labels(use_case).observe(look.seconds)
        self._count_assessment(use_case, outcome.assessment)
        self._count_compared(outcome, exemplar)

    def upstream_error(self, use_case: str) -> None:
        """Count an exception of the wrapped function."""
        self._upstream_errors.labels(use_case).inc()

    def observer_error(self, observer: str) -> None:
        """Count an exception of an observer."""
        self._observer_errors.labels(observer).inc()

    def expose(self, accept: str = "") -> tuple[bytes, str]:
        """The body and content type of a scrape whose Accept header is `accept`.

        OpenMetrics when it is asked for, the Prometheus text format otherwise.
        """
        encode, content_type = choose_encoder(accept)
        return encode(self.registry), content_type

    def _count_assessment(self, use_case: str, assessment: Assessment) -> None:
        made = {key: score.value for key, score in assessment.scores.items()}
        values = {key: value for key, value in made.items() if value is not None}
        for key, value in values.items():
            self._score(use_case, key).observe(value)
        if values:
            self._scoring.observe(assessment.scoring_seconds)
            self._queue.observe(assessment.queued_seconds)

    def _count_compared(self, outcome: Outcome, exemplar: dict[str, str] | None) -> None:
        use_case = outcome.call.use_case
        if use_case not in self._known:
            self._show_thresholds(use_case)
        for score in {rule.score for rule in self._rules_of(use_case)}:
            found = highest(outcome.assessment, score)
            values = [one.value for one in outcome.fired if one.score == score]
            if found is not None or values:
                seen = max([found or 0.0, *values])
                self._policy_score.labels(use_case, score).observe(seen, exemplar)

    def _show_thresholds(self, use_case: str) -> None:
        self._known.add(use_case)
        for rule in self._rules_of(use_case):
            labels = (use_case, rule.score, rule.action.value)
            self._threshold.labels(*labels).set(rule.threshold)

    def _declare(self, use_case: str) -> None:
        self._show_thresholds(use_case)
        for verdict in Verdict:
            self._calls.labels(use_case, verdict.value)
        for result in LookResult:
            self._second_look.labels(use_case, result.value)
        self._upstream_errors.labels(use_case)


class GatewayMetrics:
    """Counters of one worker. open_requests: read on every scrape."""

    def __init__(self, registry: CollectorRegistry, *, open_requests: Callable[[], int]) -> None:
        self._refused = _counter(registry, names.REFUSED)
        self._litellm_answers = _counter(registry, names.LITELLM_ANSWERS)
        _gauge(registry, names.OPEN_REQUESTS).set_function(open_requests)

    def refused(self, code: str) -> None:
        """Count a request that got an error of the gateway's own."""
        self._refused.labels(code).inc()

    def litellm_answered(self, use_case: str, action: str) -> None:
        """Count an answer to LiteLLM's proxy."""
        self._litellm_answers.labels(use_case, action).inc()


class ReplicaMetrics:
    """What the process above the workers knows, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = Registry()
        self._restarts = _counter(self.registry, names.WORKER_RESTARTS)
        add_process_series(self.registry)

    def worker_replaced(self) -> None:
        """Count a worker that died and another one that took its place."""
        self._restarts.inc()


def _counter(registry: CollectorRegistry, series: names.Series) -> Counter:
    return Counter(series.name, series.help, series.labels, registry=registry)


def _gauge(registry: CollectorRegistry, series: names.Series) -> Gauge:
    return Gauge(series.name, series.help, series.labels, registry=registry)


def _histogram(
    registry: CollectorRegistry, series: names.Series, buckets: tuple[float, ...]
) -> Histogram:
    return Histogram(series.name, series.help, series.labels, registry=registry, buckets=buckets)


def add_process_series(registry: CollectorRegistry) -> None:
    """What the process takes of the machine."""
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
