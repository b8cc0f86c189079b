"""Every series the guard exports, once: its name, what it means, its labels.

Counters are named without the `_total` that the exposition adds; `TOTAL` is that suffix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

TOTAL: Final = "_total"


Kind: TypeAlias = Literal["counter", "gauge", "histogram"]


@dataclass(frozen=True, slots=True)
class Series:
    """One series: `name` as declared, `help` as shown on scrape, `labels` in order."""

    name: str
    help: str
    labels: tuple[str, ...]
    kind: Kind

    @property
    def exposed(self) -> str:
        """The name on /metrics, of a histogram without `_bucket`, `_sum` and `_count`."""
        return self.name + TOTAL if self.kind == "counter" else self.name


def counter(name: str, help: str, labels: tuple[str, ...] = ()) -> Series:  # noqa: A002
    """A sum that only grows."""
    return Series(name, help, labels, "counter")


def gauge(name: str, help: str, labels: tuple[str, ...] = ()) -> Series:  # noqa: A002
    """A value that goes up and down."""
    return Series(name, help, labels, "gauge")


def histogram(name: str, help: str, labels: tuple[str, ...] = ()) -> Series:  # noqa: A002
    """How often values were within bounds."""
    return Series(name, help, labels, "histogram")


@dataclass(frozen=True, slots=True)
class EstimateSeries:
    """A value, both ends of its interval and the observations it rests on: four gauges."""

    value: Series
    low: Series
    high: Series
    samples: Series


def estimated(
    name: str, labels: tuple[str, ...], *, value: str, interval: str, samples: str, suffix: str = ""
) -> EstimateSeries:
    """The series of an estimate. value, interval, samples: what each of them is."""
    return EstimateSeries(
        value=gauge(name + suffix, value, labels),
        low=gauge(f"{name}_low", f"Lower end of {interval}", labels),
        high=gauge(f"{name}_high", f"Upper end of {interval}", labels),
        samples=gauge(f"{name}_samples", samples, labels),
    )


CALLS: Final = counter(
    "guard_calls", "Guarded calls, by what became of them", ("use_case", "verdict")
)
INPUTS: Final = counter(
    "guard_inputs",
    "Texts judged that no model said, by what became of them; they are in no other series of scores"
    " and verdicts. kind: tool_result, prompt",
    ("use_case", "kind", "verdict"),
)
UNSCORED: Final = counter(
    "guard_unscored",
    "Replies decided on while all or a part had no score, by the reason",
    ("use_case", "reason"),
)
UNREAD: Final = counter(
    "guard_unread",
    "Replies with a part that nobody reads: images, sound, what the settings let pass",
    ("use_case", "part"),
)
FIRED: Final = counter(
    "guard_fired",
    "Rules met by a score, by the action they ask for; in observe mode nothing was done",
    ("use_case", "score", "action"),
)
ALLOW: Final = counter(
    "guard_allow",
    "Replies in which more rules would have fired without this entry of `allow`",
    ("use_case", "entry"),
)
CANDIDATE: Final = counter(
    "guard_candidate",
    "Replies judged by a candidate policy too, by what the policy in force asks for and what the"
    " candidate would; nothing is done by the candidate",
    ("use_case", "present", "candidate"),
)
SCORE: Final = histogram(
    "guard_score",
    "Scores of whole replies, in [0, 1], without any threshold; unscored ones are absent",
    ("use_case", "score"),
)
POLICY_SCORE: Final = histogram(
    "guard_policy_score",
    "What rules compare with their thresholds: the highest score of a reply and its sentences. Of"
    " scores with a rule; every threshold in guard_policy_threshold bounds a bucket",
    ("use_case", "score"),
)
POLICY_THRESHOLD: Final = gauge(
    "guard_policy_threshold",
    "Score from which on a rule asks for its action",
    ("use_case", "score", "action"),
)
SCORING_SECONDS: Final = histogram(
    "guard_scoring_seconds", "Time a scored reply spent in the model"
)
QUEUE_SECONDS: Final = histogram("guard_queue_seconds", "Time a reply waited for the model")
ADDED_SECONDS: Final = histogram(
    "guard_added_seconds", "Time a caller waited for scores, generation excluded", ("use_case",)
)
SECOND_LOOK: Final = counter(
    "guard_second_look",
    "Decisions that the second scorer looked at: upheld, overturned, lowered, raised, passed; late,"
    " overloaded or failed, and then the fast scores decided",
    ("use_case", "result"),
)
SECOND_LOOK_SECONDS: Final = histogram(
    "guard_second_look_seconds", "Time until a second look was answered", ("use_case",)
)
UPSTREAM_ERRORS: Final = counter(
    "guard_upstream_errors",
    "Exceptions of the wrapped function, passed on unchanged",
    ("use_case",),
)
OBSERVER_ERRORS: Final = counter(
    "guard_observer_errors", "Exceptions of observers, swallowed", ("observer",)
)
REFUSED: Final = counter(
    "guard_refused",
    "Requests that the gateway answered with an error of its own, by the code of that error",
    ("code",),
)
LITELLM_ANSWERS: Final = counter(
    "guard_litellm_answers",
    "Requests of LiteLLM's Generic Guardrail API, by the action they were answered with: none,"
    " blocked, guardrail_intervened; not_judged are prompts, which are answered NONE",
    ("use_case", "action"),
)
OPEN_REQUESTS: Final = gauge(
    "guard_open_requests", "Requests to generate or to judge that are under way"
)
WORKER_RESTARTS: Final = counter(
    "guard_worker_restarts", "Processes of the gateway that died and were replaced"
)
ENGINE_OPEN_REQUESTS: Final = gauge(
    "guard_engine_open_requests", "Texts that wait for the model or are in it"
)
ENGINE_OPEN_TOKENS: Final = gauge("guard_engine_open_tokens", "Their tokens, estimated")
ENGINE_BATCHES: Final = counter("guard_engine_batches", "Calls of the model")
ENGINE_TOKENS: Final = counter("guard_engine_tokens", "Tokens that went through the model")
ENGINE_PADDED_TOKENS: Final = counter("guard_engine_padded_tokens", "Fillers beside those tokens")
ENGINE_RESTARTS: Final = counter("guard_engine_restarts", "Workers that died and were replaced")
ENGINE_CANCELLED: Final = counter("guard_engine_cancelled", "Texts that nobody waited for any more")
ENGINE_CACHE_HITS: Final = counter("guard_engine_cache_hits", "Texts answered from the cache")
ENGINE_CACHE_MISSES: Final = counter("guard_engine_cache_misses", "Texts not found in the cache")
ENGINE_CACHE_BYTES: Final = gauge("guard_engine_cache_bytes", "Memory the cache holds")

_ABOUT: Final = ("use_case", "metric", "attribute", "groups")

FAIRNESS: Final = estimated(
    "guard_fairness",
    (*_ABOUT, "window"),
    value="Present value of a fairness metric over a window; absent where it is undefined."
    " toxic_fraction and stereotype_fraction count from 0.5 on, those with policy_ before them from"
    " guard_policy_threshold on",
    interval="its pointwise 95 % interval: for plots, not for alarms",
    samples="Observations the value rests on",
)
EVIDENCE: Final = gauge(
    "guard_fairness_evidence",
    "log10 of the e-value against no difference, over the present epoch; 0 is no evidence. groups:"
    " one group against all others, or empty for all groups together",
    _ABOUT,
)
TESTED: Final = estimated(
    "guard_fairness_evidence",
    _ABOUT,
    value="What is tested, estimated over the epoch",
    interval="its confidence sequence, valid whenever it is looked at",
    samples="Observations in the epoch",
    suffix="_estimate",
)
NEEDED: Final = gauge(
    "guard_fairness_needed",
    "Of each attribute, for the group and metric with the strongest evidence: about how many more"
    " comparisons would show a difference of 0.1, or of guard_fairness_material where that is"
    " larger; 0 where there is an answer already; absent where there is too little to tell",
    _ABOUT,
)
EPOCHS: Final = counter(
    "guard_epochs",
    "Epochs begun by the tests of an attribute after their first, one for each metric: a"
    " deployment, changed settings or an acknowledged alarm begins another, in which evidence is 0"
    " again",
    ("use_case", "attribute"),
)
MATERIAL: Final = gauge(
    "guard_fairness_material",
    "Size from which on a difference raises an alarm, if the evidence is there as well",
    ("use_case", "metric"),
)
ALARM_LINE: Final = gauge(
    "guard_alarm_line",
    "log10 e from which on a test of all groups together, alone, raises an alarm; beside others it"
    " takes less",
    ("use_case",),
)
ALARMS: Final = counter(
    "guard_alarms",
    "Alarms raised by a test, over all of its epochs; absent before the first",
    _ABOUT,
)
ALARM_STANDS: Final = gauge(
    "guard_alarm_stands",
    "1 from an alarm of a test until somebody acknowledges it or another epoch begins, then 0;"
    " absent before the first",
    _ABOUT,
)
ALARM_EVIDENCE: Final = gauge(
    "guard_alarm_evidence",
    "log10 of the e-value that raised the last alarm of a test; absent before the first",
    _ABOUT,
)
ALARM_POSTS: Final = counter(
    "guard_alarm_posts",
    "Alarms posted to alarm_webhook.url by any process: sent, or failed where they were given up",
    ("use_case", "result"),
)
SHADOW: Final = counter(
    "guard_shadow",
    "What came of shadowing: calls left alone, pairs compared, flagged and confirmed, replies that"
    " are no answers",
    ("use_case", "attribute", "result"),
)
SHADOW_LAG_SECONDS: Final = gauge(
    "guard_shadow_lag_seconds", "Age of the oldest shadow job that is not done; 0 without one"
)
INBOX_JOBS: Final = gauge(
    "guard_inbox_jobs", "Shadow jobs: ready, delayed, leased, buried", ("state",)
)
INBOX_DROPPED: Final = counter(
    "guard_inbox_dropped", "Shadow jobs refused because the store had as many as it may"
)
SPOOL_BYTES: Final = gauge(
    "guard_spool_bytes", "What this process has not handed to the store yet, on its disk"
)
SPOOL_RECORDS: Final = counter("guard_spool_records", "Records this process put into its spool")
SPOOL_DROPPED: Final = counter(
    "guard_spool_dropped",
    "Records this process dropped: spool full, disk at fault, or refused by the store",
)
CASES: Final = gauge("guard_cases", "Cases by state", ("use_case", "state"))
OLDEST_CASE_SECONDS: Final = gauge(
    "guard_oldest_case_seconds", "Age of the oldest case that is not closed; 0 without one"
)
FLAG_PRECISION: Final = estimated(
    "guard_flag_precision",
    ("use_case", "reason"),
    value="Share of a flag's cases that people confirmed, of those on which they were sure",
    interval="its 95 % interval",
    samples="Closed cases it rests on",
)
REVIEW_AGREEMENT: Final = estimated(
    "guard_review_agreement",
    ("use_case", "kind"),
    value="Krippendorff's alpha of people's verdicts: 1 agree, 0 as by chance",
    interval="its 95 % interval",
    samples="Cases with two votes or more that it rests on",
)
VERDICTS: Final = counter(
    "guard_verdicts", "Verdicts that people gave on cases, with their time", ("use_case",)
)
VERDICT_SECONDS: Final = counter(
    "guard_verdict_seconds",
    "Time these verdicts took together, each from opening the case",
    ("use_case",),
)
STORE_UP: Final = gauge(
    "guard_store_up", "1 if the store could be read for this scrape, in time, else 0"
)
READINGS_FAILED: Final = counter(
    "guard_readings_failed",
    "Scrapes without readings: the store was unreachable, unreadable or late, or a fault of our"
    " own; and keys left out of readings, once each (unreadable)",
    ("reason",),
)
READINGS_DROPPED: Final = gauge(
    "guard_readings_dropped",
    "Series left out now, above the limit: of tests of all groups together (omnibus), of tests of"
    " single groups, of readings",
    ("use_case", "what"),
)
USE_CASES_DROPPED: Final = gauge(
    "guard_use_cases_dropped", "Use cases left out now, above the limit"
)

SCORE_BUCKETS: Final = (0.5,)
"""The paper's threshold alone, for every head of a classifier has them."""
POLICY_SCORE_BUCKETS: Final = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Those of scores with a rule, beside its thresholds."""
SECONDS_BUCKETS: Final = (
    *(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)

_DECLARED: Final = tuple(globals().values())
ALL: Final = (
    *(one for one in _DECLARED if isinstance(one, Series)),
    *(
        part
        for one in _DECLARED
        if isinstance(one, EstimateSeries)
        for part in (one.value, one.low, one.high, one.samples)
    ),
)
"""Every series."""
_OF_ENGINE: Final = "guard_engine_"
ENGINE: Final = {
    one.name.removeprefix(_OF_ENGINE): one for one in ALL if one.name.startswith(_OF_ENGINE)
}
"""Count of the scoring engine to the series that shows it."""
