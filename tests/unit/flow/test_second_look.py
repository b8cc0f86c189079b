"""Where the fast scores would act, a second scorer reads the passage and decides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.flow.second_look import join_scores, ranges_to_read
from guard.policy import Hold, Policy, Rule, SecondOpinion, decide
from guard.records import Action, Assessment, LookResult, Score, Span, Unscored, Verdict
from guard.testing import HeldScorer, Recorder, WordScorer, wrap_with

FAST = WordScorer(
    {"toxicity": {"kill": 0.95, "trash": 0.95, "hate": 0.6, "dull": 0.45, "odd": 0.2}}
)
RULES = (
    Rule(score="toxicity", action=Action.FLAG, threshold=0.5),
    Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),
)
POLICY = Policy(rules=RULES, fallback="No.", second=SecondOpinion(rules=RULES, margin=0.1))


def careful(**words: float) -> WordScorer:
    """A second scorer that knows better."""
    return WordScorer({"toxicity": {"odd": 0.95, **words}})


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


def ask(text: str, second: Any, recorder: Recorder, policy: Policy = POLICY) -> str:
    def model() -> str:
        return text

    return wrap_with(model, policy=policy, scorer=FAST, observer=recorder, second=second)()


RESULTS = [
    ("Kill the process.", {}, LookResult.OVERTURNED, Verdict.RELEASED),
    ("Kill the process.", {"kill": 0.92}, LookResult.UPHELD, Verdict.BLOCKED),
    ("Kill the process.", {"kill": 0.6}, LookResult.LOWERED, Verdict.FLAGGED),
    ("I hate this.", {"hate": 0.95}, LookResult.RAISED, Verdict.BLOCKED),
    ("How dull.", {"dull": 0.7}, LookResult.RAISED, Verdict.FLAGGED),
    ("How dull.", {}, LookResult.PASSED, Verdict.RELEASED),
]


@pytest.mark.parametrize(("text", "words", "result", "verdict"), RESULTS)
def test_the_second_scorer_decides(
    recorder: Recorder, text: str, words: dict[str, float], result: LookResult, verdict: Verdict
) -> None:
    said = ask(text, careful(**words), recorder)
    assert said == ("No." if verdict is Verdict.BLOCKED else text)
    (outcome,) = recorder.outcomes
    assert outcome.verdict is verdict
    (look,) = outcome.second_looks
    assert look.result is result
    assert look.spans == (Span(start=0, end=len(text)),)
    assert look.fast["toxicity"] == outcome.assessment.value("toxicity")
    assert look.second["toxicity"] == max(words.values(), default=0.0)


class WholeScorer(WordScorer):
    """Says nothing about the passages of a text."""

    def assess(self, text: str) -> Assessment:
        return replace(super().assess(text), passages=())


def test_what_is_said_about_a_range_is_said_about_the_passage_that_was_looked_for(
    recorder: Recorder,
) -> None:
    rules = (Rule(score="toxicity", action=Action.REDACT, threshold=0.5),)
    policy = Policy(rules=rules, redaction="[…]", second=SecondOpinion(rules=rules))
    text = "Look at this. I hate you. Then we left."
    second = WholeScorer({"toxicity": {"hate": 0.8}})
    assert ask(text, second, recorder, policy) == "Look at this. I […] you. Then we left."
    assert second.texts == [text]


def test_a_passage_has_the_scores_of_the_windows_that_it_touches() -> None:
    span, cause = Span(start=10, end=50), Span(start=12, end=16)
    scores = {
        "toxicity": Score(value=0.7, span=Span(start=0, end=5)),
        "stereotype": Score(value=0.6, span=Span(start=20, end=40)),
    }
    elsewhere = Span(start=60, end=70)
    joined = join_scores([(span, Assessment(scores=scores))], [cause, elsewhere])
    (passage,) = joined.passages
    assert (passage.span, passage.values) == (cause, {"toxicity": 0.7})


def test_nobody_looks_where_the_fast_scores_are_far_from_any_rule(recorder: Recorder) -> None:
    second = careful()
    assert ask("How odd.", second, recorder) == "How odd."
    assert second.texts == []
    assert recorder.outcomes[0].second_looks == ()


def test_what_fired_is_what_the_second_scorer_says(recorder: Recorder) -> None:
    ask("Kill the process.", careful(kill=0.92), recorder)
    assert [one.value for one in recorder.outcomes[0].fired] == [0.92, 0.92]


def test_a_passage_is_read_with_the_sentences_beside_it(recorder: Recorder) -> None:
    second = careful()
    ask("One. Two here. Kill it. Four here. Five. Six. I hate it.", second, recorder)
    assert second.texts == ["Two here. Kill it. Four here.", "Six. I hate it."]


def test_a_score_that_the_second_scorer_does_not_make_is_decided_by_the_fast_one(
    recorder: Recorder,
) -> None:
    fast = WordScorer({"toxicity": {"kill": 0.95}, "stereotype": {"kill": 0.7}})
    both = (*RULES, Rule(score="stereotype", action=Action.FLAG, threshold=0.5))
    policy = replace(POLICY, rules=both)
    assert (
        wrap_with(
            lambda: "Kill it.", policy=policy, scorer=fast, observer=recorder, second=careful()
        )()
        == "Kill it."
    )
    (outcome,) = recorder.outcomes
    assert [one.score for one in outcome.fired] == ["stereotype"]
    assert outcome.second_looks[0].result is LookResult.LOWERED


REASONS = [
    (Unscored.DEADLINE, LookResult.LATE),
    (Unscored.OVERLOAD, LookResult.OVERLOADED),
    (Unscored.ENGINE_ERROR, LookResult.FAILED),
    (Unscored.CLOSED, LookResult.FAILED),
    (Unscored.LANGUAGE, LookResult.FAILED),
]


@pytest.mark.parametrize(("reason", "result"), REASONS)
@pytest.mark.parametrize(
    ("text", "verdict"), [("Kill.", Verdict.BLOCKED), ("Dull.", Verdict.RELEASED)]
)
def test_without_an_answer_the_fast_decision_stands(
    recorder: Recorder, reason: Unscored, result: LookResult, text: str, verdict: Verdict
) -> None:
    class Silent(WordScorer):
        def assess(self, text: str) -> Assessment:
            return Assessment(scores={"toxicity": Score(value=None, reason=reason)}, reason=reason)

    ask(text, Silent({}), recorder)
    (outcome,) = recorder.outcomes
    assert outcome.verdict is verdict
    assert outcome.unscored is None
    assert outcome.second_looks[0].result is result
    assert outcome.second_looks[0].second == {}


def test_a_second_scorer_that_raises_is_counted_and_the_fast_decision_stands(
    recorder: Recorder,
) -> None:
    class Broken(WordScorer):
        def submit(self, text: str, *, deadline_seconds: float | None = None) -> Any:
            raise RuntimeError("broken")

    assert ask("Kill it.", Broken({}), recorder) == "No."
    assert recorder.outcomes[0].second_looks[0].result is LookResult.FAILED


class Unkept(WordScorer):
    """Its futures end in an exception or in something else, or are cancelled, contrary to what the
    port asks for."""

    def __init__(self, result: object) -> None:
        super().__init__({})
        self._result = result

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Any:
        ended: Future[object] = Future()
        if isinstance(self._result, CancelledError):
            ended.cancel()
        elif isinstance(self._result, Exception):
            ended.set_exception(self._result)
        else:
            ended.set_result(self._result)
        return ended


UNKEPT = [RuntimeError("broken"), TimeoutError(), CancelledError(), None, {"toxicity": 0.0}]


@pytest.mark.parametrize("result", UNKEPT, ids=lambda result: type(result).__name__)
@pytest.mark.parametrize("enforce", [True, False], ids=["enforced", "observed"])
@pytest.mark.parametrize("asynchronous", [False, True], ids=["blocking", "on a loop"])
def test_a_future_without_a_result_fails_no_caller(
    recorder: Recorder, result: object, enforce: bool, asynchronous: bool
) -> None:
    policy, second = replace(POLICY, enforce=enforce), Unkept(result)

    async def model() -> str:
        return "Kill it."

    async def call() -> str:
        guarded = wrap_with(model, policy=policy, scorer=FAST, observer=recorder, second=second)
        return await guarded()

    said = asyncio.run(call()) if asynchronous else ask("Kill it.", second, recorder, policy)
    assert said == ("No." if enforce else "Kill it.")
    assert recorder.outcomes[0].second_looks[0].result is LookResult.FAILED


@pytest.mark.parametrize("asynchronous", [False, True], ids=["blocking", "on a loop"])
def test_a_scorer_that_does_not_answer_is_late(recorder: Recorder, asynchronous: bool) -> None:
    policy = replace(POLICY, deadline_seconds=0.01)

    async def model() -> str:
        return "Kill it."

    async def call() -> str:
        guarded = wrap_with(
            model, policy=policy, scorer=FAST, observer=recorder, second=HeldScorer()
        )
        return await guarded()

    said = asyncio.run(call()) if asynchronous else ask("Kill it.", HeldScorer(), recorder, policy)
    assert said == "No."
    assert recorder.outcomes[0].second_looks[0].result is LookResult.LATE


def test_what_a_scorer_says_after_the_deadline_decides_nothing(recorder: Recorder) -> None:
    now = [0.0]

    class Slow(WordScorer):
        def submit(self, text: str, *, deadline_seconds: float | None = None) -> Any:
            now[0] += 3.0
            return super().submit(text, deadline_seconds=deadline_seconds)

    def model() -> str:
        return "Kill it."

    policy = replace(POLICY, deadline_seconds=2.0)
    guarded = wrap_with(
        model,
        policy=policy,
        scorer=FAST,
        observer=recorder,
        second=Slow({}),
        clock=lambda: now[0],
    )
    assert guarded() == "No."
    assert recorder.outcomes[0].second_looks[0].result is LookResult.LATE


def test_who_cancels_a_call_that_waits_for_a_score_has_it_cancelled(recorder: Recorder) -> None:
    async def model() -> str:
        return "Kill it."

    async def call() -> None:
        second = HeldScorer()
        guarded = wrap_with(model, policy=POLICY, scorer=FAST, observer=recorder, second=second)
        asked = asyncio.ensure_future(guarded())
        while not second.waiting:
            await asyncio.sleep(0)
        asked.cancel()
        await asked

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(call())


def test_both_looks_share_one_deadline(recorder: Recorder) -> None:
    times = iter([10.0, 10.4, 10.4, 10.5, 10.5])
    second = HeldScorer()
    policy = replace(POLICY, deadline_seconds=1.0)

    async def model() -> str:
        return "Kill it."

    guarded = wrap_with(
        model,
        policy=policy,
        scorer=FAST,
        observer=recorder,
        second=second,
        clock=lambda: next(times),
    )

    async def call() -> str:
        asked = asyncio.ensure_future(guarded())
        while not second.waiting:
            await asyncio.sleep(0)
        assert second.waiting[0][1] == pytest.approx(0.6)
        second.answer(Assessment(reason=Unscored.DEADLINE))
        return await asked

    assert asyncio.run(call()) == "No."
    assert recorder.outcomes[0].second_looks[0].seconds == pytest.approx(0.1)
    assert recorder.outcomes[0].added_seconds == pytest.approx(0.5)


def test_in_observe_mode_the_look_is_taken_and_nobody_waits(recorder: Recorder) -> None:
    second = HeldScorer()
    policy = replace(POLICY, enforce=False)
    assert ask("Kill it.", second, recorder, policy) == "Kill it."
    assert recorder.outcomes == []
    assert second.waiting[0][1] is None
    second.answer(careful().assess("Kill it."))
    (outcome,) = recorder.outcomes
    assert (outcome.verdict, outcome.fired) == (Verdict.RELEASED, ())
    assert outcome.second_looks[0].result is LookResult.OVERTURNED


Run = Callable[[list[str], Recorder, WordScorer], str]


def streamed(pieces: list[str], recorder: Recorder, second: WordScorer) -> str:
    def model() -> Iterator[str]:
        yield from pieces

    return "".join(wrap_with(model, policy=POLICY, scorer=FAST, observer=recorder, second=second)())


def streamed_async(pieces: list[str], recorder: Recorder, second: WordScorer) -> str:
    async def model() -> AsyncIterator[str]:
        for piece in pieces:
            yield piece

    async def call() -> str:
        guarded = wrap_with(model, policy=POLICY, scorer=FAST, observer=recorder, second=second)
        return "".join([piece async for piece in guarded()])

    return asyncio.run(call())


@pytest.mark.parametrize("run", [streamed, streamed_async])
def test_a_stream_goes_on_where_the_second_scorer_says_so(run: Run, recorder: Recorder) -> None:
    pieces = ["Your disk is full. ", "Empty the trash. ", "Then restart. ", "Done."]
    assert run(pieces, recorder, careful()) == "".join(pieces)
    (outcome,) = recorder.outcomes
    assert (outcome.verdict, outcome.fired) == (Verdict.RELEASED, ())
    assert {one.result for one in outcome.second_looks} == {LookResult.OVERTURNED}
    start = outcome.reply.index("Empty")
    assert all(
        span.start <= start < span.end for look in outcome.second_looks for span in look.spans
    )


@pytest.mark.parametrize("run", [streamed, streamed_async])
def test_a_stream_ends_where_the_second_scorer_agrees(run: Run, recorder: Recorder) -> None:
    pieces = ["Your disk is full. ", "I will kill you. ", "Then restart. ", "Done."]
    assert run(pieces, recorder, careful(kill=0.99)) == "Your disk is full. No."
    assert recorder.outcomes[0].verdict is Verdict.BLOCKED


def test_a_look_at_a_reply_that_was_asked_for_again_keeps_no_range(recorder: Recorder) -> None:
    rules = (Rule(score="toxicity", action=Action.REGENERATE, threshold=0.5),)
    policy = Policy(rules=rules, fallback="No.", second=SecondOpinion(rules=rules))
    replies = iter(["Kill it.", "Fine."])
    guarded = wrap_with(
        lambda: next(replies),
        policy=replace(policy, hold=Hold.FULL),
        scorer=FAST,
        observer=recorder,
        second=careful(kill=0.8),
    )
    assert guarded() == "Fine."
    (look,) = recorder.outcomes[0].second_looks
    assert (look.result, look.spans) == (LookResult.UPHELD, ())


WORDS = st.sampled_from(["kill", "hate", "dull", "odd", "and", "so", "it. ", "goes! ", "on.\n"])
TEXTS = st.lists(WORDS, min_size=1, max_size=40).map(" ".join)


@given(TEXTS)
def test_the_ranges_hold_whatever_acts_and_do_not_overlap(text: str) -> None:
    found = FAST.assess(text)
    ranges = ranges_to_read(text, POLICY, found)
    acts = [p.span for p in found.passages if p.values["toxicity"] >= 0.4]
    for span in acts:
        assert any(one.start <= span.start and span.end <= one.end for one in ranges)
    assert all(one.end < two.start for one, two in pairwise(ranges))
    assert bool(ranges) == bool(acts)


@given(TEXTS)
def test_a_second_scorer_that_agrees_changes_no_decision(text: str) -> None:
    found = FAST.assess(text)
    parts = [
        (span, FAST.assess(text[span.start : span.end]))
        for span in ranges_to_read(text, POLICY, found)
    ]
    if parts:
        joined = join_scores(parts)
        assert decide(POLICY, joined) == decide(POLICY, found)
        places = {one.span: one.values for one in found.passages}
        assert all(places[one.span] == one.values for one in joined.passages)
