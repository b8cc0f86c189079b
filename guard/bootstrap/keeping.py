"""What a guard keeps: the store, the spool before it, and what carries from one to the other."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from math import floor
from pathlib import Path
from random import Random

from guard.bootstrap.regularly import Regularly
from guard.ports import Store, Windows
from guard.records import SpoolCounts
from guard.settings import Settings, StoreSettings
from guard.store import open_store
from guard.store.shipper import Shipper
from guard.store.spool import Spool

MEGABYTE = 1_000_000
BEHIND_SECONDS = 5.0
KEPT_SECONDS = 2 * 86_400.0
"""How long sums are kept in time buckets: longer than the longest window, for what comes late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The store, and how to get something into it without ever waiting for it."""

    store: Store
    spool: Spool
    shipper: Shipper
    expiry: Regularly

    def spool_counts(self) -> SpoolCounts:
        """What waits on this process's disk."""
        counts = self.shipper.counts()
        return SpoolCounts(bytes=counts.lag_bytes, accepted=counts.spooled, dropped=counts.dropped)

    def state(self) -> str:
        """`reachable`, or `spooling` where the store has not taken anything for a while."""
        return "spooling" if self.shipper.counts().lag_seconds > BEHIND_SECONDS else "reachable"

    def close(self, *, drain_seconds: float) -> None:
        """Ship what is spooled, for so long at most; the rest waits on the disk."""
        self.shipper.close(drain_seconds=drain_seconds)
        self.expiry.close()
        self.store.shut()


def store_settings(settings: Settings) -> StoreSettings | None:
    """Where things are kept: as set, by default where a use case is shadowed, else nowhere."""
    use_cases = (settings.defaults, *settings.use_cases.values())
    if settings.store is None and any(one.shadow.share > 0 for one in use_cases):
        return StoreSettings()
    return settings.store


def shows_readings(settings: Settings) -> bool:
    """Whether a process shows the readings of all processes itself."""
    where = store_settings(settings)
    if where is None:
        return False
    shared = where.url.startswith(("redis:", "rediss:"))
    return where.readings == "embedded" or (where.readings is None and not shared)


def open_the_store(settings: StoreSettings) -> Store:
    """The store alone, for those who only read or work. Raises SettingsError, StoreError."""
    return open_store(settings.url, clock=time.time, max_jobs=settings.max_jobs)


def open_kept(settings: StoreSettings) -> Kept:
    """Store, spool and shipper. Raises SettingsError, StoreError."""
    store = open_the_store(settings)
    spool = Spool(
        Path(settings.spool).expanduser(),
        max_bytes=int(settings.spool_mb * MEGABYTE),
        new_id=lambda: uuid.uuid4().hex,
    )
    shipper = Shipper(
        spool,
        store,
        clock=time.monotonic,
        random=Random(),  # noqa: S311 - jitter, no secret
    )
    shipper.start()
    expiry = Regularly(lambda: expire(store, time.time()), name="guard-expiry")
    return Kept(store=store, spool=spool, shipper=shipper, expiry=expiry)


def expire(store: Windows, now: float) -> int:
    """Forget the time buckets that no window reaches any more; how many there were."""
    return store.expire(before_bucket=floor((now - KEPT_SECONDS) / store.bucket_seconds))
