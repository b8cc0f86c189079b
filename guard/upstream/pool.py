"""The pool of connections to one endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aiohttp

if TYPE_CHECKING:
    from aiohttp.client_reqrep import ConnectionKey
    from aiohttp.connector import Connection
    from aiohttp.tracing import Trace


class Pool(aiohttp.TCPConnector):
    """Uses no connection again on which something came that nobody had asked for.

    It would be taken for the answer to the next request, which may be somebody else's. The pool of
    the library looks only when a connection comes back to it.
    """

    async def _get(self, key: ConnectionKey, traces: list[Trace]) -> Connection | None:
        while (found := await super()._get(key, traces)) is not None:
            if found.protocol is not None and not found.protocol.should_close:
                return found
            found.close()
        return None
