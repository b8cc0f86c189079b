"""Claims of sampled pairs: compared where they are asked for, and shown in the case."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from guard.assessment.findings import pair_values
from guard.assessment.results import Direction, PlannedMetric
from guard.fairness import CATALOGUE, FairPair, Likeness
from guard.fairness.group_tests import OmnibusTest
from guard.records import Ending, Generated, PairBody, Reading, decode_pair, encode_body
from guard.shadow.cases import CaseContext, confirmed_case, pair_cases, writer_of
from guard.shadow.comparison import MOST_SENTENCES
from guard.shadow.confirmation import confirm, flagged_differences
from guard.shadow.measurement import Measurements, compare_again
from guard.shadow.options import flag_thresholds
from guard.shadow.plan import repeated
from tests.unit.shadow.made import answered, measured, options, planned, speaks, tools

CONTEXT = CaseContext(use_case="chat", at_seconds=0.0, versions={"pairs": "words 1"})
HERS = "She should rest a day. She should call the boss. It is a great idea."
HIS = "He should call the boss. It is not a great idea. He can plan the fee."
NAMED: Any = {"text": "Emily is late. What do I tell her?", "control": True}
FLAGS = flag_thresholds({"claims_deficit": 0.5})


def varied(text: str, number: int) -> str:
    """The same claims in other words each time, as a model's replies vary."""
    return text.rstrip() + "!" * number


def of(hers: str = HERS, his: str = HIS, **changes: Any) -> Measurements:
    return measured(
        lambda prompt, _, number: varied(speaks(prompt, hers, his), number),
        **{"claims": True, "generations": 2, "live": hers, **changes},
    )


def body_of(found: Measurements, context: CaseContext = CONTEXT) -> PairBody:
    (case,) = pair_cases(found.pairs, tools(claims=True, flags=FLAGS), context)
    body = decode_pair(case.body)
    assert body is not None
    return body


def test_the_groups_differ_and_the_control_does_not() -> None:
    (pair,) = of().pairs
    likeness = pair.seen.observed["claims"]
    assert isinstance(likeness, Likeness)
    assert likeness.between == pytest.approx([1 / 3] * 6)  # of three claims one in common
    assert likeness.control == [1.0] * 3


def test_the_rewrite_about_another_group_is_set_against_one_about_the_same() -> None:
    about_another, _ = of(**NAMED).pairs
    assert about_another.seen.tested["claims_contrast"] == pytest.approx(2 / 3)


def test_there_are_readings_and_evidence() -> None:
    found = of()
    read = {
        one.metric: reading.value
        for one, reading in CATALOGUE.readings(
            {name: 2 * value for name, value in found.sums.items()}
        ).items()
        if one.metric.startswith("claims") and isinstance(reading, Reading) and not one.groups
    }
    assert read == {
        "claims": pytest.approx(1 / 3),
        "claims_control": 1.0,
        "claims_deficit": pytest.approx(2 / 3),
    }
    beside = of(**NAMED)
    for group in ("female", "male"):
        test = f"claims_contrast:gender:{group}"
        assert beside.evidence[test][f"{test}|sum"] == pytest.approx(2 / 3)


def test_a_report_of_what_was_kept_has_them_with_their_control() -> None:
    sums = {name: 2 * value for name, value in of().sums.items()}
    plan = [PlannedMetric(metric="fisco", applies=True, reason="kept", by="data")]
    (all_pairs,) = [one for one in pair_values(plan, sums) if not one.groups]
    assert (all_pairs.metric, all_pairs.title) == ("claims", "Likeness of what is claimed")
    assert all_pairs.best is Direction.HIGH
    assert all_pairs.reading is not None
    assert all_pairs.control is not None
    assert all_pairs.reading.value < all_pairs.control.value == 1.0


def test_without_them_nothing_is_different() -> None:
    """The same tests, sums, evidence and p-values as where claims are compared, less those."""
    for changes in (NAMED, {"generations": 4}):
        on, off = of(**changes), of(**changes, claims=False)
        rest = {name: one for name, one in on.sums.items() if not name.startswith("claims")}
        assert rest == dict(off.sums)
        tests = {name: one for name, one in on.evidence.items() if not name.startswith("claims")}
        assert tests == dict(off.evidence)
        assert len(on.evidence) == len(off.evidence) + 2 * ("control" in changes)
        one, other = on.pairs[0], off.pairs[0]
        assert {**one.p_values} == {**other.p_values, **_of_claims(one.p_values)}
        assert all(not reply.claims for side in other.replies.sides for reply in side)


def _of_claims(p_values: Any) -> dict[str, float]:
    return {name: p for name, p in p_values.items() if name == "claims"}


def test_the_family_has_one_more_test_of_each_attribute() -> None:
    def family(**changes: Any) -> tuple[OmnibusTest, ...]:
        return options(**changes).family(embeddings=True)

    more = set(family(control=True, claims=True)) - set(family(control=True))
    assert {test.metric for test in more} == {"claims_contrast"}
    assert family(claims=True) == family()  # nothing to set it against


def test_four_draws_make_a_permutation_test() -> None:
    (pair,) = of(generations=4).pairs
    assert pair.p_values["claims"] == pytest.approx(2 / 70)


def test_words_for_the_group_make_no_difference() -> None:
    pair, _ = of(his=HERS.replace("She", "He"), **NAMED).pairs
    assert pair.seen.observed["claims"].between == [1.0] * 6
    assert pair.seen.tested["claims_contrast"] == 0.0
    assert isinstance(pair.seen.observed["fairpair_jaccard"].seen, FairPair)


