"""The proxy that the environment names for an endpoint."""

from __future__ import annotations

from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from guard.errors import SettingsError
from guard.upstream.endpoint import Endpoint


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
