"""What is kept for later: jobs, sums and cases, in SQLite, Redis or memory."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from math import isfinite

from guard.errors import SettingsError
from guard.ports import Store
from guard.store.common import StoreOptions
from guard.store.memory import MemoryStore
from guard.store.redis import open_redis
from guard.store.sqlite import open_sqlite

Opener = Callable[[str, StoreOptions], Store]


def new_lease_token() -> str:
    """64 random bits as text."""
    return secrets.token_hex(8)


def open_store(
    url: str,
    *,
    clock: Callable[[], float],
    bucket_seconds: float = 60.0,
    max_jobs: int = 100_000,
    new_token: Callable[[], str] = new_lease_token,
) -> Store:
    """The store that `url` names, made where there is none.

    url: `sqlite:///relative.db`, `sqlite:////absolute/path.db`, `redis://host:port/number` or
    `memory:`. clock: Unix seconds. bucket_seconds: width of a time bucket, the same for as long
    as the store exists. max_jobs: jobs that may be neither finished nor buried. new_token: text
    that tells one lease from all others.

    Raises SettingsError for a URL or width that cannot be, StoreError when there is something
    else at that place or nothing can be kept there; both name the setting.
    """
    opener = _OPENERS.get(url.partition(":")[0])
    if opener is None:
        raise SettingsError(
            f"store.url: no store is called {url.partition(':')[0]!r:.40}; allowed are"
            " sqlite:///path, redis://host and memory:"
        )
    _check(bucket_seconds, max_jobs)
    options = StoreOptions(
        clock=clock, bucket_seconds=bucket_seconds, max_jobs=max_jobs, new_token=new_token
    )
    return opener(url, options)


def _check(bucket_seconds: float, max_jobs: int) -> None:
    if not isfinite(bucket_seconds) or bucket_seconds <= 0:
        raise SettingsError(f"store.bucket_seconds: must be above 0, got {bucket_seconds}")
    if max_jobs < 1:
        raise SettingsError(f"store.max_jobs: must be at least 1, got {max_jobs}")


def _memory(url: str, options: StoreOptions) -> Store:
    if url != "memory:":
        raise SettingsError(f"store.url: {url!r} must be memory: and nothing more")
    return MemoryStore(options)


_OPENERS: Mapping[str, Opener] = {
    "sqlite": open_sqlite,
    "redis": open_redis,
    "rediss": open_redis,
    "memory": _memory,
}
