"""A store that cannot be used yet: opened by the first call that finds it right again."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from threading import RLock
from typing import Any, Final, cast

from guard.errors import SettingsError, StoreError
from guard.forks import call_in_child
from guard.ports import Clock, Store

RETRY_SECONDS: Final = 1.0
"""The pause between two attempts, however many calls there are."""


def deferred_store(open_store: Callable[[], Store], *, clock: Clock) -> Store:
    """The store that `open_store` opens, once it can be opened; calls try it, one at a time.

    Until then each call raises StoreError, with the reason: at once while another thread tries, or
    within RETRY_SECONDS of the last attempt. open_store: raises StoreError, and SettingsError for
    a store that was made with other settings, which may be replaced as well. clock: monotonic
    seconds.
    """
    return cast("Store", DeferredStore(open_store, clock))


class DeferredStore:
    """Has all methods of a store. Thread-safe; one thread at a time tries to open it."""

    def __init__(self, open_store: Callable[[], Store], clock: Clock) -> None:
        self._open_store = open_store
        self._clock = clock
        self._store: Store | None = None
        self._is_shut = False
        self._reset()
        call_in_child(self._reset)

    def _reset(self) -> None:
        self._lock = RLock()  # taken in one step: no signal comes between
        self._attempt: object | None = None
        self._reason = "another thread opens the store; try again"
        self._retry_at = -inf

    @property
    def bucket_seconds(self) -> float:
        """Of the store. Raises StoreError until it is open."""
        return self._opened().bucket_seconds

    @property
    def left_out(self) -> int:
        """Of the store, 0 until it is open."""
        return 0 if self._store is None else self._store.left_out

    @property
    def unreadable(self) -> int:
        """Of the store, 0 until it is open."""
        return 0 if self._store is None else self._store.unreadable

    def shut(self) -> None:
        """Shut the store, and open it no more."""
        with self._lock:
            self._is_shut = True
            if self._store is not None:
                self._store.shut()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):  # protocols of Python itself, such as copying
            raise AttributeError(name)

        def call(*arguments: Any, **named: Any) -> Any:
            return getattr(self._opened(), name)(*arguments, **named)

        return call

    def _opened(self) -> Store:
        attempt = object()
        try:  # also around the lock, so that a signal in between ends the attempt
            with self._lock:
                if self._store is not None:
                    return self._store
                self._check_may_try()
                self._attempt = attempt
            return self._keep(self._try())
        finally:
            if self._attempt is attempt:
                self._attempt = None

    def _check_may_try(self) -> None:
        if self._is_shut:
            raise StoreError("the store was shut; open it again (setting store.url)")
        if self._attempt is not None or self._clock() < self._retry_at:
            raise StoreError(self._reason)

    def _try(self) -> Store:
        try:
            return self._open_store()
        except (SettingsError, StoreError) as error:
            self._reason = str(error)
            self._retry_at = self._clock() + RETRY_SECONDS
            raise StoreError(self._reason) from error

    def _keep(self, store: Store) -> Store:
        """Others may have shut it since it was begun to open."""
        with self._lock:
            self._store = store
            if self._is_shut:
                store.shut()
        return store
