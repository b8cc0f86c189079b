import logging
from asyncio import CancelledError
from concurrent.futures import ThreadPoolExecutor

import pytest

from guard.flow import Flow
from guard.policy import Hold, Policy, Rule
from guard.records import Action, Assessment, Call, Outcome, Verdict
from guard.telemetry.observers import Observers
from guard.testing import WordScorer, wrap_with
from guard.wrap.callables import WrapOptions, wrap_function

OUTCOME = Outcome(
    call=Call(id="1", use_case="chat"),
    verdict=Verdict.RELEASED,
    text="t",
    reply="t",
    assessment=Assessment(),
)


class Remembers:
    def __init__(self):
        self.seen = []

    def outcome(self, outcome):
        self.seen.append(outcome)

    def upstream_error(self, use_case):
        self.seen.append(use_case)


class Broken:
    def outcome(self, outcome):
        raise RuntimeError("no")

    def upstream_error(self, use_case):
        raise RuntimeError("no")


def test_a_failing_observer_is_counted_and_the_others_still_hear(caplog):
    failures, last = [], Remembers()
    observers = Observers((Broken(), last), failed=failures.append)
    observers.outcome(OUTCOME)
    observers.upstream_error("chat")
    assert last.seen == [OUTCOME, "chat"]
    assert failures == ["Broken", "Broken"]


def test_a_failing_observer_is_logged_once(caplog):
    observers = Observers((Broken(),), failed=lambda _: None)
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            observers.outcome(OUTCOME)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "Broken" in caplog.text


@pytest.mark.parametrize(
    "error", [SystemExit, KeyboardInterrupt, CancelledError, GeneratorExit, MemoryError]
)
def test_nothing_that_an_observer_raises_reaches_a_thread(error, caplog):
    last, failures = Remembers(), []
    told = Observers((Raises(error), last), failed=failures.append)
    with ThreadPoolExecutor(1) as beside:
        beside.submit(told.outcome, OUTCOME).result(60)
    assert last.seen == [OUTCOME]
    assert failures == ["Raises"]


@pytest.mark.parametrize("error", [CancelledError, GeneratorExit, MemoryError])
def test_what_is_no_signal_does_not_reach_the_main_thread_either(error, caplog):
    told = Observers((Raises(error),), failed=lambda _: None)
    assert guarded(lambda prompt: REPLY, told)(PROMPT) == "No."


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_a_signal_on_the_main_thread_goes_on_when_all_have_been_told(error):
    last, failures = Remembers(), []
    told = Observers((Raises(error), last), failed=failures.append)
    with pytest.raises(error):
        told.outcome(OUTCOME)
    assert last.seen == [OUTCOME]
    assert failures == []


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_a_call_has_its_end_though_a_signal_comes_while_it_is_recorded(error):
    policy = Policy(rules=(), fallback="No.")
    told = Observers((Raises(error),), failed=lambda _: None)
    flow = Flow(
        scorer=WordScorer({}),
        observer=told,
        policy_of=lambda _: policy,
        clock=lambda: 0.0,
        new_id=lambda: "call",
    )
    ask = wrap_function(lambda: "Hi.", WrapOptions(flow=flow, use_case="test"))
    with pytest.raises(error):
        ask()
    assert flow.drain(0)


REPLY, PROMPT = "You are nasty.", "My secret prompt."


class Raises:
    """It raises what it was made with."""

    def __init__(self, error):
        self.error = error

    def outcome(self, outcome):
        raise self.error

    upstream_error = outcome


class Chained:
    """It fails while it handles a failure of its own."""

    def outcome(self, outcome):
        try:
            {}["queue"]
        except KeyError as error:
            raise RuntimeError("queue full") from error

    upstream_error = outcome


def guarded(fn, told, **policy):
    rule = Rule(score="toxicity", action=Action.BLOCK, threshold=0.5)
    options = {"rules": (rule,), "fallback": "No.", **policy}
    scorer = WordScorer({"toxicity": {"nasty": 0.95}})
    return wrap_with(fn, policy=Policy(**options), scorer=scorer, observer=told)


def streamed(prompt):
    yield "Hello. "
    yield REPLY


@pytest.mark.parametrize("fn", [lambda prompt: REPLY, streamed])
def test_the_log_of_a_failing_observer_holds_no_text_of_the_call(caplog, fn):
    with caplog.at_level(logging.ERROR):
        told = Observers((Chained(),), failed=lambda _: None)
        "".join(guarded(fn, told)(PROMPT))
    assert "queue full" in caplog.text
    assert "KeyError" in caplog.text
    assert "StopIteration" not in caplog.text
    assert REPLY not in caplog.text
    assert PROMPT not in caplog.text


def test_the_log_of_a_failing_observer_holds_nothing_of_what_the_model_raised(caplog):
    def fails(prompt):
        yield "Hello. "
        raise ValueError(f"cannot answer {prompt}")

    told = Observers((Chained(),), failed=lambda _: None)
    with caplog.at_level(logging.ERROR), pytest.raises(ValueError, match=PROMPT):
        list(guarded(fails, told)(PROMPT))
    assert "queue full" in caplog.text
    assert "KeyError" in caplog.text
    assert PROMPT not in caplog.text


def test_who_leaves_a_stream_leaves_no_text_in_the_log(caplog):
    told = Observers((Chained(),), failed=lambda _: None)
    with caplog.at_level(logging.ERROR):
        pieces = guarded(streamed, told, hold=Hold.NONE)(PROMPT)
        next(pieces)
        pieces.close()
    assert "queue full" in caplog.text
    assert "StopIteration" not in caplog.text
    assert PROMPT not in caplog.text
