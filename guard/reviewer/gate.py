"""The one way in: who asks, whether they may, whether a form is ours; only then a page is made."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guard.errors import NoSuchCase, ReviewError, StoreError, WrongVerdict
from guard.review.people import Role
from guard.reviewer.asked import Asked
from guard.reviewer.forms import fields, read_form
from guard.reviewer.leaving import sign_in_before
from guard.reviewer.origin import from_us
from guard.reviewer.roles import may
from guard.reviewer.site import Site, to
from guard.reviewer.wording import sentence

log = logging.getLogger("guard.reviewer")
Handler = Callable[[Site, Asked], Response]
Endpoint = Callable[[Request], Awaitable[Response]]
CHANGED_MEANWHILE: Final = 409
STALE_SECONDS: Final = 60.0
"""How old a cookie gets before it is written anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A path and a method, who may go there, and who answers. role: None lets everybody in."""

    method: str
    path: str
    role: Role | None
    handler: Handler

    def route(self, site: Site) -> Route:
        """Behind the gate."""
        return Route(self.path, _endpoint(site, self), methods=[self.method])


def failure(site: Site, request: Request, status: int) -> Response:
    """The page for a request that found no way, or whose form could not be read."""

    def fail(_site: Site, _asked: Asked) -> Response:
        raise HTTPException(status)

    return _answer(site, Way(method="", path="", role=None, handler=fail), request, {})


def _endpoint(site: Site, way: Way) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        form = await read_form(request) if way.method == "POST" else {}
        return await run_in_threadpool(_answer, site, way, request, form)

    return endpoint


def _answer(site: Site, way: Way, request: Request, form: Mapping[str, str]) -> Response:
    """The page, or a page that says why not."""
    asked = _stranger(site, request, form)
    try:
        asked = _recognised(site, asked)
        made = _refusal(site, way, request, asked) or way.handler(site, asked)
    except HTTPException as error:
        made = site.error(asked, error.status_code)
    except NoSuchCase as error:
        made = site.error(asked, 404, sentence(error))
    except WrongVerdict as error:
        made = site.error(asked, 400, sentence(error))
    except ReviewError as error:
        made = site.error(asked, CHANGED_MEANWHILE, sentence(error))
    except StoreError:
        log.exception("review: the store cannot be reached")
        made = site.error(asked, 503)
    except Exception:
        log.exception("review: %s %s failed", way.method, way.path)
        made = site.error(asked, 500)
    return _with_cookie(site, asked, made)


def _stranger(site: Site, request: Request, form: Mapping[str, str]) -> Asked:
    """The request as it came, in the session of its cookie or in a new one of nobody."""
    session = site.sessions.read(request.cookies)
    return Asked(
        session=session or site.sessions.begin(),
        at=request.url.path,
        path={name: str(value) for name, value in request.path_params.items()},
        query=_query(request),
        form=form,
        address=request.client.host if request.client else "",
        ended=(session is None or not session.name) and site.sessions.cookie in request.cookies,
        fresh=session is None,
        led_here=request.headers.get("sec-fetch-site") in {"cross-site", "same-site"},
    )


def _query(request: Request) -> Mapping[str, str]:
    try:
        return fields(request.url.query)
    except HTTPException:
        return {}


def _recognised(site: Site, asked: Asked) -> Asked:
    """With the person, if it is one who is still there and has not signed out since."""
    session = asked.session
    if not session.name:
        return asked
    person = site.people.user(session.name)
    if person is None or person.disabled or person.generation != session.generation:
        return replace(asked, session=site.sessions.begin(), ended=True, fresh=True)
    return replace(asked, person=person)


def _refusal(site: Site, way: Way, request: Request, asked: Asked) -> Response | None:
    if way.role and asked.person is None:
        wanted = asked.at if way.method == "GET" else asked.at.rpartition("/")[0]
        return to(sign_in_before(wanted, asked.query, ended=asked.ended))
    if way.method == "POST" and not _ours(site, request, asked):
        raise HTTPException(403)
    if not may(asked.person, way.role):
        raise HTTPException(403)
    return None


def _ours(site: Site, request: Request, asked: Asked) -> bool:
    """Whether one of our own pages sent this form, in this very session."""
    host = request.headers.get("host", "")
    at_home = from_us(request.headers, site.options.origin(request.url.scheme, host))
    return at_home and site.sessions.fits(asked.session, asked.form.get("csrf", ""))


def _with_cookie(site: Site, asked: Asked, made: Response) -> Response:
    """The answer; with the session where the browser has not got it, or for long."""
    stale = site.now() - asked.session.seen > STALE_SECONDS
    if "set-cookie" in made.headers:
        return made
    if asked.ended:
        site.signed_out(made)
    return site.signed(made, asked.session) if asked.fresh or stale else made
