"""A store that is opened once it can be."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from guard.errors import GuardError, SettingsError, StoreError
from guard.ports import Store
from guard.records import Batch, Position, Posting
from guard.store.common import StoreOptions
from guard.store.deferred import deferred_store
from guard.store.memory import MemoryStore

BATCH = Batch(postings=(Posting(use_case="chat", at_seconds=1.0, sums={"n": 2.0}),))


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
def test_each_call_says_why_until_the_store_can_be_opened(error: GuardError) -> None:
    open_store, calls = fails_at_first(error, error)
    store = deferred_store(open_store)
    assert not calls
    assert store.left_out == 0
    for _ in range(2):
        with pytest.raises(StoreError, match=str(error)):
            store.accept(BATCH, Position(spool="one", end=1))
    assert store.accept(BATCH, Position(spool="one", end=1))
    assert not store.accept(BATCH, Position(spool="one", end=1))
    assert store.total("chat", range(9)) == {"n": 2.0}
    assert store.bucket_seconds == 60.0
    assert len(calls) == 3


def test_a_method_that_is_kept_is_one_of_the_store_that_is_opened_later() -> None:
    open_store, _ = fails_at_first(StoreError("the store refuses"))
    position = deferred_store(open_store).position
    with pytest.raises(StoreError):
        position("one")
    assert position("one") == 0


def test_a_store_that_was_shut_is_not_opened_any_more() -> None:
    open_store, calls = fails_at_first()
    store = deferred_store(open_store)
    store.shut()
    with pytest.raises(StoreError, match="was shut"):
        store.position("one")
    assert not calls


def test_a_store_that_was_opened_is_shut() -> None:
    opened = memory()
    store = deferred_store(lambda: opened)
    assert store.position("one") == 0
    store.shut()
    with pytest.raises(StoreError):
        opened.position("one")
