"""The parities of two groups as plain functions over lists; `classification` says what they share.

In each: groups, predicted, actual: (cases,), labels of any kind, None or NaN where unknown;
positive: the class taken against the rest; between: the two groups compared, in sorted order unless
told. A difference is absolute, in [0, 1]: 0, the rate is the same in both groups; 1, it is 0 in one
and 1 in the other. A ratio is first over second, from 0 up: 1, the same rate; 0, none in the first
group. Undefined where a group has no case the rate is about, or the lower rate of a ratio is 0.
None of them says why the groups differ, and a small one in a small sample says little at all.
"""

from __future__ import annotations

from collections.abc import Iterable

from guard.fairness.classification import (
    Between,
    Label,
    Rate,
    parity_difference,
    parity_ratio,
    rates,
)
from guard.records import Undefined

Labels = Iterable[Label | None]


def demographic_parity_difference(
    groups: Labels,
    predicted: Labels,
    *,
    positive: Label = 1,
    between: Between | None = None,
) -> float | Undefined:
    """The difference between two groups in how often the positive class is predicted (DP).

    |a - b| with a, b = P(Yhat=1 | G) of the two. [LF 3.2.1].
    Not where the groups' true rates differ and errors are what harms.
    """
    found = rates(Rate.PREVALENCE, groups, predicted, positive=positive)
    return parity_difference(found, between)


def demographic_parity_ratio(
    groups: Labels,
    predicted: Labels,
    *,
    positive: Label = 1,
    between: Between | None = None,
) -> float | Undefined:
    """The ratio of two groups in how often the positive class is predicted.

    a / b with a, b = P(Yhat=1 | G) of the two. [LF 3.2.1].
    Not where the groups' true rates differ and errors are what harms.
    """
    found = rates(Rate.PREVALENCE, groups, predicted, positive=positive)
    return parity_ratio(found, between)


def false_negative_rate_difference(
    groups: Labels,
    predicted: Labels,
    actual: Labels,
    *,
    positive: Label = 1,
    between: Between | None = None,
) -> float | Undefined:
    """The difference between two groups in how often positives are missed (FNRD).

    |a - b| with a, b = P(Yhat=0 | Y=1, G) of the two. [LF 3.2.2], for assistive uses.
    Not for punitive uses, where false alarms harm.
    """
    found = rates(Rate.FALSE_NEGATIVE, groups, predicted, actual, positive=positive)
    return parity_difference(found, between)


def false_negative_rate_ratio(
    groups: Labels,
    predicted: Labels,
    actual: Labels,
    *,
    positive: Label = 1,
    between: Between | None = None,
) -> float | Undefined:
    """The ratio of two groups in how often positives are missed.

    a / b with a, b = P(Yhat=0 | Y=1, G) of the two. [LF 3.2.2], for assistive uses.
    Not for punitive uses, where false alarms harm.
    """
    found = rates(Rate.FALSE_NEGATIVE, groups, predicted, actual, positive=positive)
    return parity_ratio(found, between)


def false_omission_rate_difference(
    groups: Labels,
    predicted: Labels,
    actual: Labels,
    *,
    positive: Label = 1,
    between: Between | None = None,
) -> float | Undefined:
    """The difference between two groups in how often a predicted negative is a positive (FORD).

    |a - b| with a, b = P(Y=1 | Yhat=0, G) of the two. [LF 3.2.2], for assistive uses.
    Not for punitive uses, where false alarms harm.
    """
    found = rates(Rate.FALSE_OMISSION, groups, predicted, actual, positive=positive)
    return parity_difference(found, between)


def false_omission_rate_ratio(
    groups: Labels,
    predicted: Labels,
    actual: Labels,
    *,
    positive: Label = 1,
    between: Between | None = None,
) -> float | Undefined:
    """The ratio of two groups in how often a predicted negative is a positive.

    a / b with a, b = P(Y=1 | Yhat=0, G) of the two. [LF 3.2.2], for assistive uses.
    Not for punitive uses, where false alarms harm.
    """
    found = rates(Rate.FALSE_OMISSION, groups, predicted, actual, positive=positive)
    return parity_ratio(found, between)


def false_positive_rate_difference(
    groups: Labels,
    predicted: Labels,
    actual: Labels,
    *,
    positive: Label = 1,
    between: Between | None = None,
) -> float | Undefined:
    """The difference between two groups in how often negatives are called positive (FPRD).

    |a - b| with a, b = P(Yhat=1 | Y=0, G) of the two. [LF 3.2.2], for punitive uses.
    Not for assistive uses, where misses harm.
    """
    found = rates(Rate.FALSE_POSITIVE, groups, predicted, actual, positive=positive)
    return parity_difference(found, between)


def false_positive_rate_ratio(
    groups: Labels,
    predicted: Labels,
    actual: Labels,
    *,
    positive: Label = 1,
    between: Between | None = None,
) -> float | Undefined:
    """The ratio of two groups in how often negatives are called positive.

    a / b with a, b = P(Yhat=1 | Y=0, G) of the two. [LF 3.2.2], for punitive uses.
    Not for assistive uses, where misses harm.
    """
    found = rates(Rate.FALSE_POSITIVE, groups, predicted, actual, positive=positive)
    return parity_ratio(found, between)


def false_discovery_rate_difference(
    groups: Labels,
    predicted: Labels,
    actual: Labels,
    *,
    positive: Label = 1,
    between: Between | None = None,
) -> float | Undefined:
    """The difference between two groups in how often a predicted positive is a negative (FDRD).

    |a - b| with a, b = P(Y=0 | Yhat=1, G) of the two. [LF 3.2.2], for punitive uses.
    Not for assistive uses, where misses harm.
    """
    found = rates(Rate.FALSE_DISCOVERY, groups, predicted, actual, positive=positive)
    return parity_difference(found, between)


def false_discovery_rate_ratio(
    groups: Labels,
    predicted: Labels,
    actual: Labels,
    *,
    positive: Label = 1,
    between: Between | None = None,
) -> float | Undefined:
    """The ratio of two groups in how often a predicted positive is a negative.

    a / b with a, b = P(Y=0 | Yhat=1, G) of the two. [LF 3.2.2], for punitive uses.
    Not for assistive uses, where misses harm.
    """
    found = rates(Rate.FALSE_DISCOVERY, groups, predicted, actual, positive=positive)
    return parity_ratio(found, between)
