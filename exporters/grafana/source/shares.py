"""Panels that several dashboards have: shares of replies with their intervals, verdicts, time."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from exporters.grafana.source.panels import REVIEW, Link, Panel, Query
from exporters.grafana.source.queries import STORE, of_store, quantile, rate

OWN_DASHBOARD: Final = Link(
    title="The use case in depth",
    url="/d/evenguard-use-case?${use_case:queryparam}&${__url_time_range}",
)
FAIRNESS: Final = Link(
    title="Does it treat groups differently?",
    url="/d/evenguard-fairness?${use_case:queryparam}&${__url_time_range}",
)
ITS_DASHBOARD: Final = Link(
    title="This use case in depth",
    url='/d/evenguard-use-case?var-use_case=${__data.fields["use case"]}&${__url_time_range}',
)
ITS_CASES: Final = Link(
    title="Its open cases on the review page",
    url=f'{REVIEW}queue?state=open&use_case=${{__data.fields["use case"]}}',
)
THEIR_CASES: Final = Link(
    title="Open cases of this use case and attribute",
    url=f"{ITS_CASES.url}&attribute=${{__data.fields.attribute}}",
)
ITS_FAIRNESS: Final = Link(
    title="How it treats groups",
    url='/d/evenguard-fairness?var-use_case=${__data.fields["use case"]}&${__url_time_range}',
)
CASES: Final = Link(title="Open cases on the review page", url=f"{REVIEW}queue?state=open")
HEADINGS: Final[Mapping[str, str]] = MappingProxyType(
    {"use_case": "use case", "groups": "group", "reason": "flag", "metric": "what is compared"}
)
SHARES: Final[Mapping[str, str]] = MappingProxyType(
    {"policy_toxic_fraction": "toxic", "policy_stereotype_fraction": "stereotyped"}
)


def interval(series: str, where: str) -> tuple[Query, ...]:
    """A figure with both ends of its interval and what it rests on."""
    parts = {"value": "", "low": "_low", "high": "_high"}
    return (
        *(Query(expr=of_store(series + part, where), named=name) for name, part in parts.items()),
        Query(expr=of_store(f"{series}_samples", where), named="n", unit="short"),
    )


def share_table(metric: str, *, window: str = "1h") -> Panel:
    """One row for each use case."""
    what = SHARES[metric]
    return Panel(
        title=f"Share of {what} replies, last {window}",
        says="Of n replies that were scored, the share that the policy of the use case calls"
        f" {what}: a score of the reply or of a sentence of it reached a threshold. low and"
        " high: its 95 % interval, for one look; few replies, wide interval. It is a"
        " classifier's opinion of English text. Replies without a score are not in it.",
        kind="table",
        unit="percentunit",
        queries=interval("guard_fairness", f'{STORE},metric="{metric}",window="{window}"'),
        headings=HEADINGS,
        links=(OWN_DASHBOARD, CASES),
        row_links=(ITS_DASHBOARD, ITS_CASES),
        height=7,
    )


def share_over_time(metric: str, window: str, *, width: int = 12) -> Panel:
    """One use case, with a band."""
    what = SHARES[metric]
    return Panel(
        title=f"Share of {what} replies over {window}",
        says=f"At each moment, of the n replies scored in the last {window}, the share that the"
        f" policy calls {what}, with its 95 % interval as a band. The interval is for one look:"
        " looked at all day it leaves out the truth now and then. Choose one use case to see"
        " its band.",
        kind="graph",
        unit="percentunit",
        queries=interval("guard_fairness", f'{STORE},metric="{metric}",window="{window}"'),
        band=True,
        width=width,
        links=(CASES,),
    )


def verdicts() -> Panel:
    """Calls by what became of them."""
    return Panel(
        title="Calls by verdict",
        says="Calls a second by what became of them: released, flagged (released, and put before"
        " people), blocked (the caller got the fallback text), or unscored (nobody could judge"
        " all of it). In observe mode nothing is blocked.",
        kind="stacked",
        unit="reqps",
        queries=(Query(expr=rate("guard_calls_total", "verdict"), named="{{verdict}}"),),
        links=(OWN_DASHBOARD, CASES),
    )


def added_time() -> Panel:
    """How long callers waited for the guard."""
    return Panel(
        title="Time the guard added to calls",
        says="How long a caller waited for scores, the model's own time excluded: half of all calls"
        " waited no longer than p50, 95 of 100 no longer than p95, 99 of 100 no longer than p99. On"
        " the right, on how many calls a second it rests.",
        kind="graph",
        unit="s",
        queries=(
            *(
                Query(expr=quantile(share, "guard_added_seconds"), named=name)
                for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
            ),
            Query(expr=rate("guard_added_seconds_count"), named="n", unit="reqps"),
        ),
        links=(Link(title="Where it goes: the engine", url="/d/evenguard-engine"),),
    )


def unscored() -> Panel:
    """Calls that were decided on without a score."""
    none = f'label_replace(0 * {rate("guard_calls_total")}, "reason", "none", "", "")'
    return Panel(
        title="Calls without a score, by reason",
        says="Calls a second that were released or withheld without a judgement of the whole reply,"
        " by reason: deadline and overload (too slow), language (the classifier does not read it),"
        " engine_error, ... `none` is the line at 0. What had no score is in no share here.",
        kind="stacked",
        unit="reqps",
        queries=(
            Query(expr=f"{rate('guard_unscored_total', 'reason')} or {none}", named="{{reason}}"),
        ),
        links=(Link(title="Queue and overload: the engine", url="/d/evenguard-engine"),),
    )
