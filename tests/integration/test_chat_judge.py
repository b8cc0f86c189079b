"""A chat model as a scorer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from threading import Event, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.adapters import ChatJudge
from guard.adapters.judge import messages, values_of
from guard.ports import Message
from guard.records import Unscored
from guard.testing import check_second_look

HEADS = ("toxicity", "stereotype")
GOOD = '{"toxicity": 0.9, "stereotype": 0}'
SECONDS = 30.0


def says(answer: str) -> ChatJudge:
    return ChatJudge(lambda _: answer)


def test_a_text_is_scored_as_the_model_says() -> None:
    found = says(GOOD).submit("You fool.").result(SECONDS)
    assert (found.value("toxicity"), found.value("stereotype")) == (0.9, 0.0)
    assert found.reason is None


def test_a_fence_around_the_answer_is_taken_off() -> None:
    assert says(f"```json\n{GOOD}\n```").submit("Hm.").result(SECONDS).value("toxicity") == 0.9


@pytest.mark.parametrize(
    "answer",
    [
        *("", "no", "[]", "{}", "[" * 5000, None, 5, GOOD + " " * 20_000),
        *('{"toxicity": 0.5}', '{"toxicity": 2, "stereotype": 0}'),
        *('{"toxicity": true, "stereotype": 0}', '{"toxicity": "0.5", "stereotype": 0}'),
        '{"toxicity": NaN, "stereotype": 0}',
        '{"toxicity": 0.99, "toxicity": 0.0, "stereotype": 0}',
        '{"toxicity": 0.0, "why": {"a": 1, "a": 2}, "stereotype": 0}',
    ],
)
def test_an_answer_that_is_not_what_was_asked_for_leaves_the_text_unscored(answer) -> None:
    found = says(answer).submit("You fool.").result(SECONDS)
    assert found.reason is Unscored.ENGINE_ERROR
    assert found.uncovered[0].end == len("You fool.")


def test_a_model_that_raises_leaves_the_text_unscored() -> None:
    def chat(_: Sequence[Message]) -> str:
        raise RuntimeError("no connection")

    judge = ChatJudge(chat)
    assert judge.submit("You fool.").result(SECONDS).reason is Unscored.ENGINE_ERROR
    assert judge.submit("You fool.").result(SECONDS).reason is Unscored.ENGINE_ERROR


@pytest.mark.parametrize(
    "error", [SystemExit, KeyboardInterrupt, asyncio.CancelledError, GeneratorExit]
)
def test_nothing_that_the_model_raises_ends_a_thread_of_the_judge(
    error: type[BaseException],
) -> None:
    answers: list[type[BaseException] | str] = [GOOD, error, error]

    def chat(_: Sequence[Message]) -> str:
        answer = answers.pop()
        if isinstance(answer, str):
            return answer
        raise answer

    judge = ChatJudge(chat, threads=1)
    for _ in range(2):
        assert judge.submit("You fool.").result(SECONDS).reason is Unscored.ENGINE_ERROR
    assert judge.submit("You fool.").result(SECONDS).value("toxicity") == 0.9


def test_nothing_that_is_done_with_an_answer_ends_a_thread_of_the_judge() -> None:
    def fails(_: object) -> None:
        raise SystemExit

    ready = Event()

    def chat(_: Sequence[Message]) -> str:
        ready.wait(SECONDS)
        return GOOD

    judge = ChatJudge(chat, threads=1)
    judge.submit("You fool.").add_done_callback(fails)
    ready.set()
    assert judge.submit("You fool.").result(SECONDS).value("toxicity") == 0.9


def test_a_model_that_is_too_slow_is_not_waited_for() -> None:
    done = Event()

    def chat(_: Sequence[Message]) -> str:
        done.wait(SECONDS)
        return GOOD

    judge = ChatJudge(chat, threads=1)
    try:
        slow, next_one = (judge.submit("You fool.", deadline_seconds=0.01) for _ in range(2))
        assert slow.result(SECONDS).reason is Unscored.DEADLINE
        assert next_one.result(SECONDS).reason is Unscored.DEADLINE
    finally:
        done.set()
    assert judge.submit("You fool.").result(SECONDS).value("toxicity") == 0.9


def test_what_is_too_much_is_refused_at_once_and_room_is_made_again() -> None:
    done = Event()

    def chat(_: Sequence[Message]) -> str:
        done.wait(SECONDS)
        return GOOD

    judge = ChatJudge(chat, threads=1, waiting=2)
    open_ones = [judge.submit("You fool.") for _ in range(2)]
    assert judge.submit("You fool.").result(0).reason is Unscored.OVERLOAD
    done.set()
    assert {one.result(SECONDS).value("toxicity") for one in open_ones} == {0.9}
    assert judge.submit("You fool.").result(SECONDS).reason is None


def test_a_text_that_was_cancelled_is_not_asked_about() -> None:
    begun, done, asked = Event(), Event(), []

    def chat(conversation: Sequence[Message]) -> str:
        asked.append(conversation[1]["content"])
        begun.set()
        done.wait(SECONDS)
        return GOOD

    judge = ChatJudge(chat, threads=1)
    first, second = judge.submit("First."), judge.submit("Second.")
    begun.wait(SECONDS)
    assert second.cancel()
    done.set()
    first.result(SECONDS)
    judge.submit("Third.").result(SECONDS)
    assert [json.loads(one)["text"] for one in asked] == ["First.", "Third."]


def test_closing_answers_what_is_open() -> None:
    done = Event()
    judge = ChatJudge(lambda _: str(done.wait(SECONDS)), threads=1)
    waiting = judge.submit("You fool.")
    judge.close()
    assert waiting.result(SECONDS).reason is Unscored.CLOSED
    assert judge.submit("You fool.").result(0).reason is Unscored.CLOSED
    done.set()


def test_it_keeps_the_promises_of_a_second_look() -> None:
    judge = ChatJudge(lambda _: GOOD, waiting=16)
    check_second_look(judge, late_seconds=10.0)
    judge.close()


@pytest.mark.parametrize(
    "bounds",
    [
        *({"threads": 0}, {"waiting": 0}, {"seconds": 0}, {"thresholds": {}}),
        *({"thresholds": {"toxicity": 0.0}}, {"thresholds": {"toxicity": 1.5}}),
    ],
)
def test_bounds_must_make_sense(bounds) -> None:
    with pytest.raises(ValueError, match="must"):
        ChatJudge(lambda _: GOOD, **bounds)


@given(st.text())
def test_a_text_is_handed_over_as_data(text: str) -> None:
    _, user = messages(text, HEADS)
    assert json.loads(user["content"]) == {"text": text, "scores": list(HEADS)}


@given(st.text() | st.recursive(st.floats() | st.text(), lambda t: st.lists(t)).map(json.dumps))
def test_any_answer_is_scores_or_nothing(answer: str) -> None:
    found = values_of(answer, HEADS)
    assert found is None or all(0 <= value <= 1 for value in found.values())


def test_where_no_thread_can_be_had_no_room_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    judge = ChatJudge(lambda _: GOOD, waiting=1)
    with monkeypatch.context() as threadless:
        threadless.setattr(Thread, "start", fail)
        assert judge.submit("You fool.").result(SECONDS).reason is Unscored.OVERLOAD
    assert judge.submit("You fool.").result(SECONDS).value("toxicity") == 0.9


def test_fewer_threads_than_wanted_do(monkeypatch: pytest.MonkeyPatch) -> None:
    start, started = Thread.start, list[Thread]()

    def fail_later(thread: Thread) -> None:
        if thread.name == "guard-judge":
            if started:
                raise RuntimeError("can't start new thread")
            started.append(thread)
        start(thread)

    monkeypatch.setattr(Thread, "start", fail_later)
    judge = ChatJudge(lambda _: GOOD, threads=4)
    for _ in range(2):
        assert judge.submit("You fool.").result(SECONDS).value("toxicity") == 0.9
