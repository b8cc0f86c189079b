"""Cases that are old enough go by themselves, while a process runs that looks after them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Final

from guard.bootstrap.regularly import HOUR, Regularly
from guard.review import Gone

PURGER: Final = "guard"
"""The actor in the audit of cases that went by age."""

_log = logging.getLogger("guard.review")


@contextmanager
def purging(purge: Callable[[], Gone], *, every_seconds: float = HOUR) -> Iterator[None]:
    """Purge at once and every so often, in a thread beside, until the end of the block.

    A store that is away, or files that were not rewritten, are seen to the next time.
    """

    def once() -> None:
        if (gone := purge()).records:
            _log.info("erased %d old cases and jobs", gone.records)

    with closing(Regularly(once, name="guard-purge", every_seconds=every_seconds)):
        yield
