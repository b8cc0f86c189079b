import threading
from concurrent.futures import Future

import pytest

from guard.cli import text_scoring
from guard.cli.text_reader import BadLine, InputText, Line
from guard.cli.text_scoring import BoundedChannel, score_texts
from guard.errors import ScoresInputError
from guard.records import Assessment
from guard.testing import HeldScorer, answered

LINE = Line(source="f", number=1, consumed=2)


def text(content="a", number=1):
    return InputText(line=LINE, id=number, text=content)


def immediately(_text):
    return answered(Assessment())


def test_results_come_in_the_order_of_the_input_whatever_is_scored_first():
    scorer = HeldScorer()
    submitted = threading.Semaphore(0)

    def submit(content):
        future = scorer.submit(content)
        submitted.release()
        return future

    found = score_texts(iter([text("a", 1), text("b", 2)]), submit)
    firsts = []
    taker = threading.Thread(target=lambda: firsts.extend(found))
    taker.start()
    submitted.acquire()
    submitted.acquire()
    (_, _, a), (_, _, b) = scorer.waiting
    b.set_result(Assessment())
    a.set_result(Assessment())
    taker.join(5)
    assert [one.text.id for one in firsts] == [1, 2]


def test_bad_lines_keep_their_place():
    bad = BadLine(line=LINE, problem="no")
    found = list(score_texts(iter([text(number=1), bad, text(number=3)]), immediately))
    assert found[1] is bad
    assert [found[0].text.id, found[2].text.id] == [1, 3]


def test_no_more_than_the_bound_is_under_way():
    underway, most = 0, 0

    def submit(_content):
        nonlocal underway, most
        underway += 1
        most = max(most, underway)
        return answered(Assessment())

    for _ in score_texts((text(number=n) for n in range(2000)), submit):
        underway -= 1
    assert most <= text_scoring.TEXTS_UNDERWAY + 1


def test_huge_texts_are_bounded_by_their_characters():
    taken = []

    def texts():
        for number in range(6):
            taken.append(number)
            yield text("x" * (text_scoring.CHARACTERS_UNDERWAY - 1), number)

    found = score_texts(texts(), immediately)
    assert next(found).text.id == 0
    assert len(taken) <= 2
    assert [one.text.id for one in found] == [1, 2, 3, 4, 5]


def test_an_error_of_the_input_comes_after_the_results_before_it():
    def texts():
        yield text()
        raise ScoresInputError("gone")

    found = score_texts(texts(), immediately)
    assert next(found).text.id == 1
    with pytest.raises(ScoresInputError, match="gone"):
        next(found)


def test_a_receiver_that_stops_stops_the_reader():
    stopped = threading.Event()

    def texts():
        try:
            while True:
                yield text()
        finally:
            stopped.set()

    found = score_texts(texts(), immediately)
    next(found)
    found.close()
    assert stopped.wait(5)


def test_a_result_does_not_wait_for_the_next_line():
    release = threading.Event()

    def texts():
        yield text(number=1)
        release.wait(5)
        yield text(number=2)

    found = score_texts(texts(), immediately)
    assert next(found).text.id == 1
    release.set()
    assert next(found).text.id == 2


def test_one_item_heavier_than_the_room_passes_alone():
    channel = BoundedChannel(10)
    assert channel.wait_for_room(50)
    channel.send("big", 50)
    channel.end()
    assert list(channel) == ["big"]


def test_there_is_no_room_for_those_nobody_waits_for():
    channel = BoundedChannel(10)
    channel.end()
    assert not channel.wait_for_room(1)


def test_a_future_is_waited_for():
    future = Future()
    found = score_texts(iter([text()]), lambda _: future)
    threading.Thread(target=lambda: future.set_result(Assessment(queued_seconds=1.0))).start()
    assert next(found).outcome.queued_seconds == 1.0
