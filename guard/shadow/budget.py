"""What shadow calls may cost: two buckets that fill with time. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

MINUTE, DAY = 60.0, 86_400.0


UNSEEN_TOKENS = 128_000
"""Before one reply a model may think so much that its caller does not see, about."""
FEWER_TOKENS = 4
"""So many times more than estimated a text may have: about one token for each byte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLimits:
    """Calls and tokens of one use case in one process, and its jobs under way at once. Its values
    are the defaults of the settings."""

    calls_per_minute: int = 60
    tokens_per_day: int = 1_000_000
    concurrency: int = 2

    def __post_init__(self) -> None:
        for name in ("calls_per_minute", "tokens_per_day", "concurrency"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} {getattr(self, name)} must be at least 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What was reserved, to be settled when the job ends."""

    calls: int
    tokens: int

    def believes(self, told: float) -> bool:
        """Whether one call can have cost so many tokens."""
        return 0 <= told <= FEWER_TOKENS * self.tokens + UNSEEN_TOKENS

    def cost(self, told: Sequence[float]) -> float:
        """Tokens of the calls that were answered, by what the model has told of each.

        A figure that is not believed is replaced by the call's part of what was reserved. Where
        the model told none, it is all that was reserved.
        """
        part = ceil(self.tokens / max(self.calls, 1))
        cost = sum(one if self.believes(one) else part for one in told)
        return cost if cost or not told else self.tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class OverBudget:
    """Why nothing was reserved, `calls` or `tokens`, and from when on it might be."""

    reason: str
    at_seconds: float


@dataclass(slots=True)
class _Bucket:
    """Holds at most `size`, which it takes `seconds` to fill. May be overdrawn."""

    size: float
    seconds: float
    level: float
    filled_at: float

    def fill(self, now: float) -> None:
        """What has come in by now."""
        gained = self.size * max(0.0, now - self.filled_at) / self.seconds
        self.level = min(self.size, self.level + gained)
        self.filled_at = max(now, self.filled_at)

    def wait(self, amount: float) -> float:
        """Seconds until so much is in it; until it is full for more than it can hold."""
        lacking = min(amount, self.size) - self.level
        return max(0.0, lacking) * self.seconds / self.size


class SpendingBudget:
    """Reserves whole jobs before their first call. Times are any one clock's seconds.

    A bucket holds what may be spent in one minute, or one day, and begins full. A job that needs
    more than a bucket can hold starts when it is full, and overdraws it. So does, as soon as a
    bucket is not overdrawn, a job that follows from one already paid for: others then wait the
    longer. Not thread-safe.
    """

    def __init__(self, limits: BudgetLimits, *, now: float) -> None:
        self._calls = _Bucket(limits.calls_per_minute, MINUTE, limits.calls_per_minute, now)
        self._tokens = _Bucket(limits.tokens_per_day, DAY, limits.tokens_per_day, now)

    def reserve(
        self, calls: int, tokens: int, *, now: float, overdraws: bool = False
    ) -> Grant | OverBudget:
        """Take what a job will cost, or say what is lacking; then nothing is taken."""
        wanted = (0, 0) if overdraws else (calls, tokens)
        lacking = self._lacking(*wanted, now)
        if lacking is not None:
            return lacking
        self._calls.level -= calls
        self._tokens.level -= tokens
        return Grant(calls=calls, tokens=tokens)

    def settle(self, grant: Grant, *, calls: int, tokens: float) -> None:
        """The job has ended and in truth cost this; the difference goes back, or is owed."""
        self._calls.level = min(self._calls.size, self._calls.level + grant.calls - calls)
        self._tokens.level = min(self._tokens.size, self._tokens.level + grant.tokens - tokens)

    def _lacking(self, calls: int, tokens: int, now: float) -> OverBudget | None:
        for reason, bucket, amount in (
            ("calls", self._calls, calls),
            ("tokens", self._tokens, tokens),
        ):
            bucket.fill(now)
            if seconds := bucket.wait(amount):
                return OverBudget(reason=reason, at_seconds=now + seconds)
        return None
