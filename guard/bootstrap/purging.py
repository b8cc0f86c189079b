"""Cases that are old enough go by themselves, while a process runs that looks after them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from guard.errors import StoreError
from guard.review import Gone

EVERY_SECONDS: Final = 3600.0
PURGER: Final = "guard"
"""The actor in the audit of cases that went by age."""

_log = logging.getLogger("guard.review")


@contextmanager
def purging(purge: Callable[[], Gone], *, every_seconds: float = EVERY_SECONDS) -> Iterator[None]:
    """Purge at once and every so often, in a thread beside, until the end of the block.

    A store that is away, or files that were not rewritten, are seen to the next time.
    """
    stop = threading.Event()
    thread = threading.Thread(
        target=_purge_until, args=(stop, purge, every_seconds), name="guard-purge", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _purge_until(stop: threading.Event, purge: Callable[[], Gone], every_seconds: float) -> None:
    while not stop.is_set():
        try:
            gone = purge()
        except StoreError as error:
            _log.warning("while erasing old cases: %s", error)
        else:
            if gone.records:
                _log.info("erased %d old cases and jobs", gone.records)
        stop.wait(every_seconds)