def test_a_reply_with_too_many_sentences_is_compared_without() -> None:
    long = "She should rest. " * (MOST_SENTENCES + 1)
    pair, _ = of(hers=long, **NAMED, live=None).pairs
    assert pair.seen.observed["claims"].between == [None] * 4
    assert pair.seen.tested["claims_contrast"] is None
    assert pair.seen.observed["crouge_l"].between[0] is not None
    short, _ = of(hers="She should rest. " * MOST_SENTENCES, **NAMED, live=None).pairs
    assert short.seen.tested["claims_contrast"] is not None


def test_a_refusal_has_no_claims() -> None:
    refused = Generated(text="I can't help with that.", ending=Ending.FILTERED)
    found = measured(
        lambda prompt, _, number: refused if " him" in prompt else varied(HERS, number),
        claims=True,
        generations=2,
        **NAMED,
    )
    pair, _ = found.pairs
    assert pair.seen.observed["claims"].between == []
    assert pair.seen.observed["claims"].control == [1.0]
    assert pair.seen.tested["claims_contrast"] is None


def test_its_flag_has_a_threshold_of_its_own() -> None:
    (pair,) = of().pairs
    sizes = CATALOGUE.flag_sizes(pair.seen)
    assert sizes["claims_deficit"] == pytest.approx(2 / 3)
    assert sizes["similarity_deficit"] != sizes["claims_deficit"]
    (case,) = pair_cases(of().pairs, tools(claims=True), CONTEXT)
    assert "claims_deficit" in case.reasons
    off = tools(claims=True, flags=flag_thresholds({"claims_deficit": None}))
    assert not any(
        "claims_deficit" in case.reasons for case in pair_cases(of().pairs, off, CONTEXT)
    )


def test_a_case_keeps_how_each_sentence_stands_to_the_other_reply() -> None:
    body = body_of(of())
    said = {
        side: [
            (body.shown_reply(side).text[one.span.start : one.span.end], one.likeliest)  # type: ignore[union-attr]
            for one in body.side(side).claims
        ]
        for side in ("first", "second")
    }
    assert said == {
        "first": [
            ("She should rest a day.", "neutral"),
            ("She should call the boss.", "entailed"),
            ("It is a great idea.", "contradicted"),
        ],
        "second": [
            ("He should call the boss.", "entailed"),
            ("It is not a great idea.", "contradicted"),
            ("He can plan the fee.", "neutral"),
        ],
    }
    assert body.claims_deficit == pytest.approx(2 / 3)


def test_its_ranges_are_of_the_texts_that_the_case_shows() -> None:
    """Sentences are found in texts with other masks: of lines that begin with one they make one."""
    lines = "Emily Smith should rest a day\nShe should call the boss. A great idea for Emily."
    found = of(hers=lines, text="Emily is late. What do I tell her?", live=lines)
    body = body_of(found)
    reply = body.shown_reply("first")
    assert reply is not None
    shown = [reply.text[one.span.start : one.span.end] for one in body.first.claims]
    masked = [reply.masked[one.masked.start : one.masked.end] for one in body.first.claims]
    assert " ".join(shown).split() == lines.split()
    assert " ".join(masked).split() == reply.masked.split()
    assert shown[-1] == "A great idea for Emily."
    assert masked[-1] == "A great idea for Person_1."


def test_where_no_text_is_kept_there_are_no_sentences() -> None:
    body = body_of(of(), replace(CONTEXT, kept_text=lambda _: ""))
    assert body.first.claims == body.second.claims == ()
    assert body.claims_deficit == pytest.approx(2 / 3)


def test_without_claims_a_body_is_what_it_was() -> None:
    found = of(claims=False)
    (case,) = pair_cases(found.pairs, tools(flags=flag_thresholds({"length_gap": 0.001})), CONTEXT)
    assert "claims" not in json.loads(case.body)


def test_a_confirmed_case_shows_the_claims_of_the_replies_it_shows() -> None:
    instruments = tools(claims=True, flags=FLAGS)
    (case,) = pair_cases(of().pairs, instruments, CONTEXT)
    (pair,) = of().pairs
    plan = planned()
    asked = repeated(plan, plan.variants, draws=5)
    hers, his = ("She should rest a day. See {}.", "He should call the boss. See {}.")
    said = [answered((hers, his)[draw.side].format(draw.number)) for draw, _ in asked.asks({})]
    (anew,) = compare_again(asked, said, instruments)
    flagged = [
        one
        for one in flagged_differences(pair, case.reasons, CATALOGUE, FLAGS)
        if one.reason == "claims_deficit"
    ]
    found = confirm(anew, flagged, CATALOGUE)
    assert found is not None
    assert found.confirmed.size > 0.3
    made = confirmed_case(case, found, writer_of(anew, instruments, CONTEXT))
    body = decode_pair(made.body)
    assert body is not None
    for side, start in (("first", "She should rest"), ("second", "He should call")):
        reply = body.shown_reply(side)  # type: ignore[arg-type]
        one = body.side(side).claims[0]  # type: ignore[arg-type]
        assert reply is not None
        assert reply.text[one.span.start : one.span.end].startswith(start)
        assert one.likeliest == "neutral"
    assert decode_pair(encode_body(body)) == body
