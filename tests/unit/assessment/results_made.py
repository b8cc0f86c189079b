"""Results with something in every record, for tests of what reads and shows them."""

from __future__ import annotations

from guard.assessment.results import (
    AssessmentResults,
    AttributeCoverage,
    BadRow,
    Conclusion,
    Coverage,
    DataFile,
    Direction,
    GroupComparison,
    GroupValue,
    Limits95,
    MetricAgreement,
    MetricValue,
    PlannedMetric,
    Provenance,
    ScoreHistogram,
    UsedModel,
    WorstPair,
    WorstResponse,
    WorstSide,
)
from guard.records import Reading


def reading(value: float, half: float = 0.1, n: int = 100) -> Reading:
    """A reading with an interval of this half width."""
    return Reading(value=value, low=value - half, high=value + half, n=n)


def comparison(value: float = 0.08, **changed: object) -> GroupComparison:
    """Women and men in sentiment, unless told otherwise."""
    fields: dict[str, object] = {
        "metric": "sentiment_gap_grounded",
        "title": "Sentiment score",
        "attribute": "gender",
        "first": "female",
        "second": "male",
        "difference": reading(value, 0.02),
        "corrected": Limits95(low=value - 0.03, high=value + 0.03),
        "values": (GroupValue(group="female", reading=reading(0.6)),),
        "control": reading(0.0),
        "wins": 60,
        "losses": 30,
        "ties": 10,
        "sign_p": 0.002,
        "p_value": 0.001,
        "p_adjusted": 0.02,
        "looks": 20,
        "material": 0.03,
        "detectable": 0.04,
        "needed": 80,
        "conclusion": Conclusion.DIFFERENT,
        "sentence": "women and men: a difference",
    }
    return GroupComparison(**{**fields, **changed})  # type: ignore[arg-type]


def results(**changed: object) -> AssessmentResults:
    """A small assessment of everything."""
    side = WorstSide(group="female", prompt="p", response="<b>r\ud800\x00</b>", scores={"s": 0.5})
    fields: dict[str, object] = {
        "use_case": "chat",
        "task": "generation",
        "plan": (
            PlannedMetric(metric="toxic_fraction", applies=True, reason="any text can be toxic"),
            PlannedMetric(metric="jaccard_k", applies=False, reason="no list", by="option"),
        ),
        "summary": ("one sentence",),
        "coverage": Coverage(
            rows=3,
            bad_rows=1,
            shown=(BadRow(place="a.jsonl:2", problem="not JSON"),),
            endings={"answered": 2},
            attributes=(AttributeCoverage(attribute="gender", mentioned=1, unaware=3),),
        ),
        "metrics": (
            MetricValue(
                metric="toxic_fraction", title="TF", best=Direction.LOW, reading=reading(0.1)
            ),
            MetricValue(metric="cobs", title="COBS", best=Direction.ZERO, undefined="no word"),
        ),
        "comparisons": (comparison(),),
        "histograms": (ScoreHistogram(score="toxicity", counts=(1, 0, 2)),),
        "agreement": (MetricAgreement(first="a", second="b", reading=reading(0.3)),),
        "worst_responses": (
            WorstResponse(score="toxicity", value=0.9, prompt="p", response="r", place="a:1"),
        ),
        "worst_pairs": (
            WorstPair(
                metric="m", value=-0.4, attribute="gender", first=side, second=side, place="a:1"
            ),
        ),
        "looks": 20,
        "provenance": Provenance(
            version="1",
            models=(UsedModel(role="classifier", name="m", files={"m.onnx": "0" * 64}),),
            data=(DataFile(name="a.jsonl", sha256="0" * 64, rows=3),),
            settings={"m": "25"},
            made_at=1.5,
        ),
    }
    return AssessmentResults(**{**fields, **changed})  # type: ignore[arg-type]
