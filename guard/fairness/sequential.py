"""Epochs: within which stretch of time evidence is added up, and when it raises an alarm.

The guarantee of an e-process (at most alpha false alarms, ever) holds while what is tested stays
the same. A new deployment or a change of settings makes another system: it opens a new epoch,
which starts at e = 1. The tallies of an epoch do not expire and carry its `label` in their store
key. An alarm does not end an epoch: it stands there, its evidence goes on to be seen, and no second
alarm comes of it, until somebody acknowledges it. That opens a new epoch as well, so that the next
alarm is news again; the guarantee is per epoch. Pure: who deploys or acknowledges what, and when,
comes from outside.

Confidence sequences are intervals that hold at every moment at once. The interval at level
1 - alpha is the set of values that the e-process of `evidence` has not yet rejected at 1/alpha. By
Ville's inequality the truth is in all of these intervals, at all times, with probability at least
1 - alpha: look as often as you like, stop when you like. They are wider than the pointwise interval
of a `Reading` (twice as wide after 1,000 events, much more after 50). The evidence falls
monotonically on the way from each end of the range to the point estimate, so each limit is found
between them.

Many tests together: the e-BH procedure with weights. Each hypothesis has a share of alpha, decided
before the data are seen, and the shares add up to 1. Reject the k* hypotheses with the largest
share times e, where k* is the largest k for which the k-th largest is at least 1/(alpha k). The
expected share of false ones among the rejected is then at most alpha, however the e-values depend
on each other (Wang and Ramdas 2022; the weights there are m times the shares). And while nothing
differs anywhere, the chance that it ever rejects anything, at any of all looks, is at most alpha:
what it asks for is never met before the sum of share times e, which is an e-process as well,
reaches 1/alpha. A test without data takes part with e = 1. Source: METRICS §7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import isnan, log, log10
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from guard.fairness.evidence import MeanSums, log_above
from guard.fairness.symmetric import SymmetricSums
from guard.records import Estimate, Undefined

Name = TypeVar("Name")
Numbers: TypeAlias = NDArray[np.float64]

_MOST_STEPS = 200
_CLOSE = 1e-10


class EpochReason(StrEnum):
    """Why an epoch began."""

    START = "start"
    DEPLOYMENT = "deployment"
    SETTINGS = "settings"
    ACKNOWLEDGED = "acknowledged"
    ALARM = "alarm"  # up to version 0.4, where an alarm opened an epoch


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """One stretch of evidence for one test of one use case.

    number: 0, 1, 2, ..., the same for all tests of one metric and attribute. deployment, settings:
    what identifies the system under test (a version, a hash). groups: how many groups the omnibus
    test of these is about; 0 where that was not kept. alarmed: an alarm of this epoch stands.
    alarms: raised so far, over all epochs; alarm_log10_e: the evidence that raised the last one.
    opened: why this one began; acknowledged_by: and by whom, where somebody acknowledged an alarm.
    systems: how many of the epochs so far another deployment or other settings began.
    """

    deployment: str
    settings: str
    number: int = 0
    groups: int = 0
    alarmed: bool = False
    alarms: int = 0
    alarm_log10_e: float = 0.0
    opened: EpochReason = EpochReason.START
    acknowledged_by: str = ""
    systems: int = 0

    @property
    def label(self) -> str:
        """A short name that no other epoch of the same test has."""
        return f"e{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What is shown of a test at one moment.

    log10_e: the evidence. counted_log10_e: what counts for an alarm, minus infinity where no
    difference is material. estimate: with its confidence sequence, valid at every moment, and the
    observations in the epoch; None of a test of all groups together. material: the size from which
    on a difference matters; is_material: the estimate, or that of one of the groups, is as large.
    sums: what the evidence was computed from; None of a test of all groups together.
    """

    test: str
    log10_e: float
    counted_log10_e: float
    estimate: Estimate | None
    epoch: Epoch
    material: float
    is_material: bool
    sums: SymmetricSums | None = None


def current(epoch: Epoch, *, deployment: str, settings: str) -> Epoch:
    """`epoch` itself while the system is the same, else the one that its change opens."""
    if deployment != epoch.deployment:
        opened = EpochReason.DEPLOYMENT
    elif settings != epoch.settings:
        opened = EpochReason.SETTINGS
    else:
        return epoch
    following = replace(epoch, deployment=deployment, settings=settings, systems=epoch.systems + 1)
    return _next(following, opened)


