"""A store in Redis, version 7 or newer, which many processes on many machines share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from guard.errors import SettingsError
from guard.ports import Store
from guard.store.common import StoreOptions

__all__ = ["Address", "check_redis", "open_redis", "read_address"]

PREFIX = re.compile(r"[A-Za-z0-9._-]{1,64}")
PASSED_ON = {"ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_cert_reqs"}
DEFAULT_PREFIX = "guard"
MISSING = "store.url: redis:// needs redis-py; install it with: pip install 'evenguard[redis]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a store is.

    url: for the driver. shown: for people, without the password. root: what all keys begin with;
    its braces keep them in one slot of a cluster, so that one script may change all of them.
    """

    url: str
    shown: str
    root: str


def read_address(url: str) -> Address:
    """Raises SettingsError, without a word of what may be a password."""
    parts = _split(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    prefix = query.pop("prefix", DEFAULT_PREFIX)
    shown = _shown(parts)
    if not PREFIX.fullmatch(prefix):
        raise SettingsError(f"store.url: {shown}: prefix= is 1 to 64 letters, digits, . _ or -")
    unknown = sorted(query.keys() - PASSED_ON)
    if unknown:
        allowed = ", ".join(["prefix", *sorted(PASSED_ON)])
        raise SettingsError(f"store.url: {shown}: no such option; allowed are {allowed}")
    if query and parts.scheme == "redis":
        raise SettingsError(
            f"store.url: {shown}: {', '.join(sorted(query))} is for TLS; write rediss://"
        )
    plain = parts._replace(query=urlencode(query)).geturl()
    return Address(url=plain, shown=shown, root=f"{{{prefix}}}")


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        usable = _is_usable(parts)
    except ValueError:
        usable = False
    if not usable:
        raise SettingsError(
            "store.url: must be redis://[user:password@]host[:port][/number], with / # ? @ and :"
            " in a password written as %2F %23 %3F %40 and %3A"
        )
    return parts


def _is_usable(parts: SplitResult) -> bool:
    """Raises ValueError for a port that is no number."""
    place = parts.hostname is not None and parts.port != 0
    nothing_else = not parts.fragment and re.fullmatch(r"/?\d*", parts.path) is not None
    return place and nothing_else and parts.scheme in {"redis", "rediss"}


def _shown(parts: SplitResult) -> str:
    user, at, place = parts.netloc.rpartition("@")
    name, colon, _ = user.partition(":")
    return f"{parts.scheme}://{name}{colon and ':***'}{at}{place}{parts.path}"


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
        raise SettingsError(MISSING) from error
    return RedisStore.at(url, options)


def check_redis(url: str) -> None:
    """Raises SettingsError for a URL that cannot be, or where redis-py is missing."""
    read_address(url)
    if find_spec("redis") is None:
        raise SettingsError(MISSING)
