"""A store that cannot be used yet: opened by the first call that finds it right again."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, cast

from guard.errors import SettingsError, StoreError
from guard.forks import call_in_child
from guard.ports import Store


def deferred_store(open_store: Callable[[], Store]) -> Store:
    """The store that `open_store` opens, once it can be opened; it is tried by each call.

    Until then each call raises StoreError, with the reason. open_store: raises StoreError, and
    SettingsError for a store that was made with other settings, which may be replaced as well.
    """
    return cast("Store", DeferredStore(open_store))


class DeferredStore:
    """Has all methods of a store. Thread-safe; one thread at a time tries to open it."""

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open_store = open_store
        self._store: Store | None = None
        self._is_shut = False
        self._reset()
        call_in_child(self._reset)

    def _reset(self) -> None:
        self._lock = RLock()  # taken in one step: no signal comes between

    @property
    def bucket_seconds(self) -> float:
        """Of the store. Raises StoreError until it is open."""
        return self._opened().bucket_seconds

    @property
    def left_out(self) -> int:
        """Of the store, 0 until it is open."""
        return 0 if self._store is None else self._store.left_out

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
        with self._lock:
            if self._store is None:
                if self._is_shut:
                    raise StoreError("the store was shut; open it again (setting store.url)")
                try:
                    self._store = self._open_store()
                except SettingsError as error:
                    raise StoreError(str(error)) from error
            return self._store
