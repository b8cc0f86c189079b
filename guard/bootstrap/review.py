"""The review of a store: its service, its accounts, the retention of its cases."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Final

from guard.bootstrap.clock_doubts import DAY_SECONDS
from guard.bootstrap.storage import HOUR, PeriodicTask, secret_fact
from guard.errors import SettingsError
from guard.ports import Store
from guard.review.accounts import AccountService
from guard.review.retention import ErasureResult, Retention
from guard.review.service import ReviewService
from guard.settings import ReviewSettings, Settings
from guard.shadow.cases import unchanged
from guard.text.redaction import redacted_contacts

ORDER_FACT: Final = "review/order_key"
PURGE_ACTOR: Final = "guard"
"""The actor in the audit of cases that were erased by age."""

_log = logging.getLogger("guard.review")


def open_review_service(store: Store, settings: Settings) -> ReviewService:
    """The review service of a store, with all decisions counted. Raises StoreError."""
    service = ReviewService(
        store=store,
        clock=time.time,
        order_key=secret_fact(store, ORDER_FACT),
        lease_seconds=settings.review.lease_minutes * 60.0,
    )
    while not service.count_new():
        pass
    return service


def open_accounts(store: Store) -> AccountService:
    """The accounts that may sign in to the review of a store. Raises SettingsError."""
    try:
        from guard.review.passwords import PasswordHashing  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise SettingsError(f"{error.name} is missing: pip install 'evenguard[review]'") from error
    return AccountService(
        store=store, passwords=PasswordHashing(), random_bytes=secrets.token_bytes, clock=time.time
    )


def open_retention(store: Store, settings: Settings) -> Retention:
    """Erases cases that are older than `review.retention_days`."""
    days = settings.review.retention_days
    seconds = None if days is None else days * DAY_SECONDS
    return Retention(store=store, clock=time.time, kept_seconds=seconds)


@contextmanager
def purge_periodically(
    purge: Callable[[Callable[[], bool]], ErasureResult], *, every_seconds: float = HOUR
) -> Iterator[None]:
    """Purge at an interval, in a thread of its own, until the end of the block.

    The first time is after an interval, and one is left out where the clock was set. A purge that
    fails because the store is away is repeated at the next one. purge: is given a function that
    says whether the block has ended, and then stops after the step that is under way.
    """
    ending = threading.Event()

    def once() -> None:
        if (gone := purge(ending.is_set)).records:
            _log.info("erased %d old cases and jobs", gone.records)

    with closing(PeriodicTask(once, name="guard-purge", every_seconds=every_seconds)):
        try:
            yield
        finally:
            ending.set()


def kept_text(settings: ReviewSettings) -> Callable[[str], str]:
    """What cases keep of a text: all of it, contacts redacted, or nothing."""
    if settings.scores_only:
        return lambda _: ""
    return redacted_contacts if settings.redact else unchanged
