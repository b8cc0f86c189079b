"""By which address attempts to sign in are counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

from guard.errors import SettingsError

Network: TypeAlias = IPv4Network | IPv6Network


def read_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Addresses and networks, as in `10.0.0.0/8`. Raises SettingsError."""
    try:
        return tuple(ip_network(text) for text in texts)
    except ValueError as error:
        raise SettingsError(
            f"review.trusted_proxies: {error}; give addresses or networks, as in 10.0.0.0/8"
        ) from error


def client_address(
    peer: str, forwarded: Sequence[str], proxies: Sequence[Network], *, behind_proxy: bool
) -> str:
    """The address of the client; empty where only that of a proxy is known.

    peer: who opened the connection. forwarded: the values of X-Forwarded-For, to which each proxy
    adds whom it got the request from; what stands before the last address that is no proxy's may be
    made up by the client. behind_proxy: whether all connections are a proxy's, should `proxies` not
    say which.
    """
    if not proxies:
        return "" if behind_proxy else peer
    if not _is_among(peer, proxies):
        return peer
    passed_on = [one.strip() for value in forwarded for one in value.split(",")]
    client = next((one for one in reversed(passed_on) if not _is_among(one, proxies)), "")
    return "" if _address(client) is None else client


def _is_among(text: str, networks: Iterable[Network]) -> bool:
    address = _address(text)
    return address is not None and any(address in network for network in networks)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found
