"""What every page handler gets: the checked request, and the services behind the pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from jinja2 import Environment
from starlette.responses import HTMLResponse, RedirectResponse, Response

from guard.bootstrap.findings import FindingsReader
from guard.review.accounts import AccountService, Role, User
from guard.review.candidates import CandidateReader
from guard.review.service import ReviewService
from guard.review_web.capacity import Capacity
from guard.review_web.options import ReviewOptions
from guard.review_web.rate_limit import SignInLimiter
from guard.review_web.rendering import Labels
from guard.review_web.sessions import KNOWN_SECONDS, BrowserSession, Sessions

LINKS: Final = (
    ("/queue", "Queue", Role.REVIEWER),
    ("/adjudication", "Adjudication", Role.ADJUDICATOR),
    ("/statistics", "Statistics", Role.REVIEWER),
    ("/findings", "Findings", Role.ADMIN),
    ("/candidates", "Candidates", Role.ADMIN),
    ("/export", "Export", Role.ADMIN),
    ("/people", "People", Role.ADMIN),
    ("/audit", "Audit", Role.ADMIN),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContext:
    """What all pages share."""

    service: ReviewService
    accounts: AccountService
    findings: FindingsReader
    candidates: CandidateReader
    sessions: Sessions
    limiter: SignInLimiter
    options: ReviewOptions
    labels: Labels
    templates: Environment
    capacity: Capacity

    def now(self) -> float:
        """Unix seconds."""
        return self.options.clock()

    def sign_in(self, response: Response, session: BrowserSession) -> None:
        """Set the cookie of a session, of a user or of a browser in which nobody is signed in."""
        if session.name:
            self._set_cookie(response, self.sessions.visit, "", max_age=0)
        name = self.sessions.cookie if session.name else self.sessions.visit
        self._set_cookie(response, name, self.sessions.write(session))

    def remember_browser(self, response: Response, name: str) -> None:
        """So that attempts of others to sign in as this user do not count for this browser."""
        known = self.sessions.make_known(name)
        self._set_cookie(response, self.sessions.known, known, max_age=KNOWN_SECONDS)

    def sign_out(self, response: Response) -> None:
        """Delete the cookie of whoever was signed in."""
        self._set_cookie(response, self.sessions.cookie, "", max_age=0)

    def _set_cookie(
        self, response: Response, name: str, value: str, *, max_age: int | None = None
    ) -> None:
        response.set_cookie(
            name,
            value,
            max_age=max_age,
            path="/",
            secure=self.options.secure,
            httponly=True,
            samesite="strict",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordCheck:
    """What a handler returns that has to check or hash a password first, and may have to wait.

    known: it takes the share of those who are signed in, or were in this browser. then: the rest
    of the answer. refuse: another one, where too many wait already.
    """

    known: bool
    then: Callable[[], Response]
    refuse: Callable[[], Response]


Outcome: TypeAlias = Response | PasswordCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """One request, after its session and its user are known.

    context: what all pages share. path, path_params, query, form, cookies: untrusted. user: who is
    signed in. new_session: the browser has no cookie of it yet. session_ended: the browser sent the
    cookie of one that is over. cross_site: a link on another site led here, so the browser withheld
    its strict cookies.
    """

    context: PageContext
    session: BrowserSession
    path: str
    path_params: Mapping[str, str]
    query: Mapping[str, str]
    form: Mapping[str, str]
    cookies: Mapping[str, str] = field(default_factory=dict)
    user: User | None = None
    client_address: str = ""
    session_ended: bool = False
    cross_site: bool = False
    new_session: bool = False

    @property
    def user_name(self) -> str:
        """The name of who is signed in; empty for nobody."""
        return self.user.name if self.user else ""

    def field(self, name: str, max_length: int = 200) -> str:
        """A field of the form without surrounding space, cut at `max_length` characters."""
        return self.form.get(name, "").strip()[:max_length]

    def page(self, template: str, *, status: int = 200, **values: object) -> Response:
        """A page rendered from a template; `values` are added to what all templates get."""
        known = {
            "user": self.user,
            "csrf": self.context.sessions.token(self.session),
            "path": self.path,
            "now": self.context.now(),
            "links": self._links(),
            "said": self.query.get("said", ""),
            **values,
        }
        text = self.context.templates.get_template(template).render(known)
        return HTMLResponse(text, status_code=status)

    def error(self, status: int, advice: str = "") -> Response:
        """An error page; `advice` replaces the usual text of this status."""
        return self.page("error.html", status=status, code=status, advice=advice)

    def note(self, event: str, detail: str = "", *, actor: str = "") -> None:
        """Add to the audit what this user, or `actor`, did."""
        store = self.context.service.store
        store.note(actor=actor or self.user_name, event=event, detail=detail)

    def _links(self) -> list[Mapping[str, object]]:
        return [
            {"path": path, "name": name, "current": self.path == path}
            for path, name, role in LINKS
            if has_role(self.user, role)
        ]


def has_role(user: User | None, role: Role | None) -> bool:
    """Whether this user has that role, or one that includes it. None: everybody has it."""
    return role is None or (user is not None and user.role.includes(role))


def see_other(path: str) -> Response:
    """A redirect to a page of ours: after a form, so that a reload sends nothing twice."""
    return RedirectResponse(path, status_code=303)
