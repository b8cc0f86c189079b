"""The review page as an ASGI application."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from secrets import token_hex

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from guard.review import ReviewDesk
from guard.review.people import People
from guard.reviewer import assets
from guard.reviewer.gate import failure
from guard.reviewer.options import ReviewOptions
from guard.reviewer.rendering import environment
from guard.reviewer.sessions import Sessions
from guard.reviewer.shell import Shell
from guard.reviewer.site import Site
from guard.reviewer.tries import Tries
from guard.reviewer.ways import WAYS


def review_app(
    desk: ReviewDesk,
    people: People,
    secret: bytes,
    options: ReviewOptions | None = None,
    *,
    new_id: Callable[[], str] = token_hex,
) -> ASGIApp:
    """The pages of a desk.

    secret: at least 32 bytes, the same in every process that serves this page; sessions are signed
    with it. new_id: draws what nobody can guess. Raises SettingsError for options that cannot be.
    """
    options = options or ReviewOptions()
    site = Site(
        desk=desk,
        people=people,
        sessions=Sessions(secret, options, new_id),
        tries=Tries(options),
        options=options,
        templates=environment(),
    )
    app = Starlette(
        routes=[*(way.route(site) for way in WAYS), *assets.routes()],
        exception_handlers={HTTPException: _failed(site)},
    )
    app.router.redirect_slashes = False
    return Shell(app, options)


def _failed(site: Site) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def failed(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        made = await run_in_threadpool(failure, site, request, status)
        if allowed := dict(getattr(error, "headers", None) or {}).get("Allow"):
            made.headers["allow"] = allowed
        return made

    return failed
