"""What is kept for later: jobs, sums and cases, in SQLite, Redis or memory."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite

from guard.errors import SettingsError
from guard.ports import Store
from guard.store.common import StoreOptions
from guard.store.memory import MemoryStore
from guard.store.redis import check_redis, open_redis
from guard.store.sqlite import open_sqlite
from guard.store.sqlite.schema import file_path


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
    kind = _kind_of(url)
    _check(bucket_seconds, max_jobs)
    options = StoreOptions(
        clock=clock, bucket_seconds=bucket_seconds, max_jobs=max_jobs, new_token=new_token
    )
    return kind.open(url, options)


def check_store_url(url: str) -> None:
    """Raises SettingsError for a URL that can be no store's, or one for which a package is missing.

    Nothing is opened: whether something answers there is not known after it.
    """
    _kind_of(url).check(url)


def _kind_of(url: str) -> _StoreKind:
    scheme = url.partition(":")[0]
    if scheme not in _KINDS:
        raise SettingsError(
            f"store.url: no store is called {scheme!r:.40}; allowed are sqlite:///path,"
            " redis://host and memory:"
        )
    return _KINDS[scheme]


def _check(bucket_seconds: float, max_jobs: int) -> None:
    if not isfinite(bucket_seconds) or bucket_seconds <= 0:
        raise SettingsError(f"store.bucket_seconds: must be above 0, got {bucket_seconds}")
    if max_jobs < 1:
        raise SettingsError(f"store.max_jobs: must be at least 1, got {max_jobs}")


def _check_memory(url: str) -> None:
    if url != "memory:":
        raise SettingsError(f"store.url: {url!r} must be memory: and nothing more")


def _open_memory(url: str, options: StoreOptions) -> Store:
    _check_memory(url)
    return MemoryStore(options)


@dataclass(frozen=True, slots=True)
class _StoreKind:
    """check: raises SettingsError for a URL that cannot be."""

    check: Callable[[str], object]
    open: Callable[[str, StoreOptions], Store]


_KINDS: Mapping[str, _StoreKind] = {
    "sqlite": _StoreKind(file_path, open_sqlite),
    "redis": _StoreKind(check_redis, open_redis),
    "rediss": _StoreKind(check_redis, open_redis),
    "memory": _StoreKind(_check_memory, _open_memory),
}
