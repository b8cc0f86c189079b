"""Functions that answer in one piece."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import pytest

from guard.errors import Blocked
from guard.flow import Codec, Piece
from guard.policy import OnUnscored, Policy, Rule
from guard.records import Action, Assessment, Span, Unscored, Verdict
from guard.testing import HeldScorer, Recorder, WordScorer, answered, wrap_with

SCORER = WordScorer({"toxicity": {"nasty": 0.95, "rude": 0.6}, "stereotype": {"always": 0.8}})


def rule(action: Action, threshold: float, score: str = "toxicity") -> Rule:
    return Rule(score=score, action=action, threshold=threshold)


BLOCK = Policy(rules=(rule(Action.FLAG, 0.5), rule(Action.BLOCK, 0.9)), fallback="No.")
REDACT = Policy(rules=(rule(Action.REDACT, 0.5),), redaction="[x]", fallback="No.")
REGENERATE = Policy(rules=(rule(Action.REGENERATE, 0.5),), fallback="No.", regenerations=2)


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


def says(*replies: object) -> Callable[[str], Any]:
    """A model that gives these replies, one per call."""
    left = iter(replies)

    def model(prompt: str) -> Any:
        del prompt
        reply = next(left)
        if isinstance(reply, BaseException):
            raise reply
        return reply

    return model


def test_a_harmless_reply_passes_as_the_same_object(recorder: Recorder) -> None:
    reply = "a friendly reply"
    ask = wrap_with(says(reply), policy=BLOCK, scorer=SCORER, observer=recorder)
    assert ask("hi") is reply
    (outcome,) = recorder.outcomes
    assert outcome.verdict is Verdict.RELEASED
    assert (outcome.text, outcome.reply, outcome.call.prompt) == (reply, reply, "hi")


def test_a_flagged_reply_passes_and_is_recorded(recorder: Recorder) -> None:
    ask = wrap_with(says("rude"), policy=BLOCK, scorer=SCORER, observer=recorder)
    assert ask("hi") == "rude"
    assert recorder.outcomes[0].verdict is Verdict.FLAGGED
    assert recorder.outcomes[0].fired[0].value == 0.6


def test_a_blocked_reply_becomes_the_fallback(recorder: Recorder) -> None:
    ask = wrap_with(says("so nasty"), policy=BLOCK, scorer=SCORER, observer=recorder)
    assert ask("hi") == "No."
    (outcome,) = recorder.outcomes
    assert (outcome.verdict, outcome.action) == (Verdict.BLOCKED, Action.BLOCK)
    assert (outcome.text, outcome.reply) == ("No.", "so nasty")
    assert outcome.withheld == (Span(start=0, end=8),)
    assert not outcome.partial


def test_a_blocked_reply_raises_when_asked_to(recorder: Recorder) -> None:
    policy = replace(BLOCK, raises=True)
    ask = wrap_with(says("nasty"), policy=policy, scorer=SCORER, observer=recorder)
    with pytest.raises(Blocked, match="call call withheld") as caught:
        ask("hi")
    assert caught.value.outcome is recorder.outcomes[0]
    assert caught.value.outcome.text == ""


def test_only_the_offending_part_is_redacted(recorder: Recorder) -> None:
    ask = wrap_with(says("good, rude, good"), policy=REDACT, scorer=SCORER, observer=recorder)
    assert ask("hi") == "good, [x], good"
    (outcome,) = recorder.outcomes
    assert (outcome.verdict, outcome.action) == (Verdict.FLAGGED, Action.REDACT)
    assert outcome.withheld == (Span(start=6, end=10),)


def test_a_redaction_that_does_not_help_is_a_block(recorder: Recorder) -> None:
    policy = replace(REDACT, redaction="nasty")
    ask = wrap_with(says("rude"), policy=policy, scorer=SCORER, observer=recorder)
    assert ask("hi") == "No."
    assert recorder.outcomes[0].verdict is Verdict.BLOCKED


def test_the_model_is_asked_again_until_a_reply_passes(recorder: Recorder) -> None:
    model = says("rude", "nasty", "fine")
    ask = wrap_with(model, policy=REGENERATE, scorer=SCORER, observer=recorder)
    assert ask("hi") == "fine"
    (outcome,) = recorder.outcomes
    assert (outcome.verdict, outcome.action) == (Verdict.RELEASED, Action.REGENERATE)
    assert (outcome.attempts, outcome.reply) == (3, "fine")


def test_asking_again_ends_in_the_fallback(recorder: Recorder) -> None:
    model = says("rude", "rude", "rude", AssertionError("asked a fourth time"))
    ask = wrap_with(model, policy=REGENERATE, scorer=SCORER, observer=recorder)
    assert ask("hi") == "No."
    assert recorder.outcomes[0].attempts == 3


@pytest.mark.parametrize("error", [ValueError("x"), StopIteration("x"), KeyError("x")])
def test_an_exception_passes_unchanged_and_is_counted(recorder: Recorder, error: Exception) -> None:
    ask = wrap_with(says(error), policy=BLOCK, scorer=SCORER, observer=recorder)
    with pytest.raises(type(error)) as caught:
        ask("hi")
    assert caught.value is error
    assert caught.value.__context__ is None
    assert (recorder.errors, recorder.outcomes) == (["test"], [])


def test_an_exception_while_asking_again_passes_unchanged(recorder: Recorder) -> None:
    error = StopIteration("gone")
    ask = wrap_with(says("rude", error), policy=REGENERATE, scorer=SCORER, observer=recorder)
    with pytest.raises(StopIteration) as caught:
        ask("hi")
    assert caught.value is error
    assert recorder.errors == ["test"]
    (outcome,) = recorder.outcomes
    assert (outcome.verdict, outcome.action, outcome.reply) == ("blocked", Action.BLOCK, "rude")
    assert (outcome.attempts, outcome.text) == (2, "")
    assert [one.score for one in outcome.fired] == ["toxicity"]


def test_observing_releases_before_any_score_and_records_afterwards(recorder: Recorder) -> None:
    scorer = HeldScorer()
    policy = replace(BLOCK, enforce=False)
    ask = wrap_with(says("nasty"), policy=policy, scorer=scorer, observer=recorder)
    assert ask("hi") == "nasty"
    assert recorder.outcomes == []
    assert scorer.waiting[0][1] is None, "nobody waits, so no deadline"
    scorer.answer(SCORER.assess("nasty"))
    (outcome,) = recorder.outcomes
    assert (outcome.verdict, outcome.observed_only) == (Verdict.FLAGGED, True)
    assert outcome.fired[0].action is Action.BLOCK


class Silent(WordScorer):
    """A scorer whose every answer is a reason."""

    def assess(self, text: str) -> Assessment:
        return Assessment(reason=Unscored.OVERLOAD, uncovered=(Span(start=0, end=len(text)),))


def test_failing_open_releases_and_says_so(recorder: Recorder) -> None:
    ask = wrap_with(says("who knows"), policy=BLOCK, scorer=Silent({}), observer=recorder)
    assert ask("hi") == "who knows"
    assert recorder.outcomes[0].verdict is Verdict.UNSCORED
    assert recorder.outcomes[0].unscored is Unscored.OVERLOAD


def test_failing_closed_withholds_and_says_so(recorder: Recorder) -> None:
    policy = replace(BLOCK, on_unscored=OnUnscored.WITHHOLD)
    ask = wrap_with(says("who knows"), policy=policy, scorer=Silent({}), observer=recorder)
    assert ask("hi") == "No."
    assert recorder.outcomes[0].verdict is Verdict.BLOCKED
    assert recorder.outcomes[0].unscored is Unscored.OVERLOAD


class Broken(WordScorer):
    """A scorer that breaks its promise never to raise."""

    def assess(self, text: str) -> Assessment:
        raise RuntimeError(text)


def test_a_scorer_that_raises_does_not_reach_the_caller(recorder: Recorder) -> None:
    ask = wrap_with(says("fine"), policy=BLOCK, scorer=Broken({}), observer=recorder)
    assert ask("hi") == "fine"
    assert recorder.outcomes[0].unscored is Unscored.ENGINE_ERROR


@pytest.mark.parametrize("reply", [None, 42, {"content": "nasty"}, bytes(range(128, 256))])
def test_a_reply_that_is_not_text_passes_as_it_is(recorder: Recorder, reply: object) -> None:
    ask = wrap_with(says(reply), policy=BLOCK, scorer=SCORER, observer=recorder)
    assert ask("hi") is reply
    assert recorder.outcomes[0].verdict is Verdict.UNSCORED
    assert recorder.outcomes[0].unscored is Unscored.NOT_TEXT


def test_a_reply_that_is_not_text_raises_when_failing_closed(recorder: Recorder) -> None:
    policy = replace(BLOCK, on_unscored=OnUnscored.WITHHOLD)
    ask = wrap_with(says(42), policy=policy, scorer=SCORER, observer=recorder)
    with pytest.raises(Blocked):
        ask("hi")
    assert recorder.outcomes[0].verdict is Verdict.BLOCKED


@dataclass(frozen=True)
class Message:
    text: str
    tokens: int


MESSAGES: Codec[Message] = Codec(
    read=lambda message: Piece(message.text),
    write=lambda message, text: Message(text, message.tokens if message else 0),
)


def test_objects_with_text_keep_their_type(recorder: Recorder) -> None:
    fine, nasty = Message("fine", 3), Message("nasty", 4)
    ask = wrap_with(
        says(fine, nasty), policy=BLOCK, scorer=SCORER, observer=recorder, codec=MESSAGES
    )
    assert ask("hi") is fine
    assert ask("hi") == Message("No.", 4)


def test_an_empty_reply_is_not_withheld(recorder: Recorder) -> None:
    policy = replace(BLOCK, on_unscored=OnUnscored.WITHHOLD)
    ask = wrap_with(says(""), policy=policy, scorer=SCORER, observer=recorder)
    assert ask("hi") == ""
    assert recorder.outcomes[0].unscored is Unscored.EMPTY


def test_name_signature_and_prompt_survive(recorder: Recorder) -> None:
    def answer(messages: list[dict[str, str]], temperature: float = 0.5) -> str:
        """Answer politely."""
        return f"{messages[-1]['content']} {temperature}"

    ask = wrap_with(answer, policy=BLOCK, scorer=SCORER, observer=recorder)
    assert (ask.__name__, ask.__doc__) == ("answer", "Answer politely.")
    assert inspect.signature(ask) == inspect.signature(answer)
    assert ask([{"role": "user", "content": "hello"}], temperature=0.1) == "hello 0.1"
    assert recorder.outcomes[0].call.prompt == "hello"


def test_partials_and_callable_objects_can_be_wrapped(recorder: Recorder) -> None:
    class Model:
        def __call__(self, prompt: str, style: str = "") -> str:
            return prompt + style

        def ask(self, prompt: str) -> str:
            return prompt

    given = {"policy": BLOCK, "scorer": SCORER, "observer": recorder}
    assert wrap_with(partial(Model(), style="!"), **given)("a") == "a!"  # type: ignore[arg-type]
    assert wrap_with(Model(), **given)("nasty") == "No."  # type: ignore[arg-type]
    assert wrap_with(Model().ask, **given)("nasty") == "No."  # type: ignore[arg-type]


def test_a_function_that_returns_an_iterator_is_streamed(recorder: Recorder) -> None:
    def answer(prompt: str) -> Iterator[str]:
        return iter([prompt, " and", " nasty."])

    ask = wrap_with(answer, policy=BLOCK, scorer=SCORER, observer=recorder)
    assert "".join(ask("Good. ")) == "Good. No."


def test_added_time_is_the_wait_for_scores_only(recorder: Recorder) -> None:
    now = iter([10.0, 10.25])
    ask = wrap_with(
        says("fine"), policy=BLOCK, scorer=SCORER, observer=recorder, clock=lambda: next(now)
    )
    ask("hi")
    assert recorder.outcomes[0].added_seconds == 0.25


def test_two_scores_can_ask_for_different_things(recorder: Recorder) -> None:
    rules = (rule(Action.FLAG, 0.5), rule(Action.REDACT, 0.5, "stereotype"))
    policy = Policy(rules=rules, redaction="[x]")
    ask = wrap_with(says("they are always rude"), policy=policy, scorer=SCORER, observer=recorder)
    assert ask("hi") == "they are [x] rude"
    assert {one.score for one in recorder.outcomes[0].fired} == {"toxicity", "stereotype"}


def test_a_call_that_ran_out_of_time_is_not_scored_a_second_time(recorder: Recorder) -> None:
    scorer = Silent({})
    policy = replace(BLOCK, on_unscored=OnUnscored.WITHHOLD, raises=True)
    ask = wrap_with(says("who knows"), policy=policy, scorer=scorer, observer=recorder)
    with pytest.raises(Blocked):
        ask("hi")
    assert scorer.texts == ["who knows"]


def test_an_outcome_can_be_sent_to_another_process(recorder: Recorder) -> None:
    ask = wrap_with(says("rude"), policy=BLOCK, scorer=SCORER, observer=recorder)
    ask("hi")
    (outcome,) = recorder.outcomes
    assert pickle.loads(pickle.dumps(outcome)) == outcome
    assert asdict(outcome)["call"]["prompt"] == "hi"


def test_nothing_is_withheld_of_a_reply_that_says_nothing(recorder: Recorder) -> None:
    class Broken(WordScorer):
        def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
            return answered(Assessment(reason=Unscored.ENGINE_ERROR))

    policy = replace(BLOCK, on_unscored=OnUnscored.WITHHOLD)
    ask = wrap_with(says(""), policy=policy, scorer=Broken({}), observer=recorder)
    assert ask("hi") == "No."
    assert recorder.outcomes[-1].text == "No."
