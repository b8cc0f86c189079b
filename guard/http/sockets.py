"""Listening sockets, and how an address is written."""

from __future__ import annotations

import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from typing import Final

from guard.errors import SettingsError

BACKLOG: Final = 1024
"""Connections the kernel keeps until they are accepted."""
LOCALHOST: Final = "127.0.0.1"


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def url_of(host: str, port: int) -> str:
    """The URL of a listener, IPv6 addresses in brackets."""
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def listen(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """A listening socket. Raises OSError and OverflowError.

    shared: other sockets may be bound to the same address (SO_REUSEPORT); the kernel spreads
    connections over them.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        # Accepted connections inherit it. Without it a small answer waits until the last one has
        # been acknowledged, because asyncio sets it only on sockets that name their protocol.
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind((host, port))
        made.listen(BACKLOG)
    except BaseException:
        made.close()
        raise
    return made


@contextmanager
def listening_errors(
    what: str, host: str, port: int, remedy: str = "choose another port, or 0 for any"
) -> Iterator[None]:
    """Raises SettingsError for an address that cannot be listened on. what: "the gateway", say."""
    try:
        yield
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SettingsError(f"cannot serve {what} on {host}:{port}: {reason}; {remedy}") from error


def raise_file_limit() -> None:
    """As many connections as the system allows, not as many as a shell begins with."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def affordable_connections(most: int) -> int:
    """So many, or a third of the files that this process may have open, where that is less: each
    may need one more for what is asked on its behalf."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most if soft == resource.RLIM_INFINITY else max(min(most, soft // 3), 1)
