"""Epochs: within which stretch of time evidence is added up, and when it raises an alarm.

The guarantee of an e-process (at most alpha false alarms, ever) holds while what is tested stays
the same. A new deployment or a change of settings makes another system: it opens a new epoch,
which starts at e = 1. So does an alarm, so that the next one is news again; the guarantee is per
epoch. The tallies of an epoch do not expire and carry its `label` in their store key. Pure: who
deploys what, and when, comes from outside. Source: METRICS §7.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from math import log10
from typing import Protocol

from guard.fairness.confidence import confidence_sequence
from guard.fairness.evidence import Sums
from guard.fairness.tally import Tally
from guard.records import Undefined


class Opened(StrEnum):
    """Why an epoch began."""

    START = "start"
    DEPLOYMENT = "deployment"
    SETTINGS = "settings"
    ALARM = "alarm"


class SequentialTest(Protocol):
    """An e-process over a tally: `MeanTest`, `RateTest`, `TwoRatesTest`."""

    @property
    def name(self) -> str:
        """The first part of its keys."""
        ...

    def sums(self, tally: Tally) -> Sums:
        """What it needs of the tally."""
        ...

    def log10_e(self, tally: Tally) -> float:
        """log10 of the evidence."""
        ...


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
    opened: Opened = Opened.START

    @property
    def label(self) -> str:
        """A short name that no other epoch of the same test has."""
        return f"e{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What is shown of a test at one moment.

    log10_e: the evidence; value, low, high: the estimate and its confidence sequence, valid at
    every moment; n: observations in the epoch; alarm: whether this look raises one.
    """

    test: str
    log10_e: float
    value: float
    low: float
    high: float
    n: int
    epoch: Epoch
    alarm: bool


def current(epoch: Epoch, *, deployment: str, settings: str) -> Epoch:
    """`epoch` itself while the system is the same, else the one that its change opens."""
    if deployment != epoch.deployment:
        opened = Opened.DEPLOYMENT
    elif settings != epoch.settings:
        opened = Opened.SETTINGS
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
        opened=Opened.ALARM,
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
    interval = confidence_sequence(test.sums(tally), alpha=alpha)
    if isinstance(interval, Undefined):
        return interval
    log10_e = test.log10_e(tally)
    return Published(
        test=test.name,
        log10_e=log10_e,
        value=interval.value,
        low=interval.low,
        high=interval.high,
        n=interval.n,
        epoch=epoch,
        alarm=raises(log10_e, alpha=alpha),
    )


def look(
    test: SequentialTest, tally: Tally, epoch: Epoch, *, alpha: float = 0.05
) -> tuple[Published | Undefined, Epoch]:
    """What to publish, and the epoch in which to go on counting: a new one after an alarm."""
    seen = publish(test, tally, epoch, alpha=alpha)
    if isinstance(seen, Published) and seen.alarm:
        return seen, alarmed(epoch, seen.log10_e)
    return seen, epoch
