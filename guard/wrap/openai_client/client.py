"""A copy of a client that sends everything through a guarded transport."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final, TypeVar, cast

from guard.bootstrap import Runtime
from guard.errors import SettingsError
from guard.wrap.openai_client.exchange import ClientGuard
from guard.wrap.openai_client.shadow import ClientUpstream
from guard.wrap.openai_client.transport import AsyncGuardedTransport, GuardedTransport

C = TypeVar("C")

_NO_SOCKETS: Final = "wss://guard:websockets are not guarded by wrap_openai and so refused"
"""The address of all websockets of the copy. It is none, and the error that says so quotes it."""
_COPIERS: Final = ("copy", "with_options")
_KEPT: Final = ("http_client", "websocket_base_url", "data_residency")
"""Options of a copy that replace the guarded transport, or the address of its websockets."""


def guarded_client(client: C, runtime: Runtime, use_case: str) -> C:
    """`client` with every reply guarded; see `Guard.wrap_openai`, for errors too."""
    given: Any = client
    inner: Any = getattr(given, "_client", None)
    http = _http_module(inner)
    if http is None or not all(hasattr(given, name) for name in _COPIERS):
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
    made: Any = given.with_options(http_client=own, websocket_base_url=_NO_SOCKETS)
    made.__class__ = _kind_with_guarded_copies(type(made))
    return cast("C", made)


def _kind_with_guarded_copies(kind: type[Any]) -> type[Any]:
    """A subclass under the same name, whose instances and their copies keep the transport."""
    members = {name: _guarded_copier(getattr(kind, name)) for name in _COPIERS}
    return type(kind.__name__, (kind,), {"__module__": kind.__module__, **members})


def _guarded_copier(copier: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(copier)
    def copy(client: object, **options: Any) -> Any:
        if refused := [name for name in _KEPT if options.get(name) is not None]:
            raise SettingsError(
                f"with_options(): a guarded client keeps its {refused[0]}, since replies would go"
                " past the guard otherwise; give it to the original client, then call wrap_openai()"
            )
        return copier(client, **options)

    return copy


def _http_module(inner: object) -> ModuleType | None:
    """The package that the HTTP client of a client is of, others that build on it aside."""
    names = [kind.__module__.partition(".")[0] for kind in type(inner).__mro__]
    found = [name for name in names if name.startswith("httpx")]
    return sys.modules.get(found[-1]) if found else None
