"""Every series the guard exports, once: its name, what it means, its labels.

Counters are named without the `_total` that the exposition adds; `TOTAL` is that suffix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

TOTAL: Final = "_total"


@dataclass(frozen=True, slots=True)
class Series:
    """One series: `name` as declared, `help` as shown on scrape, `labels` in order."""

    name: str
    help: str
    labels: tuple[str, ...] = ()


CALLS: Final = Series(
    "guard_calls", "Guarded calls, by what became of them", ("use_case", "verdict")
)
UNSCORED: Final = Series(
    "guard_unscored",
    "Replies decided on while all or a part had no score, by the reason",
    ("use_case", "reason"),
)
FIRED: Final = Series(
    "guard_fired",
    "Rules met by a score, by the action they ask for; in observe mode nothing was done",
    ("use_case", "score", "action"),
)
SCORE: Final = Series(
    "guard_score", "Scores of replies, in [0, 1]; unscored ones are absent", ("use_case", "score")
)
SCORING_SECONDS: Final = Series("guard_scoring_seconds", "Time a scored reply spent in the model")
QUEUE_SECONDS: Final = Series("guard_queue_seconds", "Time a reply waited for the model")
ADDED_SECONDS: Final = Series(
    "guard_added_seconds", "Time a caller waited for scores, generation excluded", ("use_case",)
)
UPSTREAM_ERRORS: Final = Series(
    "guard_upstream_errors",
    "Exceptions of the wrapped function, passed on unchanged",
    ("use_case",),
)
OBSERVER_ERRORS: Final = Series(
    "guard_observer_errors", "Exceptions of observers, swallowed", ("observer",)
)
ENGINE_OPEN_REQUESTS: Final = Series(
    "guard_engine_open_requests", "Texts that wait for the model or are in it"
)
ENGINE_OPEN_TOKENS: Final = Series("guard_engine_open_tokens", "Their tokens, estimated")
ENGINE_BATCHES: Final = Series("guard_engine_batches", "Calls of the model")
ENGINE_TOKENS: Final = Series("guard_engine_tokens", "Tokens that went through the model")
ENGINE_PADDED_TOKENS: Final = Series("guard_engine_padded_tokens", "Fillers beside those tokens")
ENGINE_RESTARTS: Final = Series("guard_engine_restarts", "Workers that died and were replaced")
ENGINE_CANCELLED: Final = Series("guard_engine_cancelled", "Texts that nobody waited for any more")
ENGINE_CACHE_HITS: Final = Series("guard_engine_cache_hits", "Texts answered from the cache")
ENGINE_CACHE_MISSES: Final = Series("guard_engine_cache_misses", "Texts not found in the cache")
ENGINE_CACHE_BYTES: Final = Series("guard_engine_cache_bytes", "Memory the cache holds")

SCORE_BUCKETS: Final = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
SECONDS_BUCKETS: Final = (
    *(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)
