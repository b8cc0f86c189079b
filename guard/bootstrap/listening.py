"""Sockets that listen, and how an address is written."""

from __future__ import annotations

import socket
from typing import Final

BACKLOG: Final = 1024


def is_here(host: str) -> bool:
    """Whether only this machine reaches an address."""
    return host == "localhost" or host == "::1" or (host.startswith("127.") and _is_ipv4(host))


def url_of(host: str, port: int) -> str:
    """Where to reach a listener, as people write it."""
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def listening(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """A socket that listens at an address. Raises OSError and OverflowError.

    shared: others may be bound to the same address, and connections are spread over them.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        # What is accepted inherits it. Without it small answers wait for the last one to have
        # arrived, because asyncio sets it only on sockets that name their protocol.
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind((host, port))
        made.listen(BACKLOG)
    except BaseException:
        made.close()
        raise
    return made


def _is_ipv4(host: str) -> bool:
    try:
        socket.inet_aton(host)
    except OSError:
        return False
    return host.count(".") == 3
