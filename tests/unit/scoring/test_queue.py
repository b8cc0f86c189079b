"""Who comes next: batches, fairness, bounds, deadlines and cancelling, worked by hand."""

from __future__ import annotations

from operator import attrgetter

from guard.records import Span, Unscored
from guard.scoring.batching import LiveHeap


def test_texts_of_one_length_share_a_batch_without_padding(hand) -> None:
    texts = [f"w{n} x y" for n in range(4)] + [f"w{n} 1 2 3 4 5 6" for n in range(2)]
    hand.until([hand.submit(text) for text in texts])
    assert sorted(map(len, hand.batches)) == [2, 4]
    assert hand.queue.stats().padded_tokens == 0
    assert hand.queue.stats().tokens == 4 * 3 + 2 * 7


def test_lengths_join_while_padding_is_cheaper_than_a_call(hand) -> None:
    hand.until([hand.submit("1 2 3 4 5"), hand.submit("1 2 3 4")])
    assert len(hand.batches) == 1
    assert hand.queue.stats().padded_tokens == 1


def test_lengths_do_not_join_where_scores_must_not_depend_on_what_is_beside_them(by_hand) -> None:
    hand = by_hand(pads=False)
    hand.until([hand.submit(text) for text in ("1 2", "1 2 3", "3 4", "4 3 2")])
    assert sorted(map(len, hand.batches)) == [2, 2]
    assert hand.queue.stats().padded_tokens == 0


def test_a_batch_keeps_to_its_budget(hand) -> None:
    hand.until([hand.submit(f"w{n} 1 2 3 4 5 6 7") for n in range(9)])
    assert [len(batch) for batch in hand.batches] == [4, 4, 1]


def test_first_come_first_served(hand) -> None:
    texts = [f"w{n} 1 2 3 4 5 6 7" for n in range(12)]
    hand.until([hand.submit(text) for text in texts])
    assert [text for batch in hand.batches for text in batch] == texts


def test_a_huge_text_does_not_hold_up_a_small_one(hand) -> None:
    huge = hand.submit("word " * 5000)
    for _ in range(10):
        hand.batch()
    small = hand.submit("one two three")
    hand.batch()
    hand.batch()
    assert small.done()
    assert not huge.done()


def test_small_texts_do_not_starve_a_huge_one(hand) -> None:
    huge = hand.submit("word " * 200)
    for n in range(2000):
        if huge.done():
            break
        hand.submit(f"w{n} two three four")
        hand.batch()
    assert huge.result(0).reason is None


def test_a_huge_text_is_tokenized_as_it_is_needed(hand) -> None:
    request = hand.request("word " * 5000)
    taken = []
    request.source = (taken.append(1) or window for window in request.source)
    assert hand.queue.admit(request) is None
    hand.batch()
    assert len(taken) < 50


def test_too_many_open_tokens_are_an_overload(by_hand) -> None:
    hand = by_hand(max_open_tokens=64)
    assert hand.queue.admit(hand.request("a b c")) is None
    refused = [hand.queue.admit(hand.request("a b c d")) for _ in range(40)]
    assert refused[0] is None
    assert refused[-1] is Unscored.OVERLOAD
    assert hand.queue.stats().open_tokens <= 32


def test_a_text_of_any_length_is_let_in_alone_and_locks_no_small_one_out(by_hand) -> None:
    hand = by_hand(max_open_tokens=64)
    assert hand.queue.admit(hand.request("word " * 1000)) is None
    assert hand.queue.admit(hand.request("word " * 1000)) is Unscored.OVERLOAD
    assert hand.queue.admit(hand.request("a b c")) is None


def test_answered_texts_make_room(by_hand) -> None:
    hand = by_hand(max_open_tokens=64)
    for _ in range(20):
        hand.score("word " * 30)
    assert hand.queue.stats().open_tokens == 0
    assert hand.queue.stats().open_requests == 0


def test_cancelled_work_is_dropped_at_once(hand) -> None:
    kept, dropped = hand.submit("a b c"), hand.submit("a b x")
    assert dropped.cancel()
    assert hand.queue.stats().queued == 1
    hand.until([kept])
    assert hand.batches == [["a b c"]]
    assert hand.queue.stats().cancelled == 1


def test_work_that_is_on_the_shelf_can_still_be_cancelled(hand) -> None:
    kept, dropped = hand.submit("a b c"), hand.submit("a b x")
    hand.step()
    assert dropped.cancel()
    hand.until([kept])
    assert hand.batches == [["a b c"]]


def test_a_deadline_leaves_what_was_scored(hand) -> None:
    text = "word " * 100
    future = hand.submit(text, due_at=5.0)
    hand.batch()
    assert hand.queue.expire() == []
    hand.clock.now = 5.0
    hand.pool.answer(hand.queue.expire())
    found = future.result(0)
    assert found.reason is Unscored.DEADLINE
    assert found.value("toxicity") is not None
    assert len(found.uncovered) == 1
    assert found.uncovered[0].end == len(text)
    assert 0 < found.uncovered[0].start < len(text)
    assert text not in hand.heard


def test_a_deadline_before_the_first_batch_leaves_nothing(hand) -> None:
    future = hand.submit("one two", due_at=1.0)
    hand.clock.now = 1.5
    hand.pool.answer(hand.queue.expire())
    found = future.result(0)
    assert found.reason is Unscored.DEADLINE
    assert found.value("toxicity") is None
    assert found.uncovered == (Span(start=0, end=7),)
    assert found.queued_seconds == 1.5


def test_a_deadline_before_the_sentences_are_read_keeps_all_scores(hand) -> None:
    text = "That is bad. This is fine."
    future = hand.submit(text, due_at=1.0)
    hand.batch()
    assert not future.done()
    hand.clock.now = 1.0
    hand.pool.answer(hand.queue.expire())
    found = future.result(0)
    assert found.reason is Unscored.DEADLINE
    assert found.uncovered == ()
    assert [one.span for one in found.passages] == [Span(start=0, end=len(text))]
    assert text not in hand.heard


def test_a_batch_that_comes_back_late_changes_nothing(hand) -> None:
    future = hand.submit("one two", due_at=1.0)
    hand.step()
    task = hand.queue.next_task()
    hand.clock.now = 1.0
    hand.pool.answer(hand.queue.expire())
    hand.pool.perform(task)
    assert future.result(0).reason is Unscored.DEADLINE


def test_answered_requests_do_not_pile_up_behind_long_deadlines(hand) -> None:
    deadlines = LiveHeap(attrgetter("done"))
    for n in range(10_000):
        request = hand.request("a")
        deadlines.push(1e9 + n, request)
        request.done = True
    assert len(deadlines) < 200


def test_closing_answers_everything_and_lets_nothing_in(hand) -> None:
    begun = hand.submit("word " * 100)
    hand.batch()
    waiting = hand.submit("one two")
    hand.pool.close()
    assert begun.result(0).reason is waiting.result(0).reason is Unscored.CLOSED
    assert begun.result(0).value("toxicity") is not None
    assert waiting.result(0).value("toxicity") is None
    assert hand.queue.admit(hand.request("a")) is Unscored.CLOSED
    assert hand.queue.next_task() is None
    assert hand.queue.wait_for_deadline() is False
