"""A middleware that guards what an application answers on some of its paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from guard.wrap.asgi.http import App, Receive, Scope, Send
from guard.wrap.asgi.request import (
    Guarded,
    GuardedRequest,
    GuardedRoute,
    ResponseEndedError,
    readable_request,
    route_of,
    routes_of,
)
from guard.wrap.asgi.response import GuardedResponse
from guard.wrap.asgi.whole_body import BodyLimits

if TYPE_CHECKING:
    from guard.wrap.facade import Guard

_BYTES_OF_MB = 1_000_000
_RAISES_SINCE = (2, 4)


class GuardASGI:
    """Guards texts that a model wrote in the answers of an ASGI application, on asyncio.

    `app.add_middleware(GuardASGI, guard=guard, use_case="summaries", paths={"/sum": "summary"})`
    guards the field `summary` of the JSON that `/sum` answers.
    """

    def __init__(
        self,
        app: App,
        *,
        guard: Guard,
        paths: Mapping[str, str | Guarded | None],
        use_case: str | None = None,
        body_mb: float = 10.0,
        most_texts: int = 50,
    ) -> None:
        """
        paths: as a framework writes them (`/documents/{id}/summary`, `{rest:path}` for any depth),
            to the field of the answer that is guarded, or a `Guarded` with all there is to say.
        use_case: of all paths that name none.
        body_mb: megabytes (10^6 bytes) of an answer that are read; of one that is longer nothing is
            scored but what was released by then, and `on_unscored` decides about the rest.
        most_texts: texts that are judged in one JSON answer, each on its own; more are unscored.
        Raises SettingsError and UnknownUseCase.
        """
        self._app = app
        self._flow = guard.flow
        self._routes = routes_of(paths, use_case, guard)
        self._limits = BodyLimits(body_bytes=int(body_mb * _BYTES_OF_MB), texts=most_texts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        route = _can_have_body(scope) and route_of(scope, self._routes)
        if not route:
            await self._app(scope, receive, send)
            return
        request = GuardedRequest(receive, scope["headers"], route.prompt, self._limits.body_bytes)
        response = self._response(route, scope, request, send)
        with readable_request(scope):
            try:
                await self._app(scope, request.receive, response.send)
            except Exception as error:
                if not _was_ended(error):
                    await response.fail(error)
                    raise
            except BaseException:
                await response.abandon()
                raise
        await response.abandon()

    def _response(
        self, route: GuardedRoute, scope: Scope, request: GuardedRequest, send: Send
    ) -> GuardedResponse:
        raises = _version(scope) >= _RAISES_SINCE
        return GuardedResponse(route, self._flow, request, send, self._limits, raises=raises)


def _can_have_body(scope: Scope) -> bool:
    """Whether the answer can have a body."""
    return bool(scope["type"] == "http" and scope["method"] != "HEAD")


def _version(scope: Scope) -> tuple[int, ...]:
    given = str(scope.get("asgi", {}).get("spec_version", "2.0"))
    return tuple(int(part) for part in given.split(".") if part.isdecimal())


def _was_ended(error: BaseException | None) -> bool:
    """Whether the application failed because its answer was ended here."""
    while error is not None:
        if isinstance(error, ResponseEndedError):
            return True
        error = error.__cause__ or error.__context__
    return False
