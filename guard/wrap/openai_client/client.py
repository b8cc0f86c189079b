"""A copy of a client that sends everything through a guarded transport."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Final, TypeVar

from guard.bootstrap import Runtime
from guard.errors import SettingsError
from guard.wrap.openai_client.exchange import ClientGuard
from guard.wrap.openai_client.shadow import ClientUpstream
from guard.wrap.openai_client.transport import AsyncGuardedTransport, GuardedTransport

C = TypeVar("C")

_NO_SOCKETS: Final = "wss://guard:websockets are not guarded by wrap_openai and so refused"
"""The address of all websockets of the copy. It is none, and the error that says so quotes it."""


def guarded_client(client: C, runtime: Runtime, use_case: str) -> C:
    """`client` with every reply guarded; see `Guard.wrap_openai`, for errors too."""
    given: Any = client
    inner: Any = getattr(given, "_client", None)
    http = _http_module(inner)
    if http is None or not hasattr(given, "with_options"):
        raise SettingsError(
            "wrap_openai(): a client of the package openai is wanted (OpenAI, AsyncOpenAI, or one"
            f" of their kind), not {type(client).__name__}"
        )
    runtime.flow.policy(use_case)
    declared = runtime.settings.use_cases.get(use_case, runtime.settings.defaults)
    is_async = isinstance(inner, http.AsyncClient)
    upstream = ClientUpstream(given, is_async=is_async, reply_seconds=declared.shadow.reply_seconds)
    guard = ClientGuard(flow=runtime.flow, use_case=use_case, lane=runtime.lane(use_case, upstream))
    about = {"headers": inner.headers, "cookies": inner.cookies, "params": inner.params}
    transport: Any = GuardedTransport(inner, http, guard)
    if is_async:
        transport = AsyncGuardedTransport(inner, http, guard, upstream.hear)
    kind = http.AsyncClient if is_async else http.Client
    own = kind(transport=transport, timeout=inner.timeout, trust_env=False, **about)
    made: C = given.with_options(http_client=own, websocket_base_url=_NO_SOCKETS)
    return made


def _http_module(inner: object) -> ModuleType | None:
    """The package that the HTTP client of a client is of."""
    names = [kind.__module__.partition(".")[0] for kind in type(inner).__mro__]
    found = next((name for name in names if name.startswith("httpx")), None)
    return sys.modules.get(found) if found else None
