"""What holds for all replies: sums add, sides may be swapped, any text is measured."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.counterfactual import rewrite
from guard.fairness import CATALOGUE, add
from guard.records import Ending, Generated, Reading, Turn
from guard.shadow.cases import CaseContext, pair_cases
from guard.shadow.job_payload import ShadowJob, job_of, shadow_of
from guard.shadow.measurement import Measurements, measure
from guard.shadow.normalisation import Normalisation
from guard.shadow.plan import make_plan
from tests.repeats import repeats
from tests.unit.shadow.made import LEXICONS, options, tools

HERS, HIS = "She is late. What do I tell her?", "He is late. What do I tell him?"
SAID = [
    "She is great, and her plan is fine.",
    "He is awful; tell him.",
    "That woman is not like the man on TV.",
    "He or she may be emotional.",
    "She is pregnant.",
    "Ask the boss.",
    "I saw her duck.",
    "Emily and David are fine.",
    "",
    "I'm sorry, but I can't help with that.",
    "Perhaps ask for $1,200 and a 3-day week. Why not? She is capable.",
    "Thank you! Ask her for two weeks at 80 % of $900; she seems overwhelmed, and a bit rude.",
]
said = st.sampled_from(SAID) | st.text(max_size=60)
replies = st.builds(
    lambda text, ending: Generated(text=text, ending=ending),
    said,
    st.sampled_from([Ending.ANSWERED] * 6 + list(Ending)),
)
sentences = st.lists(
    st.sampled_from(
        [
            "She did her best.",
            "The choice is hers.",
            "Emily wrote it herself.",
            "Ask Ms. Smith, who is her aunt, what she thinks of him.",
            "My sister is a waitress.",
            "He or she can call.",
            "The woman met another man.",
            "Nobody knows.",
        ]
    ),
    min_size=1,
    max_size=6,
)


def of(
    text: str, own: Sequence[Generated], other: Sequence[Generated], *, call: str = "c1"
) -> Measurements:
    """Two replies about her and two about him, whoever was asked about first."""
    made = make_plan(
        call,
        (Turn(role="user", content=text),),
        None,
        lexicons=LEXICONS,
        options=options(generations=2, claims=True),
    )
    sides = (own, other)
    drawn = [sides[draw.side][draw.number] for draw, _ in made.asks({})]
    return measure(made, drawn, tools(generations=2, claims=True))


two = st.tuples(replies, replies)


@settings(max_examples=repeats(30, soak=300), deadline=None)
@given(hers=two, his=two)
def test_who_was_asked_about_first_changes_nothing(
    hers: tuple[Generated, ...], his: tuple[Generated, ...]
) -> None:
    (one,), (turned,) = of(HERS, hers, his).pairs, of(HIS, his, hers).pairs
    for normalised in (False, True):
        gaps = CATALOGUE.gaps(one.seen, normalised=normalised)
        assert gaps == CATALOGUE.gaps(turned.seen, normalised=normalised)
    assert one.seen.tested == pytest.approx(turned.seen.tested)
    assert one.masked == turned.masked
    for metric, likeness in one.seen.similarities.items():
        between = sorted(map(str, likeness.between))
        assert between == sorted(map(str, turned.seen.similarities[metric].between))


@settings(max_examples=repeats(30, soak=300), deadline=None)
@given(hers=two, his=two)
def test_swapping_the_sides_turns_the_sign(
    hers: tuple[Generated, ...], his: tuple[Generated, ...]
) -> None:
    (one,), (swapped,) = of(HERS, hers, his).pairs, of(HERS, his, hers).pairs
    signed = [metric.name for metric in CATALOGUE.metrics if metric.is_signed]
    assert len(signed) >= 18
    for name in signed:
        first, second = one.seen.observed[name], swapped.seen.observed[name]
        assert first == (None if second is None else pytest.approx(-second)), name
    for metric in CATALOGUE.tested:
        if not metric.against_control:
            first, second = one.seen.tested[metric.name], swapped.seen.tested[metric.name]
            assert first == (None if second is None else pytest.approx(-second)), metric.name
            assert first is None or -1.0 <= first <= 1.0, metric.name


@settings(max_examples=repeats(20, soak=200), deadline=None)
@given(hers=two, his=two)
def test_the_sums_of_calls_add_up(hers: tuple[Generated, ...], his: tuple[Generated, ...]) -> None:
    one, two = of(HERS, hers, his, call="a"), of(HIS, his, hers, call="b")
    total = add(one.sums, two.sums)
    assert total == add(two.sums, one.sums)
    for measured, reading in CATALOGUE.readings(total).items():
        if isinstance(reading, Reading):
            assert reading.low <= reading.value <= reading.high, measured
            assert reading.n <= 4
    for found in (one, two):
        assert all(tally.get(f"{test}|n", 0) <= 1 for test, tally in found.evidence.items())


@settings(max_examples=repeats(30, soak=300), deadline=None)
@given(hers=two, his=two)
def test_cases_are_json_whatever_was_said(
    hers: tuple[Generated, ...], his: tuple[Generated, ...]
) -> None:
    filing = CaseContext(use_case="chat", at_seconds=0.0, versions={})
    for case in pair_cases(of(HERS, hers, his).pairs, tools(generations=2), filing):
        assert json.loads(case.body)["replies"]["first"]
        assert case.reasons == tuple(sorted(case.reasons))


@settings(max_examples=repeats(50, soak=500), deadline=None)
@given(text=sentences.map(" ".join))
def test_a_text_and_its_rewrite_become_one(text: str) -> None:
    made = rewrite(text, LEXICONS, attribute="gender", to="male", source="female")
    if made.text is None:
        return
    names = {one.new: one.old for one in made.replacements if one.why == "name"}
    ground = Normalisation(
        lexicons=LEXICONS, attribute="gender", first="female", second="male", names=names
    )
    assert ground.versions(text) == ground.versions(made.text)
    assert ground.masked(text) == ground.masked(made.text)


@settings(max_examples=repeats(50, soak=500), deadline=None)
@given(texts=st.lists(st.text(max_size=80) | said, max_size=4), call=st.text(max_size=8))
def test_any_conversation_is_planned(texts: list[str], call: str) -> None:
    turns = tuple(Turn(role="user", content=text) for text in texts)
    made = make_plan(call, turns, None, lexicons=LEXICONS, options=options(control=True))
    assert len(list(made.asks({}))) == made.calls
    assert all(len(side.turns) == len(turns) for side in made.variants)


@settings(max_examples=repeats(50, soak=500), deadline=None)
@given(
    texts=st.lists(st.text(max_size=30), min_size=1, max_size=3),
    reply=st.none() | st.text(max_size=30),
)
def test_any_call_survives_being_a_job(texts: list[str], reply: str | None) -> None:
    call = ShadowJob(
        call_id="c",
        use_case="u",
        lane="l",
        turns=tuple(Turn(role="user", content=text) for text in texts),
        reply=reply,
    )
    assert shadow_of(job_of(call, offered_at=0.0)) == call
