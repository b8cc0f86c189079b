"""The store of a process, and the spool in front of it."""

from __future__ import annotations

import logging
import secrets
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import floor
from pathlib import Path
from random import Random

from guard.bootstrap.clock_doubts import has_recent_sums
from guard.errors import SettingsError, StoreError
from guard.fairness import CATALOGUE
from guard.ports import Clock, FactStore, Store, Windows
from guard.records import SpoolCounts
from guard.settings import Settings, ShadowSettings, StoreSettings
from guard.store import open_store
from guard.store.deferred import deferred_store
from guard.store.shipper import Shipper
from guard.store.spool import Spool

MEGABYTE = 1_000_000
BEHIND_SECONDS = 5.0
"""Age of the oldest spooled record from which on the store counts as away."""
HOUR = 3600.0
STEP_SECONDS = 600.0
KEPT_SECONDS = 48 * HOUR
"""How long time buckets are kept: longer than the longest window, for records that come late."""

_log = logging.getLogger("guard.store")


class StepDetector:
    """Tells when the clock of this machine was set, instead of going on as time does.

    wall: Unix seconds. monotonic: seconds that only go forward.
    """

    def __init__(self, wall: Clock = time.time, monotonic: Clock = time.monotonic) -> None:
        self._wall = wall
        self._monotonic = monotonic
        self._offset = wall() - monotonic()

    def has_stepped(self) -> bool:
        """Whether it was set by more than STEP_SECONDS since the last question."""
        before, self._offset = self._offset, self._wall() - self._monotonic()
        return abs(self._offset - before) > STEP_SECONDS


