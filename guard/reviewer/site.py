"""What all pages share: the desk, the people, and how an answer is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import BoundedSemaphore
from typing import Final

from jinja2 import Environment
from starlette.responses import HTMLResponse, RedirectResponse, Response

from guard.review import ReviewDesk
from guard.review.people import People, Role
from guard.reviewer import wording
from guard.reviewer.asked import Asked
from guard.reviewer.options import ReviewOptions
from guard.reviewer.roles import may
from guard.reviewer.sessions import Session, Sessions
from guard.reviewer.tries import Tries

MOST_CHECKS: Final = 2
"""Passwords checked at once: each takes memory and a core, on purpose."""
CHECK_SECONDS: Final = 5.0
LINKS: Final = (
    ("/queue", "Queue", Role.REVIEWER),
    ("/adjudication", "Adjudication", Role.ADJUDICATOR),
    ("/statistics", "Statistics", Role.REVIEWER),
    ("/export", "Export", Role.ADMIN),
    ("/people", "People", Role.ADMIN),
    ("/audit", "Audit", Role.ADMIN),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The parts behind the pages."""

    desk: ReviewDesk
    people: People
    sessions: Sessions
    tries: Tries
    options: ReviewOptions
    templates: Environment
    checks: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(MOST_CHECKS))

    def now(self) -> float:
        """Unix seconds."""
        return self.options.clock()

    def page(self, asked: Asked, template: str, *, status: int = 200, **shown: object) -> Response:
        """An answer made from a template; `shown` is what it knows besides what all do."""
        known = {
            "person": asked.person,
            "csrf": self.sessions.token(asked.session),
            "at": asked.at,
            "now": self.now(),
            "links": self._links(asked),
            "message": _message(asked.query.get("said", "")),
            **shown,
        }
        text = self.templates.get_template(template).render(known)
        return HTMLResponse(text, status_code=status)

    def error(self, asked: Asked, status: int, advice: str = "") -> Response:
        """A plain page for what went wrong; `advice` instead of what is said by default."""
        heading, usual = wording.ERRORS.get(status, wording.ERRORS[500])
        shown = {"code": status, "heading": heading, "advice": advice or usual}
        return self.page(asked, "error.html", status=status, **shown)

    def signed(self, answer: Response, session: Session) -> Response:
        """The answer with the session's cookie."""
        known, visit = self.sessions.cookie, self.sessions.visit
        if session.name:
            self._kept(answer, visit, "", max_age=0)
        return self._kept(answer, known if session.name else visit, self.sessions.write(session))

    def signed_out(self, answer: Response) -> Response:
        """The answer that makes the browser forget who was signed in."""
        return self._kept(answer, self.sessions.cookie, "", max_age=0)

    def _kept(
        self, answer: Response, name: str, value: str, *, max_age: int | None = None
    ) -> Response:
        answer.set_cookie(
            name,
            value,
            max_age=max_age,
            path="/",
            secure=self.options.secure,
            httponly=True,
            samesite="strict",
        )
        return answer

    @contextmanager
    def checking(self) -> Iterator[bool]:
        """Room to check a password; False where there was none for a while."""
        free = self.checks.acquire(timeout=CHECK_SECONDS)
        try:
            yield free
        finally:
            if free:
                self.checks.release()

    def note(self, actor: str, event: str, detail: str = "") -> None:
        """Add to the audit what somebody did."""
        self.desk.store.note(actor=actor, event=event, detail=detail)

    def _links(self, asked: Asked) -> list[Mapping[str, object]]:
        if asked.person is None:
            return []
        return [
            {"path": path, "name": name, "here": asked.at == path, "count": 0}
            for path, name, role in LINKS
            if may(asked.person, role)
        ]


def to(path: str) -> Response:
    """Go on to a page of ours: after a form, so that loading it again sends nothing twice."""
    return RedirectResponse(path, status_code=303)


def _message(code: str) -> Mapping[str, str] | None:
    found = wording.SAID.get(code)
    return None if found is None else {"tone": found[0], "text": found[1]}
