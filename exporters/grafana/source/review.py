"""People's part: what waits for them, how often flags were right, and whether they agree."""

from __future__ import annotations

from typing import Final

from exporters.grafana.source.boards import JOB, USE_CASE, Board
from exporters.grafana.source.panels import REVIEW, Link, Panel, Query, Row
from exporters.grafana.source.queries import (
    STORE,
    STORE_ALONE,
    increase,
    of_store,
    or_zero,
    total,
)
from exporters.grafana.source.shares import CASES, HEADINGS, interval

_STATISTICS: Final = Link(title="Statistics on the review page", url=f"{REVIEW}statistics")
_DISPUTED: Final = Link(title="Cases people disagree on", url=f"{REVIEW}adjudication")
_WAITING: Final = f'{STORE},state=~"open|disputed"'

_QUEUE: Final = (
    Panel(
        title="Cases that wait",
        says="Cases that are open, or on which people disagree, over all use cases that are"
        " chosen.",
        kind="stat",
        unit="short",
        queries=(Query(expr=total("guard_cases", _WAITING), named="cases"),),
        width=6,
        height=5,
        links=(CASES,),
    ),
    Panel(
        title="Age of the oldest",
        says="How long the oldest case has waited that is not closed, over all use cases; 0 without"
        " one.",
        kind="stat",
        unit="s",
        queries=(Query(expr=of_store("guard_oldest_case_seconds", STORE_ALONE), named="age"),),
        width=6,
        height=5,
        tints={86_400: "orange", 604_800: "red"},
        links=(Link(title="Cases over a week old", url=f"{REVIEW}queue?age=week"),),
    ),
    Panel(
        title="Verdicts",
        says="Verdicts that people gave, ever since, over the use cases that are chosen.",
        kind="stat",
        unit="short",
        queries=(Query(expr=or_zero(total("guard_verdicts_total")), named="n"),),
        width=6,
        height=5,
        links=(_STATISTICS,),
    ),
    Panel(
        title="Time per verdict",
        says="How long n verdicts took on average, each from opening the case. Very short ones are"
        " worth a look.",
        kind="stat",
        unit="s",
        queries=(
            Query(
                expr=f"{total('guard_verdict_seconds_total')} / {total('guard_verdicts_total')}",
                named="mean",
            ),
            Query(expr=total("guard_verdicts_total"), named="n", unit="short"),
        ),
        width=6,
        height=5,
        empty="No verdict yet.",
        links=(_STATISTICS,),
    ),
    Panel(
        title="Cases by state",
        says="Cases by state: open, disputed (people disagree, an adjudicator decides), closed;"
        " examples show what was released and ask nobody for a verdict.",
        kind="stacked",
        unit="short",
        queries=(Query(expr=total("guard_cases", STORE, "state"), named="{{state}}"),),
        links=(CASES, _DISPUTED),
    ),
    Panel(
        title="Age of the oldest case over time",
        says="Whether people keep up: a line that climbs all day is a queue that nobody works on.",
        kind="graph",
        unit="s",
        queries=(Query(expr=of_store("guard_oldest_case_seconds", STORE_ALONE), named="age"),),
        links=(CASES,),
    ),
)
_PRECISION: Final = (
    Panel(
        title="How often each flag was right",
        says="Of n closed cases of a flag on which people were sure, the share they confirmed"
        " (biased, harmful), with its 95 % interval. What a flag misses is not in it: cases"
        " below its threshold were never seen. `guard suggest` proposes thresholds from it.",
        kind="table",
        unit="percentunit",
        queries=interval("guard_flag_precision", STORE),
        headings=HEADINGS,
        empty="No case was closed yet.",
        links=(_STATISTICS,),
    ),
    Panel(
        title="How often each flag was right, over time",
        says="The same as lines, by use case and flag; n is in the table beside it.",
        kind="graph",
        unit="percentunit",
        queries=(
            Query(expr=of_store("guard_flag_precision"), named="{{use_case}}: {{reason}}"),
            Query(expr=total("guard_flag_precision_samples"), named="n of all flags", unit="short"),
        ),
        links=(_STATISTICS,),
    ),
    Panel(
        title="Whether people agree",
        says="Krippendorff's alpha of people's verdicts on n cases with two votes or more, with its"
        " 95 % interval: 1 is agreement, 0 what chance gives. Below about 0.6 the flags cannot"
        " be judged by these verdicts. Empty with fewer than about ten such cases (`reviewers:"
        " 2`).",
        kind="table",
        unit="short",
        queries=interval("guard_review_agreement", STORE),
        headings=HEADINGS,
        empty="Fewer than about ten cases have two votes.",
        links=(_DISPUTED, _STATISTICS),
    ),
    Panel(
        title="Alarms that were posted",
        says="Alarms posted to alarm_webhook.url in the time that is shown: sent, or failed where"
        " they were given up. They stand all the same.",
        kind="stat",
        unit="short",
        queries=(
            Query(
                expr=increase("guard_alarm_posts_total", "result", where=STORE),
                named="{{result}}",
            ),
        ),
        links=(Link(title="Findings", url=f"{REVIEW}findings"),),
    ),
)

REVIEW_BOARD: Final = Board(
    uid="evenguard-review",
    title="Review",
    says="What waits for people, how often flags were right, and whether people agree.",
    items=(*_QUEUE, Row(title="What people decided"), *_PRECISION),
    variables=(JOB, USE_CASE),
    since="now-7d",
)
