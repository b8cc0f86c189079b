"""One case in front of a person: open, vote, skip, undo, reveal, adjudicate."""

from __future__ import annotations

from math import isfinite
from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import Response

from guard.errors import AlreadyClosed, NotHeld
from guard.review.accounts import Role
from guard.review.views import VERDICTS, OpenedCase
from guard.review_web.context import PageRequest, has_role, see_other
from guard.review_web.queue_pages import active_filters, filtered_url, last_case, redirect_to_next

MAX_NOTE_LENGTH: Final = 4000
MAX_SECONDS_TAKEN: Final = 86_400.0


def show_case(request: PageRequest) -> Response:
    """A case: to decide if it is free and wants this reviewer's vote, else to read."""
    opened = request.context.service.open(request.path_params["case"], request.user_name)
    return _case_page(request, opened)


def vote(request: PageRequest) -> Response:
    """Record a verdict, and go to the next case."""
    case_id, verdict = request.path_params["case"], request.field("verdict")
    try:
        request.context.service.decide(
            case_id,
            request.user_name,
            verdict,
            reason=_reason(request),
            note=request.field("note", MAX_NOTE_LENGTH),
            seconds_taken=_seconds_taken(request),
        )
    except (NotHeld, AlreadyClosed):
        if not _is_recorded(request, case_id, verdict):
            raise
        return redirect_to_next(request, message="twice", last=case_id)
    return redirect_to_next(request, message="voted", last=case_id)


def skip(request: PageRequest) -> Response:
    """Release the case, and go to the next one."""
    request.context.service.skip(request.path_params["case"], request.user_name)
    return redirect_to_next(request, message="skipped")


def undo(request: PageRequest) -> Response:
    """Take the last verdict back, and go to its case."""
    opened = request.context.service.undo(request.user_name)
    if opened is None:
        return see_other(filtered_url("/queue", request.form, said="nothing"))
    path = f"/case/{opened.record.case.id}"
    return see_other(filtered_url(path, request.form, said="undone"))


def reveal(request: PageRequest) -> Response:
    """All of a case, for an adjudicator; the audit keeps who saw it."""
    opened = request.context.service.reveal(request.path_params["case"], request.user_name)
    return _case_page(request, opened)


def adjudicate(request: PageRequest) -> Response:
    """Decide a disputed case, and go back to the others."""
    case_id, verdict = request.path_params["case"], request.field("verdict")
    note = request.field("note", MAX_NOTE_LENGTH)
    request.context.service.adjudicate(case_id, request.user_name, verdict, note)
    return see_other("/adjudication?said=decided")


def _case_page(request: PageRequest, opened: OpenedCase | None) -> Response:
    if opened is None:
        raise HTTPException(404)
    case, filters = opened.record.case, active_filters(request.query)
    open_to_adjudicate = opened.record.state.waits
    return request.page(
        f"{case.kind}.html",
        opened=opened,
        record=opened.record,
        case=case,
        view=opened.view,
        verdicts=VERDICTS[case.kind],
        reasons=request.context.labels[f"{case.kind}_reasons"],
        filters=filters,
        last=last_case(request),
        deciding=opened.held and not opened.verdict,
        adjudicating=open_to_adjudicate and has_role(request.user, Role.ADJUDICATOR),
        audit=request.context.service.audit(case.id) if has_role(request.user, Role.ADMIN) else (),
        queue=filtered_url("/queue", filters),
    )


def _reason(request: PageRequest) -> str:
    labels, reason = request.context.labels, request.field("reason")
    return reason if reason in {*labels["pair_reasons"], *labels["response_reasons"]} else ""


def _seconds_taken(request: PageRequest) -> float | None:
    """How long the page was open; None where the form's time is impossible."""
    try:
        taken = request.context.now() - float(request.field("opened_at"))
    except ValueError:
        return None
    return taken if isfinite(taken) and 0 <= taken <= MAX_SECONDS_TAKEN else None


def _is_recorded(request: PageRequest, case_id: str, verdict: str) -> bool:
    """Whether this verdict was recorded before: a double click, or a form sent again."""
    opened = request.context.service.peek(case_id, request.user_name)
    return opened is not None and opened.verdict == verdict
