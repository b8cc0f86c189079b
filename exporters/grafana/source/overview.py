"""All use cases at a glance."""

from __future__ import annotations

from typing import Final

from exporters.grafana.source.boards import INSTANCE, JOB, USE_CASE, Board
from exporters.grafana.source.panels import REVIEW, Link, Panel, Query, Row
from exporters.grafana.source.queries import (
    CALLS,
    STORE,
    STORE_ALONE,
    increase,
    of_store,
    or_zero,
    rate,
    total,
)
from exporters.grafana.source.shares import (
    CASES,
    FAIRNESS,
    HEADINGS,
    ITS_FAIRNESS,
    OWN_DASHBOARD,
    THEIR_CASES,
    added_time,
    share_table,
    unscored,
    verdicts,
)

_STANDING: Final = f'{STORE},groups=""'
_BLOCKED: Final = f'{CALLS},verdict="blocked"'
_WAITING: Final = f'{STORE},state=~"open|disputed"'

_STATS: Final = (
    Panel(
        title="Calls",
        says="Calls that went through the guard, a second, over all use cases that are chosen, and"
        " how many that is in the time that is shown.",
        kind="stat",
        unit="reqps",
        queries=(
            Query(expr=rate("guard_calls_total"), named="a second"),
            Query(expr=increase("guard_calls_total"), named="n", unit="short"),
        ),
        width=5,
        height=5,
        links=(OWN_DASHBOARD,),
    ),
    Panel(
        title="Blocked",
        says="Of n calls in the time that is shown, the share whose reply was blocked: the caller"
        " got the fallback text instead.",
        kind="stat",
        unit="percentunit",
        queries=(
            Query(
                expr=f"{increase('guard_calls_total', where=_BLOCKED)}"
                f" / {increase('guard_calls_total')}",
                named="share",
            ),
            Query(expr=increase("guard_calls_total"), named="n", unit="short"),
        ),
        width=5,
        height=5,
        links=(CASES,),
    ),
    Panel(
        title="Without a score",
        says="Of n calls in the time that is shown, the share that was decided on while all or a"
        " part of the reply had no score. Nothing is known of their content.",
        kind="stat",
        unit="percentunit",
        queries=(
            Query(
                expr=f"({or_zero(increase('guard_unscored_total'))})"
                f" / {increase('guard_calls_total')}",
                named="share",
            ),
            Query(expr=increase("guard_calls_total"), named="n", unit="short"),
        ),
        width=5,
        height=5,
        tints={0.01: "orange", 0.05: "red"},
    ),
    Panel(
        title="Alarms that stand",
        says="Sequential tests that have seen enough evidence of a difference between groups, of a"
        " size that is set to matter, and that nobody has acknowledged yet. 0 is no statement that"
        " groups are treated alike: see the fairness dashboard for what has been measured so far.",
        kind="stat",
        unit="short",
        queries=(Query(expr=or_zero(total("guard_alarm_stands", _STANDING)), named="alarms"),),
        width=4,
        height=5,
        tints={1: "red"},
        links=(FAIRNESS, Link(title="Findings", url=f"{REVIEW}findings")),
    ),
    Panel(
        title="Cases that wait",
        says="Replies and pairs that were put before people and are not decided, and the age of the"
        " oldest of them.",
        kind="stat",
        unit="short",
        queries=(
            Query(expr=total("guard_cases", _WAITING), named="cases"),
            Query(
                expr=of_store("guard_oldest_case_seconds", STORE_ALONE), named="oldest", unit="s"
            ),
        ),
        width=5,
        height=5,
        links=(CASES, Link(title="Review dashboard", url="/d/evenguard-review")),
    ),
)

_OVER_TIME: Final = (
    Panel(
        title="Calls by use case",
        says="Calls a second that went through the guard, by use case.",
        kind="stacked",
        unit="reqps",
        queries=(Query(expr=rate("guard_calls_total", "use_case"), named="{{use_case}}"),),
        links=(OWN_DASHBOARD,),
    ),
    verdicts(),
    added_time(),
    unscored(),
)

_ALARMS: Final = Panel(
    title="Alarms that stand, by what differs",
    says="For which use case and attribute which measure differs for some group, and the evidence"
    " (log10 of the e-value) by now. An alarm says that, more than chance explains, some group gets"
    " different replies in this measure of the shadowed calls. It says neither why, nor whether it"
    " matters to those concerned: read the cases.",
    kind="table",
    unit="short",
    queries=(
        Query(
            expr=f"{of_store('guard_fairness_evidence', _STANDING)} and on (use_case, metric,"
            f" attribute) ({of_store('guard_alarm_stands', _STANDING)} == 1)",
            named="evidence",
        ),
    ),
    headings=HEADINGS,
    empty="No alarm stands. That is not a finding that groups are treated alike.",
    row_links=(ITS_FAIRNESS, THEIR_CASES),
    links=(FAIRNESS, Link(title="Findings", url=f"{REVIEW}findings")),
)
_QUEUE: Final = Panel(
    title="Cases that wait, by use case",
    says="Cases that are open, or on which people disagree, by use case. Cases are put before"
    " people because a number alone decides nothing.",
    kind="stacked",
    unit="short",
    queries=(Query(expr=total("guard_cases", _WAITING, "use_case"), named="{{use_case}}"),),
    links=(CASES, Link(title="Review dashboard", url="/d/evenguard-review")),
)

OVERVIEW: Final = Board(
    uid="evenguard-overview",
    title="Overview",
    says="Traffic, verdicts, time, alarms and the review queue of all use cases.",
    items=(
        *_STATS,
        Row(title="Traffic"),
        *_OVER_TIME,
        Row(title="What was said"),
        share_table("policy_toxic_fraction"),
        share_table("policy_stereotype_fraction"),
        Row(title="Differences between groups, and people's part"),
        _ALARMS,
        _QUEUE,
    ),
    variables=(JOB, INSTANCE, USE_CASE),
)
