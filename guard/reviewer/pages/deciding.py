"""One case in front of a person."""

from __future__ import annotations

from math import isfinite

from starlette.exceptions import HTTPException
from starlette.responses import Response

from guard.errors import AlreadyClosed, NotHeld
from guard.records import CaseState
from guard.review import Opened, verdicts_for
from guard.review.people import Role
from guard.reviewer import filtering, wording
from guard.reviewer.asked import Asked
from guard.reviewer.pages.queueing import last_of, onward
from guard.reviewer.roles import may
from guard.reviewer.site import Site, to

LONGEST_NOTE = 4000
LONGEST_SECONDS = 86_400.0


def show_case(site: Site, asked: Asked) -> Response:
    """A case: to be decided when it is free and wants this person's vote, else to be read."""
    return _shown(site, asked, _there(site.desk.open(asked.path["case"], asked.me)))


def vote(site: Site, asked: Asked) -> Response:
    """Take a verdict, and go on to the next case."""
    case_id, verdict = asked.path["case"], asked.said("verdict")
    try:
        site.desk.decide(
            case_id,
            asked.me,
            verdict,
            reason=_reason(asked),
            note=asked.said("note", LONGEST_NOTE),
            seconds_taken=_seconds_taken(site, asked),
        )
    except (NotHeld, AlreadyClosed):
        if not _stands(site, asked, case_id, verdict):
            raise
        return onward(site, asked, said="twice", last=case_id)
    return onward(site, asked, said="voted", last=case_id)


def skip(site: Site, asked: Asked) -> Response:
    """Give the case back, and go on."""
    site.desk.skip(asked.path["case"], asked.me)
    return onward(site, asked, said="skipped")


def undo(site: Site, asked: Asked) -> Response:
    """Back to the case of the last verdict, which is not counted any more."""
    opened = site.desk.undo(asked.me)
    if opened is None:
        return to(filtering.address("/queue", asked.form, said="nothing"))
    path = f"/case/{opened.filed.case.id}"
    return to(filtering.address(path, asked.form, said="undone"))


def reveal(site: Site, asked: Asked) -> Response:
    """All of a case, for an adjudicator; the audit says who saw it."""
    return _shown(site, asked, _there(site.desk.reveal(asked.path["case"], asked.me)))


def adjudicate(site: Site, asked: Asked) -> Response:
    """Decide a disputed case, and go back to the others."""
    note = asked.said("note", LONGEST_NOTE)
    site.desk.adjudicate(asked.path["case"], asked.me, asked.said("verdict"), note)
    return to("/adjudication?said=decided")


def _there(opened: Opened | None) -> Opened:
    if opened is None:
        raise HTTPException(404)
    return opened


def _shown(site: Site, asked: Asked, opened: Opened) -> Response:
    case, chosen = opened.filed.case, filtering.chosen(asked.query)
    return site.page(
        asked,
        f"{case.kind}.html",
        opened=opened,
        filed=opened.filed,
        case=case,
        view=opened.view,
        verdicts=verdicts_for(case.kind),
        reasons=wording.REASONS[str(case.kind)],
        chosen=chosen,
        last=last_of(asked),
        deciding=opened.held and not opened.verdict,
        judging=opened.filed.state is not CaseState.CLOSED and may(asked.person, Role.ADJUDICATOR),
        audit=site.desk.audit(case.id) if may(asked.person, Role.ADMIN) else (),
        queue=filtering.address("/queue", chosen),
    )


def _reason(asked: Asked) -> str:
    known: set[str] = {code for kind in wording.REASONS.values() for code in kind}
    return reason if (reason := asked.said("reason")) in known else ""


def _seconds_taken(site: Site, asked: Asked) -> float | None:
    """How long the page was open; None where what the form says cannot be."""
    try:
        taken = site.now() - float(asked.said("opened_at"))
    except ValueError:
        return None
    return taken if isfinite(taken) and 0 <= taken <= LONGEST_SECONDS else None


def _stands(site: Site, asked: Asked, case_id: str, verdict: str) -> bool:
    """Whether this very verdict was recorded before: a double click, or a page sent again."""
    opened = site.desk.peek(case_id, asked.me)
    return opened is not None and opened.verdict == verdict
