"""One use case in depth: what was said, which rules fired, and what another policy would do."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from exporters.grafana.source.boards import INSTANCE, JOB, USE_CASE, Board
from exporters.grafana.source.panels import REVIEW, Link, Panel, Query, Row
from exporters.grafana.source.queries import CALLS, increase, or_zero, quantile, rate
from exporters.grafana.source.shares import (
    added_time,
    share_over_time,
    unscored,
    verdicts,
)

_FLAGGED: Final = Link(
    title="Cases of this use case", url=f"{REVIEW}queue?use_case=${{use_case}}&state=open"
)
_AT_HALF: Final = f'{CALLS},le="0.5"'

_RULES: Final = (
    Panel(
        title="Rules that fired",
        says="Replies a second in which a rule of the policy was met, by score and the action it"
        " asks for. In observe mode nothing was done. One reply can meet several rules.",
        kind="graph",
        unit="reqps",
        queries=(
            Query(expr=rate("guard_fired_total", "score", "action"), named="{{score}}: {{action}}"),
            Query(expr=rate("guard_calls_total"), named="n", unit="reqps"),
        ),
        links=(_FLAGGED,),
    ),
    Panel(
        title="Scores beside their thresholds",
        says="What rules compare: the score that 95 and 99 of 100 replies do not exceed (of the"
        " reply or its highest sentence), and as a line the threshold from which on each rule"
        " acts. On the right, replies scored a second.",
        kind="graph",
        unit="percentunit",
        queries=(
            *(
                Query(
                    expr=quantile(share, "guard_policy_score", "score"),
                    named=f"{{{{score}}}} {name}",
                )
                for name, share in (("p95", 0.95), ("p99", 0.99))
            ),
            Query(
                expr=f"max by (score, action) (guard_policy_threshold{{{CALLS}}})",
                named="{{action}} from {{score}}",
            ),
            Query(expr=rate("guard_policy_score_count"), named="n", unit="reqps"),
        ),
        links=(_FLAGGED,),
    ),
    Panel(
        title="Worst heads: share of replies at 0.5 or above",
        says="Of n replies in the time that is shown, the share in which a head of the classifier"
        " scored above 0.5, highest first: which kind of harm or stereotype it is about. 0.5 is the"
        " paper's threshold and not that of your policy.",
        kind="bars",
        unit="percentunit",
        queries=(
            Query(
                expr="topk(8, 1 - "
                f"{increase('guard_score_bucket', 'score', where=_AT_HALF)}"
                f" / {increase('guard_score_count', 'score')})",
                named="{{score}}",
            ),
            Query(expr=f"max({increase('guard_score_count', 'score')})", named="n", unit="short"),
        ),
        links=(_FLAGGED,),
    ),
    Panel(
        title="Mean score by head",
        says="The mean score of all replies by head of the classifier, without any threshold: what"
        " changes here changes before a rule fires. sentiment: 0 is negative, 1 positive. On the"
        " right, replies scored a second.",
        kind="graph",
        unit="percentunit",
        queries=(
            Query(
                expr=f"{rate('guard_score_sum', 'score')} / {rate('guard_score_count', 'score')}",
                named="{{score}}",
            ),
            Query(expr=f"max({rate('guard_score_count', 'score')})", named="n", unit="reqps"),
        ),
    ),
)
_OTHERS: Final = (
    Panel(
        title="Second looks",
        says="Decisions a second that a second, larger classifier looked at, by what came of it:"
        " upheld; overturned, lowered or raised; passed; late, overloaded or failed, and then the"
        " first decided. All are 0 where none is configured.",
        kind="stacked",
        unit="reqps",
        queries=(Query(expr=rate("guard_second_look_total", "result"), named="{{result}}"),),
    ),
    Panel(
        title="How long second looks took",
        says="Seconds until a second look was answered: half of them took no longer than p50, 95 of"
        " 100 no longer than p95. The caller waits for it, so that it is in the time the guard"
        " added. On the right, second looks a second. All are 0 where none is configured.",
        kind="graph",
        unit="s",
        queries=(
            *(
                Query(expr=or_zero(quantile(share, "guard_second_look_seconds")), named=name)
                for name, share in (("p50", 0.5), ("p95", 0.95))
            ),
            Query(expr=rate("guard_second_look_total"), named="n", unit="reqps"),
        ),
    ),
    Panel(
        title="Candidate policy",
        says="Of n replies in the time that is shown: what the policy in force asks for, and what"
        " the candidate would. Nothing is done by the candidate. Empty where the use case has"
        " none (`candidate:` in guard.yaml).",
        kind="table",
        unit="short",
        queries=(Query(expr=increase("guard_candidate_total", "present", "candidate"), named="n"),),
        headings={"present": "policy in force", "candidate": "candidate"},
        empty="No candidate policy.",
        links=(Link(title="Replies they disagree on", url=f"{REVIEW}candidates"),),
    ),
    Panel(
        title="Errors of the model, and parts that nobody reads",
        says="Exceptions of the wrapped model a second, passed on unchanged, and replies with a"
        " part that is not judged: images, sound, what the settings let pass.",
        kind="graph",
        unit="reqps",
        queries=(
            Query(expr=rate("guard_upstream_errors_total"), named="errors of the model"),
            Query(expr=or_zero(rate("guard_unread_total")), named="with an unread part"),
            Query(expr=rate("guard_calls_total"), named="n", unit="reqps"),
        ),
    ),
)

IN_DEPTH: Final = Board(
    uid="evenguard-use-case",
    title="Use case",
    says="One use case in depth. Start at the overview to find which one.",
    items=(
        verdicts(),
        added_time(),
        Row(title="What was said"),
        *(
            share_over_time(metric, window, width=8)
            for metric in ("policy_toxic_fraction", "policy_stereotype_fraction")
            for window in ("5m", "1h", "24h")
        ),
        Row(title="Rules and scores"),
        *_RULES,
        Row(title="What else"),
        *_OTHERS,
        unscored(),
    ),
    variables=(JOB, INSTANCE, replace(USE_CASE, one=True)),
)
