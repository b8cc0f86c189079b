"""What the live guard kept becomes results that say how the traffic they rest on was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from guard.assessment.results import AssessmentResults, Conclusion, Provenance
from guard.assessment.stored_cases import CaseTexts, read_cases
from guard.assessment.stored_run import StoredTraffic, assess_stored
from guard.errors import AssessmentInputError
from guard.fairness import Fraction, Tally
from guard.fairness.catalogue import FTU
from guard.fairness.tally import Measured, merged
from guard.records import (
    Case,
    CaseKind,
    CaseRecord,
    CaseState,
    FiredScore,
    PairBody,
    ResponseBody,
    encode_body,
)
from guard.records.case_bodies import PairSide, ReplyBody, TurnBody
from guard.shadow.finding_counts import UnvariedPairs
from guard.shadow.findings import AttributeFinding
from tests.unit.assessment.assessments import value_of
from tests.unit.shadow.test_findings import gender

NOW = 86_400.0


def toxicity(*scores: float | None) -> Tally:
    return merged(Fraction(name="toxic_fraction").tally(score) for score in scores)


def unaware(*values: float) -> Tally:
    name = Measured(metric=FTU, attribute="gender").name
    return merged(Fraction(name=name).tally(value) for value in values)


def assessed(
    *buckets: Tally,
    findings: Sequence[AttributeFinding] = (),
    cases: CaseTexts | None = None,
    share: float | None = None,
) -> AssessmentResults:
    traffic = StoredTraffic(
        use_case="chat",
        now_seconds=NOW,
        buckets={at * 60.0: sums for at, sums in enumerate(buckets)},
        findings=findings,
        cases=cases or CaseTexts(),
        share=share,
    )
    return assess_stored(traffic, Provenance())


def record(kind: CaseKind, body: PairBody | ResponseBody, **more: object) -> CaseRecord:
    case = Case(
        id=f"{kind}-{more.get('opened_at', 30.0)}",
        kind=kind,
        use_case="chat",
        call_id="call",
        reasons=("toxicity",),
        opened_at=float(str(more.get("opened_at", 30.0))),
        body=encode_body(body),
        attribute=str(more.get("attribute", "")),
    )
    return CaseRecord(case=case, state=CaseState(str(more.get("state", "open"))))


def reply(text: str, value: float, **more: object) -> CaseRecord:
    fired = (FiredScore(score="toxicity", threshold=0.5, value=value),)
    body = ResponseBody(prompt="Hello?", reply=text, fired=fired)
    return record(CaseKind.RESPONSE, body, **more)


def side(group: str, text: str) -> PairSide:
    answer = ReplyBody(text=text, grounded={"sentiment": 0.5, "toxicity": None})
    return PairSide(group=group, turns=(TurnBody(role="user", content="Hi"),), replies=(answer,))


def test_figures_are_the_sums_of_all_replies_and_say_so() -> None:
    found = assessed(toxicity(0.9, 0.1), toxicity(0.2, 0.3, None))
    assert value_of(found, "toxic_fraction") == 0.25
    assert found.coverage.scored == 4
    assert found.coverage.unscored == {"no score": 1}
    first, second, third, *_ = found.summary
    assert "every reply that the guard judged from 1970-01-01 00:00 UTC" in first
    assert "5, of which 1 have no score" in first
    assert "not measured" in second
    assert "of 0 cases" in third
    assert set(found.summary[:3]) < set(found.provenance.notes)
    assert "keeps no sums of it" in found.not_assessed["cobs"]
    assert "toxic_fraction" not in found.not_assessed


def test_differences_are_those_of_the_sequential_tests() -> None:
    found = assessed(unaware(1.0, 0.0, 0.0), findings=[gender([0.5] * 200)], share=0.1)
    (one,) = found.comparisons
    assert one.conclusion is Conclusion.DIFFERENT
    assert (one.p_value, one.corrected) == (None, None)
    assert (one.difference.value, one.difference.n) == (pytest.approx(0.5, abs=0.02), 200)
    assert one.sentence in found.summary
    assert "a keyed hash" in found.summary[1]
    assert "(share 0.1 by the present settings)" in found.summary[1]
    (coverage,) = found.coverage.attributes
    assert (coverage.mentioned, coverage.unaware, coverage.compared) == (2, 1, 40)


def test_pairs_that_said_nothing_new_are_told_apart() -> None:
    unvaried = UnvariedPairs(deterministic=7, repeated=5)
    one = replace(gender([0.5] * 200), unvaried=unvaried)
    found = assessed(unaware(1.0), findings=[one], share=0.1)
    assert "5 more are of replies that do not vary and were counted before" in found.summary[1]
    (coverage,) = found.coverage.attributes
    assert coverage.rewritten - coverage.compared >= 5


def test_too_little_evidence_is_no_parity() -> None:
    (one,) = assessed(findings=[gender([0.1, -0.1])]).comparisons
    assert one.conclusion is Conclusion.UNDECIDED
    assert one.sentence.endswith("; this is not parity")


def test_texts_of_cases_are_shown_and_are_no_sample() -> None:
    pair = PairBody(
        first=side("female", "Lovely."),
        second=side("male", "No."),
        grounded_gaps={"sentiment_gap": 0.5, "length_gap": None},
        shown=(0, 0),
    )
    cases = read_cases(
        [
            reply("awful", 0.9),
            reply("worse", 0.95, opened_at=-5.0),
            reply("as an example", 0.99, state="example"),
            record(CaseKind.PAIR, pair, attribute="gender"),
        ],
        worst=1,
    )
    assert (cases.opened, cases.response_times) == (3, (30.0, -5.0))
    found = assessed(toxicity(0.9, 0.1), cases=cases)
    (worst,) = found.worst_responses
    assert (worst.response, worst.value, worst.score) == ("worse", 0.95, "toxicity")
    (apart,) = found.worst_pairs
    assert (apart.metric, apart.value, apart.first.response) == ("sentiment_gap", 0.5, "Lovely.")
    assert apart.second.scores == {"sentiment": 0.5}
    assert "3 cases, 2 of single replies, 1 of them in the time" in found.summary[2]
    assert "no random sample" in found.summary[2]


def test_a_body_of_another_version_shows_nothing() -> None:
    case = reply("x", 0.9).case
    broken = [
        CaseRecord(case=Case(**{**_fields(case), "kind": kind, "body": "{}"}), state=CaseState.OPEN)
        for kind in CaseKind
    ]
    found = read_cases(broken, worst=5)
    assert (found.opened, found.responses, found.pairs) == (2, (), ())


def _fields(case: Case) -> dict[str, object]:
    return {name: getattr(case, name) for name in Case.__slots__}


def test_nothing_kept_is_one_clear_error() -> None:
    with pytest.raises(AssessmentInputError, match=r"nothing of use case 'chat'.*store\.url"):
        assessed()