def alarmed(epoch: Epoch, log10_e: float) -> Epoch:
    """The same epoch with an alarm that stands. log10_e: the evidence that raised it."""
    return replace(epoch, alarmed=True, alarms=epoch.alarms + 1, alarm_log10_e=log10_e)


def acknowledged(epoch: Epoch, *, by: str) -> Epoch:
    """The epoch that begins when somebody has taken note of an alarm."""
    return replace(_next(epoch, EpochReason.ACKNOWLEDGED), acknowledged_by=by)


def _next(epoch: Epoch, opened: EpochReason) -> Epoch:
    return replace(epoch, number=epoch.number + 1, alarmed=False, opened=opened, acknowledged_by="")


def e_bh(
    log10_e: Mapping[Name, float], share: Callable[[Name], float], *, alpha: float = 0.05
) -> tuple[Name, ...]:
    """The names whose hypothesis is rejected, strongest first.

    log10_e: by name, log10 of an e-value; tests without data can be left out. share: of alpha,
    above 0, by name; those of all tests of the family, left out or not, add up to at most 1.
    """
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha {alpha} must be between 0 and 1")
    weighed = {name: e + log10(share(name)) for name, e in log10_e.items() if not isnan(e)}
    ranked = sorted(weighed, key=weighed.__getitem__, reverse=True)
    kept = 0
    for rank, name in enumerate(ranked, start=1):
        if weighed[name] >= -log10(alpha * rank):
            kept = rank
    return tuple(ranked[:kept])


def confidence_sequence(sums: MeanSums, *, alpha: float = 0.05) -> Estimate | Undefined:
    """The values not yet rejected at 1/`alpha`, the chance that the truth is ever outside."""
    if sums.n <= 0:
        return Undefined(reason="no observations yet")
    (found,) = confidence_sequences([sums], alpha=alpha)
    return found


def confidence_sequences(many: Sequence[MeanSums], *, alpha: float = 0.05) -> list[Estimate]:
    """`confidence_sequence` of each, all with observations. A scrape asks for hundreds, and one by
    one they would take seven times as long."""
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha {alpha} must be between 0 and 1")
    rows = np.array([(sums.n, sums.total, sums.squares) for sums in many]).reshape(-1, 3)
    turned = rows * (1.0, -1.0, 1.0)
    low, high = np.split(_low_limits(np.concatenate([rows, turned]), -log(alpha)), 2)
    return [
        Estimate(value=value, low=below, high=-above, n=sums.count)
        for sums, value, below, above in zip(
            many, _centres(rows).tolist(), low.tolist(), high.tolist(), strict=True
        )
    ]


def _centres(rows: Numbers) -> Numbers:
    return np.clip(rows[:, 1] / rows[:, 0], -1.0, 1.0)


def _evidence(rows: Numbers, bound: Numbers) -> Numbers:
    n, total, squares = rows.T
    return log_above(n, total, squares, bound)


def _low_limits(rows: Numbers, needed: float) -> Numbers:
    """For each row (n, total, squares) the largest mean whose ln e from above it is `needed`; -1
    where there is none."""
    limits = np.full(len(rows), -1.0)
    is_inside = _evidence(rows, limits) >= needed
    limits[is_inside] = _roots(rows[is_inside], needed)
    return limits


def _roots(rows: Numbers, needed: float) -> Numbers:
    """Between -1 and the centre, on the side that is rejected.

    By false position, in the form of Illinois: of an end that stays twice, half the distance
    counts. It takes about ten steps where a bisection takes sixty.
    """

    def excess(bound: Numbers) -> Numbers:
        return _evidence(rows, bound) - needed

    rejected, kept, moved = np.full(len(rows), -1.0), _centres(rows), np.zeros(len(rows))
    over, under = excess(rejected), excess(kept)
    for _ in range(_MOST_STEPS):
        between = (rejected * under - kept * over) / (under - over)
        found = excess(between)
        is_over = found >= 0.0
        rejected, kept = np.where(is_over, between, rejected), np.where(is_over, kept, between)
        over, under = (
            np.where(is_over, found, np.where(moved < 0, 0.5, 1.0) * over),
            np.where(is_over, np.where(moved > 0, 0.5, 1.0) * under, found),
        )
        moved = np.where(is_over, 1, -1)
        if np.all((kept - rejected <= _CLOSE) | (is_over & (found <= _CLOSE))):
            break
    return rejected