class PeriodicTask:
    """Runs `work` at an interval, in a thread of its own, until closed.

    Work deletes what is old, and by a clock that is wrong for a while everything would be old. So
    the first run is after an interval: a machine that has just been started may not have asked for
    the time yet. Where the clock was set since the last run, one is left out. A StoreError is
    logged as a warning, any other exception with its traceback; both are followed by the next run.

    is_clock_right: asked at once; the first run does not wait where it says so.
    """

    def __init__(
        self,
        work: Callable[[], object],
        *,
        name: str,
        every_seconds: float = HOUR,
        steps: StepDetector | None = None,
        is_clock_right: Callable[[], bool] | None = None,
    ) -> None:
        self._work = work
        self._is_clock_right = is_clock_right
        self._name = name
        self._every = every_seconds
        self._steps = steps or StepDetector()
        self._stop = threading.Event()
        self._has_succeeded = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def has_succeeded(self) -> bool:
        """Whether any run, or the question before the first one, came to its end."""
        return self._has_succeeded

    def close(self) -> None:
        """Stop, after the run that is under way."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        if self._is_clock_right is not None and self._attempt(self._is_clock_right):
            self._attempt(self._work)
        while not self._stop.wait(self._every):
            if self._steps.has_stepped():
                _log.warning("%s: waits once more, since the clock was set", self._name)
            else:
                self._attempt(self._work)

    def _attempt(self, what: Callable[[], object]) -> object:
        """What comes of it; None where it fails."""
        try:
            found = what()
        except StoreError as error:
            _log.warning("%s: %s", self._name, error)
        except Exception:
            _log.exception("%s failed and is tried again", self._name)
        else:
            self._has_succeeded = True
            return found
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """The store, and the spool through which records reach it without a caller ever waiting."""

    store: Store
    spool: Spool
    shipper: Shipper
    expiry: PeriodicTask

    def spool_counts(self) -> SpoolCounts:
        """What waits on the local disk of this process."""
        counts = self.shipper.counts()
        return SpoolCounts(bytes=counts.lag_bytes, accepted=counts.spooled, dropped=counts.dropped)

    def state(self) -> str:
        """`spooling` where the store has accepted nothing for some seconds; otherwise `reachable`
        once it has answered this process, and `unknown` before."""
        counts = self.shipper.counts()
        if counts.lag_seconds > BEHIND_SECONDS:
            return "spooling"
        return "reachable" if counts.shipped or self.expiry.has_succeeded else "unknown"

    def close(self, *, drain_seconds: float) -> None:
        """Ship what is spooled, for so long at most; the rest stays on disk for the next start."""
        self.shipper.close(drain_seconds=drain_seconds)
        self.expiry.close()
        self.store.shut()


def store_settings(settings: Settings) -> StoreSettings | None:
    """The store as set; the default one where a use case is shadowed; otherwise None."""
    use_cases = (settings.defaults, *settings.use_cases.values())
    if settings.store is None and any(one.shadow.share > 0 for one in use_cases):
        return StoreSettings()
    return settings.store


def shows_readings(settings: Settings) -> bool:
    """Whether the /metrics of a process includes the readings over all processes."""
    where = store_settings(settings)
    if where is None:
        return False
    shared = where.url.startswith(("redis:", "rediss:"))
    return where.readings == "embedded" or (where.readings is None and not shared)


OLD_NAMES = {"url": ("sqlite:///", "fairguard.db"), "spool": ("", "fairguard-spool")}
"""Where version 0.1 kept the store and the spool unless told otherwise, by setting."""


def with_old_name(
    settings: StoreSettings, setting: str, is_there: Callable[[str], bool]
) -> tuple[StoreSettings, str]:
    """The settings, with the default name of version 0.1 for what exists only under that.

    A name that is set stays as it is. setting: `url` or `spool`. is_there: whether a file or
    folder exists. The second value says that the old name is used; empty where it is not.
    """
    scheme, old = OLD_NAMES[setting]
    new = getattr(StoreSettings(), setting).removeprefix(scheme)
    if setting in settings.model_fields_set or is_there(new) or not is_there(old):
        return settings, ""
    return settings.model_copy(update={setting: scheme + old}), (
        f"{old} is used, the default of version 0.1, since there is no {new}, the present default;"
        f" rename it while no process runs, or set store.{setting} to {scheme}{old}"
    )


def _locate(settings: StoreSettings, setting: str) -> StoreSettings:
    found, notice = with_old_name(settings, setting, lambda name: Path(name).exists())
    if notice:
        _log.warning("%s", notice)
    return found


def connect_store(settings: StoreSettings) -> Store:
    """The store alone, for processes that need no spool. Raises SettingsError, StoreError."""
    return _open_located(_locate(settings, "url"))


def _open_located(settings: StoreSettings) -> Store:
    return open_store(settings.url, clock=time.time, max_jobs=settings.max_jobs)


def _connect_store_later(settings: StoreSettings) -> Store:
    """The store alone, opened later where it refuses now."""
    located = _locate(settings, "url")
    try:
        return _open_located(located)
    except (SettingsError, StoreError) as error:
        _log.error("records wait in the spool until the store can be used: %s", error)
        return deferred_store(partial(_open_located, located), clock=time.monotonic)


@contextmanager
def connected_store(settings: StoreSettings) -> Iterator[Store]:
    """The same, shut at the end of the block."""
    store = connect_store(settings)
    try:
        yield store
    finally:
        store.shut()


def open_storage(settings: StoreSettings, *, needs_store: bool = True) -> Storage:
    """Store, spool and shipper. Raises SettingsError, StoreError.

    needs_store: False for a process that takes the place of one that had the store open. It raises
    neither, as that one did not: records wait in the spool until the store is right again.
    """
    store = connect_store(settings) if needs_store else _connect_store_later(settings)
    spool = Spool(
        Path(_locate(settings, "spool").spool).expanduser(),
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
    expiry = PeriodicTask(
        lambda: expire_buckets(store, time.time()),
        name="guard-expiry",
        is_clock_right=lambda: has_recent_sums(store, time.time()),
    )
    return Storage(store=store, spool=spool, shipper=shipper, expiry=expiry)


def expire_buckets(store: Windows, now: float) -> int:
    """Delete the time buckets that no window reaches any more; how many there were."""
    return store.expire(before_bucket=floor((now - KEPT_SECONDS) / store.bucket_seconds))


def secret_fact(store: FactStore, name: str) -> bytes:
    """A secret of 32 bytes that is made once and kept in the store. Raises StoreError."""
    made = secrets.token_hex(32)
    return bytes.fromhex(store.update_fact(name, lambda kept: kept or made))


def material_sizes(shadow: ShadowSettings) -> dict[str, float]:
    """By metric with a test, the size from which on a difference matters; those of claims only
    where claims are compared."""
    tested = [metric for metric in CATALOGUE.tested if shadow.claims or not metric.claims]
    return {metric.name: metric.material for metric in tested} | shadow.material
