"""HTTP to one model: one pool of connections, time-outs, limits, and faults in our own words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager

import httpx

from guard.errors import UpstreamBusy, UpstreamError
from guard.upstream.endpoint import Endpoint, Limits
from guard.upstream.faults import Broken, TimedOut, TooLarge

_KEEP_ALIVE_SECONDS = 30.0


class Answer:
    """An answer whose status and headers are there, and whose body is on its way.

    headers: names in lower case. The body can be read once, by `chunks` or by `body`.
    """

    def __init__(self, response: httpx.Response, client: HttpClient, *, until: float) -> None:
        self._response = response
        self._client = client
        self._until = until
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers

    async def chunks(self) -> AsyncGenerator[bytes]:
        """The body as it comes, decompressed. Raises TimedOut and Broken."""
        chunks = self._response.aiter_bytes()
        while True:
            with self._client.faults():
                async with asyncio.timeout_at(self._until):
                    chunk = await anext(chunks, None)
            if chunk is None:
                return
            yield chunk

    async def body(self) -> bytes:
        """The whole body. Raises TimedOut, Broken and, above `Limits.body_bytes`, TooLarge."""
        limit, found = self._client.limits.body_bytes, bytearray()
        async with aclosing(self.chunks()) as chunks:
            async for chunk in chunks:
                found += chunk
                if len(found) > limit:
                    raise TooLarge(f"{self._client.where}: the answer is larger than {limit} bytes")
        return bytes(found)


class HttpClient:
    """A pool of connections to one endpoint. For one event loop.

    Redirects are not followed: they would send a prompt to another address than the one in the
    settings. use_environment: whether proxies are taken from the environment.
    """

    def __init__(
        self, endpoint: Endpoint, limits: Limits | None = None, *, use_environment: bool = True
    ) -> None:
        self.endpoint = endpoint
        self.limits = limits or Limits()
        self.where = f"{endpoint.setting} ({endpoint.base_url})"
        self._http = httpx.AsyncClient(
            timeout=httpx.Timeout(
                self.limits.first_byte_seconds,
                connect=self.limits.connect_seconds,
                pool=self.limits.connect_seconds,
                read=None,  # `send` and `Answer` see to it
            ),
            limits=httpx.Limits(
                max_connections=self.limits.connections,
                max_keepalive_connections=self.limits.connections,
                keepalive_expiry=_KEEP_ALIVE_SECONDS,
            ),
            headers={"user-agent": "fairguard", "accept-encoding": "identity"},
            trust_env=use_environment,
        )

    @asynccontextmanager
    async def send(
        self,
        method: str,
        path: str,
        *,
        content: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> AsyncIterator[Answer]:
        """Ask, and hold the answer for as long as the context lasts.

        headers: names in lower case; an `authorization` among them takes the place of the key.
        Leaving the context early closes the connection, and so does cancelling.
        Raises UpstreamBusy when nothing was sent, TimedOut and Broken when something may have been.
        """
        if self._http.is_closed:
            raise UpstreamError(f"{self.where}: the client is closed")
        until = asyncio.get_running_loop().time() + self.limits.total_seconds
        request = self._http.build_request(
            method,
            self.endpoint.at(path),
            content=content,
            headers={**self._authorization(), **(headers or {})},
        )
        with self.faults():
            async with asyncio.timeout(
                min(self.limits.first_byte_seconds, self.limits.total_seconds)
            ):
                response = await self._http.send(request, stream=True)
        try:
            yield Answer(response, self, until=until)
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    @contextmanager
    def faults(self) -> Iterator[None]:
        """What goes wrong inside, in our own words."""
        try:
            yield
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise UpstreamBusy(
                f"{self.where}: no connection ({_said(error)}); if the address is wrong, set"
                f" {self.endpoint.setting}.base_url"
            ) from error
        except httpx.PoolTimeout as error:
            raise UpstreamBusy(
                f"{self.where}: all {self.limits.connections} connections are in use"
            ) from error
        except (TimeoutError, httpx.TimeoutException) as error:
            raise TimedOut(f"{self.where}: no answer in time") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Broken(f"{self.where}: {_said(error)}") from error

    def _authorization(self) -> Mapping[str, str]:
        key = self.endpoint.api_key
        return {"authorization": f"Bearer {key}"} if key else {}


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
