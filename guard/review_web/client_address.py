"""By which address attempts to sign in are counted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

from guard.errors import SettingsError

Network: TypeAlias = IPv4Network | IPv6Network
_MAPPED = IPv6Network("::ffff:0:0/96")
_WITH_PORT = re.compile(r"\[(.*)\](?::\d+)?|([\d.]+):\d+", re.ASCII)


def read_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Addresses and networks, as in `10.0.0.0/8`. Raises SettingsError."""
    try:
        return tuple(_unmapped(ip_network(text)) for text in texts)
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
    made up by the client. Ports are left out. behind_proxy: whether all connections are a proxy's,
    should `proxies` not say which.
    """
    if not proxies:
        return "" if behind_proxy else peer
    if not _is_among(peer, proxies):
        return peer
    passed_on = [one.strip() for value in forwarded for one in value.split(",")]
    client = next((one for one in reversed(passed_on) if not _is_among(one, proxies)), "")
    return str(_address(client) or "")


def _is_among(text: str, networks: Iterable[Network]) -> bool:
    address = _address(text)
    return address is not None and any(address in network for network in networks)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """An IPv4 address that is written as an IPv6 one is given as itself."""
    with_port = _WITH_PORT.fullmatch(text)
    try:
        found = ip_address((with_port[1] or with_port[2]) if with_port else text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def _unmapped(network: Network) -> Network:
    """The same addresses as `_address` gives them."""
    if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
        first = int(network.network_address) & (2**32 - 1)
        return IPv4Network((first, network.prefixlen - _MAPPED.prefixlen))
    return network
