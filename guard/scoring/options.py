"""What can be set about an engine, and what it tells about itself."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """workers: threads that each run the model; None means one per usable core.
    batch_tokens: in one call of the model, padding included.
    max_open_tokens: estimated, of all texts that are not yet answered; more is refused with
        OVERLOAD. Half is for texts longer than a sixteenth of it, half for the others.
    max_text_characters: longer texts are refused with TOO_LARGE.
    cache_bytes: room for the results of recent texts; 0 for none.
    passage_floor: share of a harm head's threshold, in (0, 1], from which on the sentences of
        a window are scored on their own.
    """

    workers: int | None = None
    batch_tokens: int = 512
    max_open_tokens: int = 262_144
    max_text_characters: int = 2_000_000
    cache_bytes: int = 16 * _MIB
    passage_floor: float = 0.5

    def __post_init__(self) -> None:
        counts = (self.workers, self.batch_tokens, self.max_open_tokens, self.max_text_characters)
        if any(count is not None and count < 1 for count in counts) or self.cache_bytes < 0:
            raise ValueError(f"engine options must be positive: {self}")
        if not 0 < self.passage_floor <= 1:
            raise ValueError(f"passage_floor must be in (0, 1], not {self.passage_floor}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStats:
    """A snapshot; running totals are since the engine, or the forked process, started.

    queued: texts that wait for their first batch. in_flight: texts that some batch has touched
    and that are not yet answered. open_tokens: estimated, of both. batches, tokens: gone
    through the model; padded_tokens: fillers beside them. restarts: threads that died and were
    replaced. cancelled: requests dropped. cache_hits, cache_misses, cache_bytes: of the cache.
    """

    queued: int
    in_flight: int
    open_tokens: int
    batches: int
    tokens: int
    padded_tokens: int
    restarts: int
    cancelled: int
    cache_hits: int
    cache_misses: int
    cache_bytes: int

    @property
    def open_requests(self) -> int:
        """Texts that are not yet answered."""
        return self.queued + self.in_flight
