"""The options of the review page."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from guard.bootstrap.tracing import PageSpan, page_spans
from guard.errors import SettingsError
from guard.review_web.client_address import client_address, read_networks

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOptions:
    """Options of the review page.

    url: the public address, like `https://review.example.org`; empty: this machine only. Under
    https, cookies are marked as secure.
    idle_seconds, session_seconds: a session ends after so long without a request, and in any case.
    tries, tries_per_address, tries_per_name, tries_seconds: wrong passwords allowed within that
    time: of one browser or address for one name, of one address for all names, and of all
    addresses for one name.
    trusted_proxies: addresses and networks of proxies whose X-Forwarded-For is believed. Without
    any, a page under https has no limit per address: it does not speak TLS itself, so that every
    connection is a proxy's.
    page_size: rows of a list. clock: Unix seconds. span: a context around each request.
    """

    url: str = ""
    idle_seconds: float = 1800.0
    session_seconds: float = 43_200.0
    tries: int = 5
    tries_per_address: int = 25
    tries_per_name: int = 50
    tries_seconds: float = 600.0
    trusted_proxies: tuple[str, ...] = ()
    page_size: int = 50
    clock: Callable[[], float] = field(default=time.time)
    span: PageSpan = field(default_factory=lambda: page_spans(None))

    def __post_init__(self) -> None:
        read_networks(self.trusted_proxies)
        if self.url and not _is_origin(self.url):
            raise SettingsError(
                f"review: url: {self.url!r} is not an origin; give scheme and host, and a port if"
                " need be, as in https://review.example.org"
            )

    @property
    def secure(self) -> bool:
        """Whether cookies are sent over https only."""
        return self.url.lower().startswith("https://")

    def serves(self, host: str) -> bool:
        """Whether a Host header names this page; other names are refused (DNS rebinding)."""
        if self.url:
            return host.lower() == urlsplit(self.url).netloc.lower()
        name, _, port = host.lower().rpartition(":")
        return (name if port.isdecimal() and name else host.lower()) in LOOPBACK

    def client_address(self, peer: str, forwarded: Sequence[str]) -> str:
        """By which address attempts are counted; empty for none. See `client_address`."""
        proxies = read_networks(self.trusted_proxies)
        return client_address(peer, forwarded, proxies, behind_proxy=self.secure)

    def origin(self, scheme: str, host: str) -> str:
        """The origin of its own forms."""
        return (self.url or f"{scheme}://{host}").lower().rstrip("/")


def _is_origin(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    bare = not (parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc)
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and bare
