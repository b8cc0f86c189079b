"""A store in Redis, version 7 or newer, which many processes on many machines share."""

from __future__ import annotations

from guard.errors import SettingsError
from guard.ports import Store
from guard.store.common import StoreOptions

__all__ = ["open_redis"]


def open_redis(url: str, options: StoreOptions) -> Store:
    """The store at `redis://[user:password@]host[:port][/number][?prefix=guard]`.

    The clock of `options` ends leases, delays and holds: the clocks of all processes that share
    the store must agree to a fraction of the shortest lease.

    A server that is away is no error here: every method raises StoreError until it is back.
    Raises SettingsError for a URL or a width that cannot be, StoreError for a server that answers
    and cannot be used; none shows the password.
    """
    try:
        from guard.store.redis.store import RedisStore  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError as error:
        raise SettingsError(
            "store.url: redis:// needs redis-py; install it with: pip install 'evenguard[redis]'"
        ) from error
    return RedisStore.at(url, options)
