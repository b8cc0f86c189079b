"""The review desk of a store, and what settings say about the texts people see."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from guard.errors import StoreError
from guard.ports import Store
from guard.review import People, Retention, ReviewDesk
from guard.settings import ReviewSettings, Settings
from guard.shadow.cases import as_it_is
from guard.text.redaction import redacted_contacts

ORDER_FACT = "review/order_key"
DAY_SECONDS = 86_400.0


def open_desk(store: Store, settings: Settings) -> ReviewDesk:
    """The desk for the cases of a store, all decisions counted. Raises StoreError."""
    desk = ReviewDesk(
        store=store,
        clock=time.time,
        order_key=secret_fact(store, ORDER_FACT),
        lease_seconds=settings.review.lease_minutes * 60.0,
    )
    while not desk.follow():
        pass
    return desk


def open_people(store: Store) -> People:
    """Who may sign in at the desk of a store."""
    return People(windows=store, random_bytes=secrets.token_bytes)


def open_retention(store: Store, settings: Settings) -> Retention:
    """What erases cases when they are old enough."""
    days = settings.review.retention_days
    seconds = None if days is None else days * DAY_SECONDS
    return Retention(store=store, clock=time.time, kept_seconds=seconds)


def secret_fact(store: Store, name: str) -> bytes:
    """A secret of 32 bytes that is made once and kept in the store. Raises StoreError."""
    made = secrets.token_hex(32)
    store.swap(name, expected=None, new=made)
    kept = store.fact(name)
    if kept is None:
        raise StoreError(f"the store did not keep the fact {name} (setting store.url)")
    return bytes.fromhex(kept)


def kept_text(settings: ReviewSettings) -> Callable[[str], str]:
    """What cases keep of a text."""
    if settings.scores_only:
        return lambda _: ""
    return redacted_contacts if settings.redact else as_it_is
