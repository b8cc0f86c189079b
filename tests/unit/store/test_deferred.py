"""A store that is opened once it can be."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from guard.errors import GuardError, SettingsError, StoreError
from guard.ports import Store
from guard.records import Batch, Position, Posting
from guard.store.common import StoreOptions
from guard.store.deferred import RETRY_SECONDS, deferred_store
from guard.store.memory import MemoryStore

BATCH = Batch(postings=(Posting(use_case="chat", at_seconds=1.0, sums={"n": 2.0}),))


class Time:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


def memory() -> MemoryStore:
    return MemoryStore(
        StoreOptions(clock=lambda: 0.0, bucket_seconds=60.0, max_jobs=9, new_token=lambda: "token")
    )


def fails_at_first(*errors: GuardError) -> tuple[Callable[[], Store], list[int]]:
    """A function that opens a store after these errors, and a list with an entry for each call."""
    left, calls = list(errors), list[int]()

    def open_store() -> Store:
        calls.append(1)
        if left:
            raise left.pop(0)
        return memory()

    return open_store, calls


@pytest.mark.parametrize(
    "error", [StoreError("the store refuses"), SettingsError("the store has other buckets")]
)
def test_each_call_says_why_until_the_store_can_be_opened(time: Time, error: GuardError) -> None:
    open_store, calls = fails_at_first(error, error)
    store = deferred_store(open_store, clock=time)
    assert not calls
    assert store.left_out == 0
    for _ in range(2):
        with pytest.raises(StoreError, match=str(error)):
            store.accept(BATCH, Position(spool="one", end=1))
        time.now += RETRY_SECONDS
    assert store.accept(BATCH, Position(spool="one", end=1))
    assert not store.accept(BATCH, Position(spool="one", end=1))
    assert store.total("chat", range(9)) == {"n": 2.0}
    assert store.bucket_seconds == 60.0
    assert len(calls) == 3


def test_a_method_that_is_kept_is_one_of_the_store_that_is_opened_later(time: Time) -> None:
    open_store, _ = fails_at_first(StoreError("the store refuses"))
    position = deferred_store(open_store, clock=time).position
    with pytest.raises(StoreError):
        position("one")
    time.now += RETRY_SECONDS
    assert position("one") == 0


def test_a_store_that_was_shut_is_not_opened_any_more(time: Time) -> None:
    open_store, calls = fails_at_first()
    store = deferred_store(open_store, clock=time)
    store.shut()
    with pytest.raises(StoreError, match="was shut"):
        store.position("one")
    assert not calls


def test_a_store_that_was_opened_is_shut(time: Time) -> None:
    opened = memory()
    store = deferred_store(lambda: opened, clock=time)
    assert store.position("one") == 0
    store.shut()
    with pytest.raises(StoreError):
        opened.position("one")


def test_calls_right_after_an_attempt_say_why_it_failed(time: Time) -> None:
    open_store, calls = fails_at_first(StoreError("the store refuses"))
    store = deferred_store(open_store, clock=time)
    for _ in range(5):
        with pytest.raises(StoreError, match="the store refuses"):
            store.position("one")
    time.now += RETRY_SECONDS / 2
    with pytest.raises(StoreError, match="the store refuses"):
        store.position("one")
    assert len(calls) == 1
    time.now += RETRY_SECONDS / 2
    assert store.position("one") == 0


def test_calls_do_not_wait_for_one_that_opens_the_store(time: Time) -> None:
    begun, over = Event(), Event()

    def open_store() -> MemoryStore:
        begun.set()
        assert over.wait(20.0)
        return memory()

    store = deferred_store(open_store, clock=time)
    with ThreadPoolExecutor() as threads:
        try:
            first = threads.submit(store.position, "one")
            assert begun.wait(20.0)
            others = [threads.submit(store.position, "one") for _ in range(3)]
            for other in others:
                with pytest.raises(StoreError, match="another thread opens the store"):
                    other.result(10.0)
        finally:
            over.set()
        assert first.result(20.0) == 0
    assert store.position("one") == 0


def test_a_store_that_is_shut_while_it_opens_is_shut_once_it_is_open(time: Time) -> None:
    opened = memory()

    def open_store() -> MemoryStore:
        store.shut()
        return opened

    store = deferred_store(open_store, clock=time)
    with pytest.raises(StoreError):
        store.position("one")
    with pytest.raises(StoreError):
        opened.position("one")


def test_an_attempt_that_is_cut_off_is_followed_by_another(time: Time) -> None:
    left = [KeyboardInterrupt()]

    def open_store() -> MemoryStore:
        if left:
            raise left.pop()
        return memory()

    store = deferred_store(open_store, clock=time)
    with pytest.raises(KeyboardInterrupt):
        store.position("one")
    assert store.position("one") == 0
