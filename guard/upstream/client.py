"""HTTP to one upstream: its address, a pool of connections, time-outs, limits and own errors."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from multidict import CIMultiDict, MultiMapping

from guard.errors import (
    AllInUse,
    Broken,
    SettingsError,
    TimedOut,
    TooLarge,
    UpstreamBusy,
    UpstreamError,
)
from guard.replies.large import SLICE_BYTES
from guard.upstream.connector import CheckedConnector


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


_KEEP_ALIVE_SECONDS = 30.0
_QUOTED = re.compile(r"""\bb['"]""")
_HEADERS = {"user-agent": "evenguard", "accept": "*/*", "accept-encoding": "identity"}


class Answer:
    """An answer whose status and headers are there, and whose body is on its way.

    headers: names in lower case and found in any; `getall` gives the values of one that is
    repeated, and `items` every pair. Each character of a value is one byte of what was sent.
    The body can be read once, by `chunks` or by `body`.
    """

    def __init__(
        self, response: aiohttp.ClientResponse, client: HttpClient, *, until: float
    ) -> None:
        self._content = response.content
        self._client = client
        self._until = until
        self.status = response.status
        self.headers: MultiMapping[str] = CIMultiDict(
            (name.decode("latin-1").lower(), value.decode("latin-1"))
            for name, value in response.raw_headers
        )

    async def chunks(self) -> AsyncGenerator[bytes]:
        """The body as it comes, decompressed, at most SLICE_BYTES at once; before each chunk other
        tasks get their turn. Raises TimedOut and Broken."""
        loop, idle_seconds = asyncio.get_running_loop(), self._client.limits.idle_seconds
        while not self._content.at_eof():
            with self._client.errors():
                async with asyncio.timeout_at(min(self._until, loop.time() + idle_seconds)):
                    await asyncio.sleep(0)  # what has arrived already is read without waiting
                    chunk = await self._content.read(SLICE_BYTES)
            if chunk:
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
    settings. Certificates are checked against those of the system. use_environment: whether a
    proxy is taken from the environment; raises SettingsError for one that cannot be used.
    """

    def __init__(
        self, endpoint: Endpoint, limits: Limits | None = None, *, use_environment: bool = True
    ) -> None:
        self.endpoint = endpoint
        self.limits = limits or Limits()
        self.where = f"{endpoint.setting} ({endpoint.base_url})"
        self._proxy = proxy_of(endpoint) if use_environment else None
        self._headers = {**_HEADERS, **_authorization(endpoint)}
        self._connections = asyncio.Semaphore(self.limits.connections)
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    @asynccontextmanager
    async def send(
        self,
        method: str,
        path: str,
        *,
        content: bytes = b"",
        headers: Mapping[str, str] | None = None,
        first_byte_seconds: float | None = None,
    ) -> AsyncIterator[Answer]:
        """Ask, and hold the answer for as long as the context lasts.

        headers: names in lower case; an `authorization` among them takes the place of the key.
        first_byte_seconds: other than that of the limits, which `total_seconds` still bounds.
        Leaving the context early closes the connection, and so does cancelling.
        Raises UpstreamBusy when nothing was sent, TimedOut and Broken when something may have been.
        """
        session, limits = self._open_session(), self.limits
        until = asyncio.get_running_loop().time() + limits.total_seconds
        patience_seconds = first_byte_seconds or limits.first_byte_seconds
        async with self._connection():
            with self.errors():
                async with asyncio.timeout(min(patience_seconds, limits.total_seconds)):
                    response = await session.request(
                        method,
                        self.endpoint.at(path),
                        data=content or None,
                        headers={**self._headers, **(headers or {})},
                        allow_redirects=False,
                    )
            try:
                self._check_status(response.status)
                yield Answer(response, self, until=until)
            finally:
                response.close()

    def _check_status(self, status: int) -> None:
        """Raises Broken for what no client can be answered with (RFC 9110, section 15)."""
        if not 200 <= status <= 599:
            raise Broken(f"{self.where}: the answer has the status {status:03d}")

    async def close(self) -> None:
        """Close all connections."""
        self._closed = True
        if self._session is not None:
            await self._session.close()

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn errors of aiohttp into ours."""
        try:
            yield
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise UpstreamBusy(
                f"{self.where}: no connection ({_reason(error)}); if the address is wrong, set"
                f" {self.endpoint.setting}.base_url"
            ) from error
        except TimeoutError as error:
            raise TimedOut(f"{self.where}: no answer in time") from error
        except (aiohttp.ClientError, ValueError) as error:
            raise Broken(f"{self.where}: {_reason(error)}") from error

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[None]:
        """Hold one of `Limits.connections`; a free one is waited for as long as to connect."""
        try:
            async with asyncio.timeout(self.limits.connect_seconds):
                await self._connections.acquire()
        except TimeoutError as error:
            raise AllInUse(
                f"{self.where}: all {self.limits.connections} connections are in use"
            ) from error
        try:
            yield
        finally:
            self._connections.release()

    def _open_session(self) -> aiohttp.ClientSession:
        """The pool of connections, which needs a running loop to be made."""
        if self._closed:
            raise UpstreamError(f"{self.where}: the client is closed")
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=CheckedConnector(limit=0, keepalive_timeout=_KEEP_ALIVE_SECONDS),
                timeout=aiohttp.ClientTimeout(total=None, connect=self.limits.connect_seconds),
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers={"content-type"},
                proxy=self._proxy,
            )
        return self._session


def _authorization(endpoint: Endpoint) -> Mapping[str, str]:
    return {"authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}


def _reason(error: Exception) -> str:
    """The error in one line, without the bytes that it quotes: they may be of a reply."""
    said = " ".join(str(getattr(error, "message", "") or error).split())
    return _QUOTED.split(said, maxsplit=1)[0].rstrip(" :") or type(error).__name__
