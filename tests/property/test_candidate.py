"""A candidate policy changes nothing: not what is released, not what is scored, not the record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from guard.policy import Hold, OnUnscored, Policy, Rule, allow_phrase
from guard.records import Action, Outcome
from guard.testing import HEADS, Recorder, WordScorer, wrap_with

WORDS = {"toxicity": {"bad": 0.95, "poor": 0.6, "trash": 0.8}, "stereotype": {"typical": 0.7}}
TEXTS = st.lists(
    st.sampled_from(["word", "bad", "poor", "the trash", "typical", "\n"]), max_size=15
).flatmap(lambda words: st.just(" ".join(words)))
RULES = st.lists(
    st.builds(
        Rule,
        score=st.sampled_from(sorted(HEADS)[1:]),
        action=st.sampled_from(list(Action)[1:]),
        threshold=st.floats(0.01, 1),
    ),
    max_size=4,
).map(tuple)
POLICIES = st.builds(
    Policy,
    rules=RULES,
    enforce=st.booleans(),
    hold=st.sampled_from(Hold),
    on_unscored=st.sampled_from(OnUnscored),
    regenerations=st.integers(0, 2),
    allow=st.just((allow_phrase("the trash"),)),
)


CHUNKS = st.lists(TEXTS.map(lambda text: f"{text}. "), min_size=1, max_size=4)


def run(chunks: list[str], policy: Policy) -> tuple[list[str], list[str], Outcome]:
    """What was released piece by piece, what was scored, and the record."""
    scorer, seen = WordScorer(WORDS), Recorder()

    def model() -> Iterator[str]:
        yield from chunks

    pieces = list(wrap_with(model, policy=policy, scorer=scorer, observer=seen)())
    (outcome,) = seen.outcomes
    return pieces, scorer.texts, outcome


@given(
    policy=POLICIES,
    candidate=RULES,
    chunks=CHUNKS,
)
def test_with_any_candidate_everything_is_as_without_it(
    policy: Policy, candidate: tuple[Rule, ...], chunks: list[str]
) -> None:
    pieces, texts, outcome = run(chunks, policy)
    with_one = run(chunks, replace(policy, candidate=candidate))
    assert with_one[:2] == (pieces, texts)
    assert replace(with_one[2], candidate=None) == outcome


@given(
    policy=POLICIES, chunks=st.lists(TEXTS.map(lambda text: f"{text}. "), min_size=1, max_size=4)
)
def test_the_policy_as_its_own_candidate_never_differs(policy: Policy, chunks: list[str]) -> None:
    _, _, outcome = run(chunks, replace(policy, candidate=policy.rules))
    assert outcome.candidate is None or not outcome.candidate.differs


@given(rules=RULES, chunks=CHUNKS)
def test_it_asks_for_what_it_would_ask_for_if_it_were_in_force(
    rules: tuple[Rule, ...], chunks: list[str]
) -> None:
    observed = Policy(rules=rules, enforce=False)
    _, _, alone = run(chunks, observed)
    _, _, beside = run(chunks, Policy(rules=(), enforce=False, candidate=rules))
    assert beside.candidate is not None
    assert beside.candidate.fired == alone.fired
