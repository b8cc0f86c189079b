"""The review page as an ASGI application: authenticate, authorise, check the form, then answer."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from secrets import token_hex
from typing import Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from guard.bootstrap.candidates import open_candidates
from guard.bootstrap.findings import open_findings
from guard.errors import NoSuchCase, ReviewError, StoreError, WrongVerdict
from guard.review.accounts import AccountService
from guard.review.service import ReviewService
from guard.review_web.context import PageContext, PageRequest, has_role, see_other
from guard.review_web.http import (
    SecurityMiddleware,
    is_same_origin,
    parse_fields,
    read_form,
    sign_in_url,
)
from guard.review_web.options import ReviewOptions
from guard.review_web.rate_limit import SignInLimiter
from guard.review_web.rendering import as_sentence, load_labels, template_environment
from guard.review_web.routes import ROUTES, PageRoute, static_routes
from guard.review_web.sessions import Sessions
from guard.settings import Settings

STALE_SECONDS: Final = 60.0
"""Age at which a session cookie is written again, so that the idle time counts from now."""
CONFLICT: Final = 409
_STATUS: Final[Mapping[type[ReviewError], int]] = {NoSuchCase: 404, WrongVerdict: 400}
_log = logging.getLogger("guard.review_web")
Endpoint = Callable[[Request], Awaitable[Response]]


def review_app(
    service: ReviewService,
    accounts: AccountService,
    secret: bytes,
    options: ReviewOptions | None = None,
    *,
    settings: Settings | None = None,
    new_id: Callable[[], str] = token_hex,
) -> ASGIApp:
    """The pages of a review service.

    secret: at least 32 bytes, the same in every process that serves this page; sessions are signed
    with it. settings: those of the guard, by which findings and candidates are read. new_id:
    draws unguessable session ids. Raises SettingsError for invalid options.
    """
    options = options or ReviewOptions()
    labels = load_labels()
    context = PageContext(
        service=service,
        accounts=accounts,
        findings=open_findings(service.store, settings or Settings()),
        candidates=open_candidates(service.store, settings or Settings(), options.clock),
        sessions=Sessions(secret, options, new_id),
        limiter=SignInLimiter(options),
        options=options,
        labels=labels,
        templates=template_environment(labels),
    )
    app = Starlette(
        routes=[*(_serve(context, route) for route in ROUTES), *static_routes()],
        exception_handlers={HTTPException: _error_handler(context)},
    )
    app.router.redirect_slashes = False
    return SecurityMiddleware(app, options)


def _serve(context: PageContext, route: PageRoute) -> Route:
    async def endpoint(request: Request) -> Response:
        with context.options.span(route.method, route.path) as answered:
            form = await read_form(request) if route.method == "POST" else {}
            response = await run_in_threadpool(_answer, context, route, request, form)
            answered(response.status_code)
            return response

    return Route(route.path, endpoint, methods=[route.method])


def _error_handler(context: PageContext) -> Callable[[Request, Exception], Awaitable[Response]]:
    """For requests that match no route, or whose form cannot be read."""

    async def handle(request: Request, error: Exception) -> Response:
        def fail(_request: PageRequest) -> Response:
            raise error

        route = PageRoute("", "", None, fail)
        response = await run_in_threadpool(_answer, context, route, request, {})
        if allowed := dict(getattr(error, "headers", None) or {}).get("Allow"):
            response.headers["allow"] = allowed
        return response

    return handle


def _answer(
    context: PageContext, route: PageRoute, http: Request, form: Mapping[str, str]
) -> Response:
    """The page, or a page that says why there is none."""
    request = _anonymous(context, http, form)
    try:
        request = _authenticate(request)
        response = _deny(route, http, request) or route.handler(request)
    except HTTPException as error:
        response = request.error(error.status_code)
    except ReviewError as error:
        status = _STATUS.get(type(error), CONFLICT)
        response = request.error(status, as_sentence(error))
    except StoreError:
        _log.exception("review: the store cannot be reached")
        response = request.error(503)
    except Exception:
        _log.exception("review: %s %s failed", route.method, route.path)
        response = request.error(500)
    return _with_cookie(request, response)


def _anonymous(context: PageContext, http: Request, form: Mapping[str, str]) -> PageRequest:
    """The request in the session of its cookie, or in a new one; nobody is trusted yet."""
    session = context.sessions.read(http.cookies)
    signed_in = session is not None and bool(session.name)
    return PageRequest(
        context=context,
        session=session or context.sessions.begin(),
        path=http.url.path,
        path_params={name: str(value) for name, value in http.path_params.items()},
        query=_query(http),
        form=form,
        cookies=http.cookies,
        client_address=context.options.client_address(
            http.client.host if http.client else "", http.headers.getlist("x-forwarded-for")
        ),
        session_ended=not signed_in and context.sessions.cookie in http.cookies,
        new_session=session is None,
        cross_site=http.headers.get("sec-fetch-site") in {"cross-site", "same-site"},
    )


def _query(http: Request) -> Mapping[str, str]:
    try:
        return parse_fields(http.url.query)
    except HTTPException:
        return {}


def _authenticate(request: PageRequest) -> PageRequest:
    """With its user, if the account still exists and its sessions were not ended since."""
    context, session = request.context, request.session
    if not session.name:
        return request
    user = context.accounts.user(session.name)
    if user is None or user.disabled or user.session_version != session.version:
        new = context.sessions.begin()
        return replace(request, session=new, session_ended=True, new_session=True)
    return replace(request, user=user)


def _deny(route: PageRoute, http: Request, request: PageRequest) -> Response | None:
    """A redirect to sign in, where that would help. Raises HTTPException 403; None lets pass."""
    if route.role and request.user is None:
        page = request.path if route.method == "GET" else request.path.rpartition("/")[0]
        return see_other(sign_in_url(page, request.query, expired=request.session_ended))
    if route.method == "POST" and not _is_own_form(http, request):
        raise HTTPException(403)
    if not has_role(request.user, route.role):
        raise HTTPException(403)
    return None


def _is_own_form(http: Request, request: PageRequest) -> bool:
    """Whether one of our own pages sent this form, in this very session."""
    context, token = request.context, request.form.get("csrf", "")
    return is_same_origin(http, context.options) and context.sessions.fits(request.session, token)


def _with_cookie(request: PageRequest, response: Response) -> Response:
    """With the session cookie, where the browser has none or an old one."""
    context = request.context
    stale = context.now() - request.session.seen > STALE_SECONDS
    if "set-cookie" in response.headers:
        return response
    if request.session_ended:
        context.sign_out(response)
    if request.new_session or stale:
        context.sign_in(response, request.session)
    return response
