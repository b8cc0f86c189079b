"""Expressions in the words of the dashboards: who is asked about, and how series are joined.

Counters of processes are added up over instances as rates. What the exporter shows is of the whole
store, whoever scrapes it: `of_store` takes it once, however many processes show it.
"""

from __future__ import annotations

from typing import Final

JOB: Final = 'job=~"$job"'
PROCESS: Final = f'{JOB},instance=~"$instance"'
CALLS: Final = f'{PROCESS},use_case=~"$use_case"'
STORE_ALONE: Final = JOB
"""Of what the exporter shows without a use case."""
STORE: Final = f'{JOB},use_case=~"$use_case"'
TESTS: Final = f'{STORE},attribute=~"$attribute"'
RATE: Final = "$__rate_interval"
WHOLE: Final = "$__range"


def rate(series: str, *by: str, where: str = CALLS) -> str:
    """Events a second, added up over instances."""
    return f"sum{_by(by)} (rate({series}{{{where}}}[{RATE}]))"


def increase(series: str, *by: str, where: str = CALLS) -> str:
    """Events in the time that is shown, added up over instances."""
    return f"sum{_by(by)} (increase({series}{{{where}}}[{WHOLE}]))"


def quantile(share: float, histogram: str, *by: str, where: str = CALLS) -> str:
    """The value that so large a share of events does not exceed."""
    return f"histogram_quantile({share:g}, {rate(f'{histogram}_bucket', *by, 'le', where=where)})"


def of_store(series: str, where: str = STORE) -> str:
    """A figure of the whole store."""
    return f"max without (instance, job) ({series}{{{where}}})"


def total(series: str, where: str = STORE, *by: str) -> str:
    """A figure of the whole store, added up; 0 where nothing was counted."""
    return f"sum{_by(by)} ({of_store(series, where)})"


def or_zero(expression: str, beside: str = "") -> str:
    """0 where an expression has nothing. beside: with its labels."""
    return f"({expression}) or ({f'0 * {beside}' if beside else 'vector(0)'})"


def _by(labels: tuple[str, ...]) -> str:
    return f" by ({', '.join(labels)})" if labels else ""
