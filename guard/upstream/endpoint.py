"""The address of an upstream, the proxy on the way to it, and the limits of a request."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from guard.errors import SettingsError


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An OpenAI-compatible API.

    name: in the settings, as in `upstreams.<name>`. base_url: with the version and without the
    operation, as in https://api.example.com/v1. api_key: sent as a bearer token; empty for none.
    Raises SettingsError for a URL or a key that cannot be; a message never holds the key.
    """

    name: str
    base_url: str
    api_key: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if not (self.api_key.isascii() and self.api_key.isprintable() and " " not in self.api_key):
            raise SettingsError(
                f"{self.setting}.api_key_env: the key holds a space, a line break or another"
                " character that no key has; look at how the variable is set"
            )
        if problem := _url_problem(self.base_url):
            raise SettingsError(f"{self.setting}.base_url: {problem}")

    @property
    def setting(self) -> str:
        """Where it stands in the settings."""
        return f"upstreams.{self.name}"

    def at(self, path: str) -> str:
        """The whole address of an operation: `/chat/completions`, say."""
        return self.base_url.rstrip("/") + path


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a request may take.

    connect_seconds: to connect, and to wait for a free connection. first_byte_seconds: until the
    answer begins. idle_seconds: the longest silence in its body. total_seconds: until it has ended;
    finite. connections: open at once. body_bytes: of an answer that is read whole.
    """

    connect_seconds: float = 5.0
    first_byte_seconds: float = 60.0
    idle_seconds: float = math.inf
    total_seconds: float = 120.0
    connections: int = 100
    body_bytes: int = 4 * 2**20


def proxy_of(endpoint: Endpoint) -> str | None:
    """By HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, in capitals or not; None is none.

    Raises SettingsError for one that does not speak HTTP.
    """
    parts = urlsplit(endpoint.base_url)
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    if not found or proxy_bypass(parts.netloc):
        return None
    proxy = found if "://" in found else f"http://{found}"
    if (scheme := urlsplit(proxy).scheme) not in {"http", "https"}:
        raise SettingsError(
            f"{endpoint.setting}: the environment names a proxy that speaks {scheme}, and only"
            f" http and https can be used; add {parts.hostname} to NO_PROXY to do without"
        )
    return proxy


def _url_problem(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return f"is no address: {error}"
    if parts.username or parts.password:
        return "must not hold a password; name the variable that holds it in api_key_env"
    if parts.scheme not in {"http", "https"} or not host:
        return f"must begin with http:// or https:// and a host, got {url!r:.200}"
    if parts.query or parts.fragment:
        return f"must end with the path, without ? and #, got {url!r:.200}"
    return ""
