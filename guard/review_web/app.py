"""The review page as an ASGI application: authenticate, authorise, check the form, then answer."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from secrets import token_hex
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from guard.bootstrap.candidates import open_candidates
from guard.bootstrap.findings import open_findings
from guard.errors import NoSuchCase, ReviewError, StoreError, WrongVerdict
from guard.review.accounts import AccountService
from guard.review.service import ReviewService
from guard.review_web.capacity import RETRY_SECONDS, Capacity, ThreadShare
from guard.review_web.context import (
    Outcome,
    PageContext,
    PageRequest,
    PasswordCheck,
    has_role,
    see_other,
)
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
    capacity: Capacity | None = None,
) -> ASGIApp:
    """The pages of a review service.

    secret: at least 32 bytes, the same in every process that serves this page; sessions are signed
    with it. settings: those of the guard, by which findings and candidates are read. new_id:
    draws unguessable session ids. capacity: how much of it strangers can have, by default few
    threads. Raises SettingsError for invalid options.
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
        capacity=capacity or Capacity(),
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
            response = await _respond(context, route, request, form)
            answered(response.status_code)
            return response

    return Route(route.path, endpoint, methods=[route.method])


def _error_handler(context: PageContext) -> Callable[[Request, Exception], Awaitable[Response]]:
    """For requests that match no route, or whose form cannot be read."""

    async def handle(request: Request, error: Exception) -> Response:
        def fail(_request: PageRequest) -> Response:
            raise error

        route = PageRoute("", "", None, fail)
        response = await _respond(context, route, request, {})
        if allowed := dict(getattr(error, "headers", None) or {}).get("Allow"):
            response.headers["allow"] = allowed
        return response

    return handle


async def _respond(
    context: PageContext, route: PageRoute, http: Request, form: Mapping[str, str]
) -> Response:
    """The answer, made in threads of which this kind of browser has its share."""
    pages = context.capacity.pages[context.sessions.kind_of(http.cookies)]
    with pages.place() as free:
        if not free:
            return _refusal()
        outcome = await pages.run(partial(_answer, context, route, http, form))
        if isinstance(outcome, PasswordCheck):
            outcome = await _check(context, pages, outcome)
    return outcome or _refusal()


async def _check(
    context: PageContext, pages: ThreadShare, wanted: PasswordCheck
) -> Response | None:
    checks = context.capacity.known_checks if wanted.known else context.capacity.checks
    with checks.place() as free:
        response = await checks.run(wanted.then) if free else None
    return response or await pages.run(wanted.refuse)


def _refusal() -> Response:
    """Made at once: a page would have to wait for a thread. It frees the connection too."""
    headers = {"retry-after": str(RETRY_SECONDS), "connection": "close"}
    return PlainTextResponse("Too many requests at this moment. Please try again.\n", 503, headers)


def _answer(
    context: PageContext, route: PageRoute, http: Request, form: Mapping[str, str]
) -> Outcome:
    """The page, or a page that says why there is none; or the check that has to come before it."""
    request = _anonymous(context, http, form)
    try:
        request = _authenticate(request)
        outcome = _deny(route, http, request) or route.handler(request)
    except Exception as error:
        return _with_cookie(request, _error_page(route, request, error))
    if isinstance(outcome, PasswordCheck):
        then = partial(_finish, route, request, outcome.then)
        return replace(outcome, then=then, refuse=partial(_finish, route, request, outcome.refuse))
    return _with_cookie(request, outcome)


def _finish(route: PageRoute, request: PageRequest, answer: Callable[[], Response]) -> Response:
    try:
        response = answer()
    except Exception as error:
        response = _error_page(route, request, error)
    return _with_cookie(request, response)


def _error_page(route: PageRoute, request: PageRequest, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        return request.error(error.status_code)
    if isinstance(error, ReviewError):
        return request.error(_STATUS.get(type(error), CONFLICT), as_sentence(error))
    if isinstance(error, StoreError):
        _log.error("review: the store cannot be reached", exc_info=error)
        return request.error(503)
    _log.error("review: %s %s failed", route.method, route.path, exc_info=error)
    return request.error(500)


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
