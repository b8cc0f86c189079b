"""Epochs: within which stretch of time evidence is added up, and when it raises an alarm.

The guarantee of an e-process (at most alpha false alarms, ever) holds while what is tested stays
the same. A new deployment or a change of settings makes another system: it opens a new epoch,
which starts at e = 1. So does an alarm, so that the next one is news again; the guarantee is per
epoch. The tallies of an epoch do not expire and carry its `label` in their store key. Pure: who
deploys what, and when, comes from outside.

Confidence sequences are intervals that hold at every moment at once. The interval at level
1 - alpha is the set of values that the e-process of `evidence` has not yet rejected at 1/alpha. By
Ville's inequality the truth is in all of these intervals, at all times, with probability at least
1 - alpha: look as often as you like, stop when you like. They are wider than the pointwise interval
of a `Reading` (twice as wide after 1,000 events, much more after 50), and the only ones to alarm
by: one that leaves out everything within the tolerance means an alarm. The evidence falls
monotonically on the way from each end of the range to the point estimate, so each limit is found
by bisection.

Many metrics and use cases together: the e-BH procedure. Of m hypotheses with e-values, reject those
with the k* largest, where k* is the largest k such that the k-th largest is at least m/(alpha k).
The expected share of false ones among the rejected is then at most alpha, however the e-values
depend on each other (Wang and Ramdas 2022). The family must be decided before the data are seen: a
metric without data takes part with e = 1. The guarantee is for each look (at any stopping time),
not for the union of all looks; for that, test each at its share of alpha and let it alarm by
itself. Source: METRICS §7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from math import isnan, log, log10
from typing import TypeVar

from guard.fairness.evidence import SequentialTest, Sums
from guard.fairness.tally import Tally
from guard.records import Estimate, Undefined

Name = TypeVar("Name")

_HALVINGS = 60


class EpochReason(StrEnum):
    """Why an epoch began."""

    START = "start"
    DEPLOYMENT = "deployment"
    SETTINGS = "settings"
    ALARM = "alarm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """One stretch of evidence for one test of one use case.

    number: 0, 1, 2, ... deployment, settings: what identifies the system under test (a version, a
    hash). alarms: raised so far, over all epochs; alarm_log10_e: the evidence that raised the last
    one. opened: why this one began.
    """

    deployment: str
    settings: str
    number: int = 0
    alarms: int = 0
    alarm_log10_e: float = 0.0
    opened: EpochReason = EpochReason.START

    @property
    def label(self) -> str:
        """A short name that no other epoch of the same test has."""
        return f"e{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What is shown of a test at one moment.

    log10_e: the evidence; estimate: with its confidence sequence, valid at every moment, and the
    observations in the epoch; alarm: whether this look raises one.
    """

    test: str
    log10_e: float
    estimate: Estimate
    epoch: Epoch
    alarm: bool


def current(epoch: Epoch, *, deployment: str, settings: str) -> Epoch:
    """`epoch` itself while the system is the same, else the one that its change opens."""
    if deployment != epoch.deployment:
        opened = EpochReason.DEPLOYMENT
    elif settings != epoch.settings:
        opened = EpochReason.SETTINGS
    else:
        return epoch
    number = epoch.number + 1
    return replace(epoch, deployment=deployment, settings=settings, number=number, opened=opened)


def alarmed(epoch: Epoch, log10_e: float) -> Epoch:
    """The epoch that an alarm in `epoch` opens. log10_e: the evidence that raised it."""
    return replace(
        epoch,
        number=epoch.number + 1,
        alarms=epoch.alarms + 1,
        alarm_log10_e=log10_e,
        opened=EpochReason.ALARM,
    )


def raises(log10_e: float, *, alpha: float = 0.05) -> bool:
    """Whether evidence is enough for an alarm: e >= 1/alpha."""
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha {alpha} must be between 0 and 1")
    return log10_e >= -log10(alpha)


def publish(
    test: SequentialTest, tally: Tally, epoch: Epoch, *, alpha: float = 0.05
) -> Published | Undefined:
    """The state of a test, from the tally of its epoch alone; absent without data."""
    estimate = confidence_sequence(test.sums(tally), alpha=alpha)
    if isinstance(estimate, Undefined):
        return estimate
    log10_e = test.log10_e(tally)
    return Published(
        test=test.name,
        log10_e=log10_e,
        estimate=estimate,
        epoch=epoch,
        alarm=raises(log10_e, alpha=alpha),
    )


def e_bh(log10_e: Mapping[Name, float | None], *, alpha: float = 0.05) -> tuple[Name, ...]:
    """The names whose hypothesis is rejected, strongest evidence first.

    log10_e: by name, log10 of an e-value; None (or NaN) where there is none yet.
    """
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha {alpha} must be between 0 and 1")
    known = {name: 0.0 if e is None or isnan(e) else e for name, e in log10_e.items()}
    ranked = sorted(known, key=known.__getitem__, reverse=True)
    kept = 0
    for rank, name in enumerate(ranked, start=1):
        if known[name] >= log10(len(ranked) / (alpha * rank)):
            kept = rank
    return tuple(ranked[:kept])


def confidence_sequence(sums: Sums, *, alpha: float = 0.05) -> Estimate | Undefined:
    """The values not yet rejected at 1/`alpha`, the chance that the truth is ever outside."""
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha {alpha} must be between 0 and 1")
    centre, needed = sums.centre, -log(alpha)
    if centre is None:
        return Undefined(reason="no observations yet")
    low = _limit(sums.above, sums.ends[0], centre, needed)
    high = _limit(sums.below, sums.ends[1], centre, needed)
    return Estimate(value=centre, low=low, high=high, n=sums.count)


def _limit(evidence: Callable[[float], float], end: float, centre: float, needed: float) -> float:
    """The rejected value nearest to `centre`, on the side of `end`; `end` when it is not."""
    if evidence(end) < needed:
        return end
    rejected, kept = end, centre
    for _ in range(_HALVINGS):
        middle = 0.5 * (rejected + kept)
        if evidence(middle) < needed:
            kept = middle
        else:
            rejected = middle
    return rejected
