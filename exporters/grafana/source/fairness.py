"""Does it treat groups differently? What was measured, of whom, and how sure it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from exporters.grafana.source.boards import JOB, USE_CASE, Annotation, Board, Variable
from exporters.grafana.source.panels import REVIEW, Link, Panel, Query, Row
from exporters.grafana.source.queries import STORE, TESTS, of_store, or_zero, total
from exporters.grafana.source.shares import HEADINGS, THEIR_CASES, interval
from guard.fairness import CATALOGUE

_TITLES: Final = {metric.name: metric.title for metric in CATALOGUE.tested if metric.title}
_WORDS: Final = {"metric": _TITLES, "about n more": {"0": "there is an answer"}}
_GROUPS: Final = f'{TESTS},groups!=""'
_ALL_GROUPS: Final = f'{TESTS},groups=""'
_LABELS: Final = "use_case, attribute"
_STRONGEST: Final = f"topk by ({_LABELS}) (1, {of_store('guard_fairness_evidence', _GROUPS)})"
_FINDINGS: Final = Link(title="Findings, in words", url=f"{REVIEW}findings")
_PAIRS: Final = Link(
    title="Cases of pairs", url=f"{REVIEW}queue?use_case=${{use_case}}&kind=pair&state=open"
)


def _strongest(series: str) -> str:
    """Of each attribute, the group and measure with the strongest evidence."""
    return f"{of_store(series, _GROUPS)} and {_STRONGEST}"


def _alarm_of_strongest() -> str:
    """Whether the test of all groups together has an alarm, in the rows of these groups."""
    stands = of_store("guard_alarm_stands", _ALL_GROUPS)
    return f"0 * ({_STRONGEST}) + on (use_case, metric, attribute) group_left () {stands}"


_COLUMNS: Final = {
    "difference": "guard_fairness_evidence_estimate",
    "low": "guard_fairness_evidence_low",
    "high": "guard_fairness_evidence_high",
    "n": "guard_fairness_evidence_samples",
    "evidence": "guard_fairness_evidence",
    "about n more": "guard_fairness_needed",
}

_ANSWER: Final = Panel(
    title="Does it treat groups differently? The strongest evidence by attribute",
    says="Of each attribute the group and the measure with the strongest evidence. difference: what"
    " the replies about this group have more (or less) than those about the groups they were"
    " compared with, in the unit of the measure; low and high: its confidence sequence, 95 %,"
    " which holds however often you look, for one group and measure. n: calls compared."
    " evidence: log10 of the e-value against no difference; 0 is none, 2 is a hundred to one."
    " about n more: still collecting, so many more comparisons would show a difference of 0.1;"
    " empty where there is too little to tell. alarm: 1 stands, 0 was acknowledged."
    " The strongest of many looks stronger than it is; alarms account for that."
    " It is about texts a model wrote, as classifiers and word lists see them, for the calls"
    " that were compared.",
    kind="table",
    unit="short",
    queries=(
        *(Query(expr=_strongest(series), named=name) for name, series in _COLUMNS.items()),
        Query(expr=_alarm_of_strongest(), named="alarm"),
    ),
    headings=HEADINGS,
    words=_WORDS,
    width=24,
    height=6,
    empty="Nothing was compared yet: see the funnel below for why.",
    links=(_FINDINGS, _PAIRS),
    row_links=(THEIR_CASES,),
)
_ALL_TESTS: Final = Panel(
    title="Every group and measure",
    says="The same for all groups and measures that are shown. Where an attribute has two groups,"
    " the second is the first with the other sign. A use case shows a limited number of series:"
    " what is left out is counted on the engine dashboard and stands under Findings.",
    kind="table",
    unit="short",
    queries=tuple(
        Query(expr=of_store(series, _GROUPS), named=name)
        for name, series in _COLUMNS.items()
        if series != "guard_fairness_needed"
    ),
    headings=HEADINGS,
    words=_WORDS,
    width=24,
    height=10,
    links=(_FINDINGS, _PAIRS),
    row_links=(THEIR_CASES,),
)

_EVIDENCE: Final = (
    Panel(
        title="Evidence over time, all groups together",
        says="The log10 of the e-value of each measure against 'no group is treated differently',"
        " since the epoch began. It may be looked at as often as you like. The dashed line is"
        " where one test alone raises an alarm, if the difference is of a size that matters;"
        " beside others it takes less. Where the evidence falls to 0 an epoch began: a"
        " deployment, changed settings, or an acknowledged alarm (marks over the graph).",
        kind="graph",
        unit="short",
        queries=(
            Query(
                expr=of_store("guard_fairness_evidence", _ALL_GROUPS),
                named="{{attribute}}: {{metric}}",
            ),
            Query(expr=of_store("guard_alarm_line"), named="alarm line"),
        ),
        line="alarm line",
        links=(_FINDINGS,),
    ),
    Panel(
        title="Evidence over time, by group",
        says="The same for the measure chosen above, each group against all others it was compared"
        " with.",
        kind="graph",
        unit="short",
        queries=(
            Query(
                expr=of_store("guard_fairness_evidence", f'{_GROUPS},metric="$metric"'),
                named="{{attribute}}: {{groups}}",
            ),
            Query(expr=of_store("guard_alarm_line"), named="alarm line"),
        ),
        line="alarm line",
        links=(_FINDINGS,),
    ),
)


def _gap(window: str) -> Panel:
    where = f'{TESTS},metric="$metric",groups="$group",window="{window}"'
    return Panel(
        title=f"Difference over {window}: $metric, $group",
        says=f"At each moment, over the last {window}: what replies about this group have more"
        " (above 0) or less than those about the groups they were compared with, and its 95 %"
        " interval as a band. The interval is for one look and fit for a plot, not for an"
        " alarm. On the right, n: calls compared. No line: nothing to compare, which is not 0.",
        kind="graph",
        unit="short",
        queries=interval("guard_fairness", where),
        band=True,
        width=8,
        links=(_PAIRS,),
    )


def _estimate() -> Panel:
    where = f'{TESTS},metric="$metric",groups="$group"'
    low, high = (of_store(f"guard_fairness_evidence_{end}", where) for end in ("low", "high"))
    return Panel(
        title="Difference over the epoch: $metric, $group",
        says="What is tested: the difference since the epoch began, with its confidence sequence as"
        " a band, which holds however often you look. Beyond the dashed line a difference is of"
        " a size that is set to matter (shadow.material), in either direction. On the right, n.",
        kind="graph",
        unit="short",
        queries=(
            Query(expr=of_store("guard_fairness_evidence_estimate", where), named="value"),
            Query(expr=low, named="low"),
            Query(expr=high, named="high"),
            Query(
                expr=of_store("guard_fairness_material", f'{STORE},metric="$metric"'),
                named="matters",
            ),
            Query(expr=of_store("guard_fairness_evidence_samples", where), named="n", unit="short"),
        ),
        band=True,
        line="matters",
        links=(_PAIRS,),
    )


def _similarity() -> Panel:
    where = f'{TESTS},metric=~"(crouge_l|ccs|claims)(_control)?",groups="",window="24h"'
    return Panel(
        title="Similarity beside its control, last 24h",
        says="How alike the replies to a prompt about one group and the same prompt about another"
        " are, over all pairs of the attribute (crouge_l: in wording, ccs: in meaning, claims: in"
        " what they claim, where that is compared; 1 is the same), beside the control: two replies"
        " to one and the same prompt. Only a similarity below its control is more than what asking"
        " twice does. On the right, n.",
        kind="graph",
        unit="percentunit",
        queries=(
            Query(expr=of_store("guard_fairness", where), named="{{attribute}}: {{metric}}"),
            Query(
                expr=f"max({of_store('guard_fairness_samples', where)})", named="n", unit="short"
            ),
        ),
        links=(_PAIRS,),
    )


_STAGES: Final = {
    "sampled": "sampled",
    "mentions a group": "mentioned",
    "rewritten": "rewritten",
    "compared": "compared",
    "flagged": "flagged",
    "confirmed": "confirmed|unconfirmed",
}


def _stage(results: str) -> str:
    return or_zero(total("guard_shadow_total", f'{TESTS},result=~"{results}"'))


_FUNNEL: Final = Panel(
    title="From a call to a case",
    says="Ever since, for each attribute: calls sampled; of these, prompts that mention a group;"
    " rewritten prompts that were asked (several for one call); pairs compared; pairs flagged"
    " as unusual; those in which the difference persisted when both were asked again (or could"
    " not be asked again); and those put before people as cases. `confirmed` is 0 where no"
    " flagged pair persisted: `not_confirmed`, beside, counts those. Everything on this page"
    " rests on `compared` alone.",
    kind="bars",
    unit="short",
    queries=(
        *(Query(expr=_stage(results), named=name) for name, results in _STAGES.items()),
        Query(expr=f"({_stage('confirmed|unconfirmed')}) - ({_stage('over_cap')})", named="case"),
    ),
    height=9,
    links=(_PAIRS, _FINDINGS),
)
_LOST: Final = Panel(
    title="What was not compared, and why",
    says="Ever since, by attribute: prompts that could not be rewritten safely (declined, with the"
    " reason), calls skipped for lack of budget, pairs not answered or without a score, pairs of"
    " replies that do not vary and were counted before (repeated), prompts that mention no group"
    " (unaware). As long as what is lost does not depend on the reply,"
    " what is left stays right and rests on fewer calls.",
    kind="table",
    unit="short",
    queries=(
        Query(
            expr=total(
                "guard_shadow_total",
                f'{STORE},attribute=~"$attribute|",'
                'result=~"declined_.*|skipped_.*|unaware|unscored|not_answered|repeated|refused'
                '|filtered|timed_out|failed|not_confirmed.*|over_cap"',
                "attribute",
                "result",
            ),
            named="n",
        ),
    ),
    height=9,
    links=(_FINDINGS,),
)

_ALARM: Final = Annotation(
    name="Alarm",
    expr=f"max by (use_case, metric, attribute) (guard_alarm_stands{{{_ALL_GROUPS}}}) == 1",
    title="Alarm: {{metric}} differs by {{attribute}} ({{use_case}})",
    says="There is enough evidence that some group is treated differently in this measure, by a"
    " size that is set to matter. The mark lasts while the alarm stands: evidence goes on to"
    " add up, and no second alarm comes of it. When somebody acknowledges it under Findings,"
    " evidence begins at 0 again, and a difference that is still there raises it again after"
    " about as many calls.",
    colour="red",
)
_EPOCH: Final = Annotation(
    name="New epoch",
    expr=f"sum by ({_LABELS}) (increase(guard_epochs_total{{{TESTS}}}[$__rate_interval])) > 0",
    title="Evidence of {{attribute}} begins at 0 again ({{use_case}})",
    says="A deployment, changed settings or an acknowledged alarm began a new epoch: what was"
    " measured before is about another system, or was taken note of, and no longer counts.",
    colour="blue",
)

FAIRNESS: Final = Board(
    uid="evenguard-fairness",
    title="Fairness",
    says="Does it treat groups differently? What was measured, of whom, and how sure it is. A"
    " reading near 0 is a reading near 0, and no statement that people are treated alike.",
    items=(
        _ANSWER,
        Row(title="Evidence"),
        *_EVIDENCE,
        Row(title="How large: $metric, $group"),
        *(_gap(window) for window in ("5m", "1h", "24h")),
        _estimate(),
        _similarity(),
        Row(title="What it rests on"),
        _FUNNEL,
        _LOST,
        _ALL_TESTS,
    ),
    variables=(
        JOB,
        replace(USE_CASE, values='label_values(guard_fairness{job=~"$job"}, use_case)', one=True),
        Variable(
            name="attribute",
            label="Attribute",
            values=f"label_values(guard_fairness_evidence{{{STORE}}}, attribute)",
        ),
        Variable(
            name="metric",
            label="Measure",
            values=f'label_values(guard_fairness{{{TESTS},groups!=""}}, metric)',
            one=True,
            begins="sentiment_gap_grounded",
        ),
        Variable(
            name="group",
            label="Group",
            values=f'label_values(guard_fairness{{{TESTS},metric="$metric"}}, groups)',
            one=True,
        ),
    ),
    annotations=(_ALARM, _EPOCH),
)
