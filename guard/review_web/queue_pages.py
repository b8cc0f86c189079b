"""The lists of cases with their filters, and the way from one case to the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import urlencode

from starlette.responses import Response

from guard.records import CaseFilter, CaseKind, CaseState
from guard.review.views import CasePage
from guard.review_web.context import PageRequest, see_other

TEXT_FILTERS: Final = ("use_case", "attribute", "reason")
MAX_FILTER_LENGTH: Final = 200
AGES: Final[Mapping[str, tuple[str, float]]] = {
    "hour": ("over an hour", 3600.0),
    "day": ("over a day", 86_400.0),
    "week": ("over a week", 604_800.0),
    "month": ("over 30 days", 2_592_000.0),
}
CODES: Final[Mapping[str, frozenset[str]]] = {
    "kind": frozenset(CaseKind),
    "state": frozenset(CaseState) - {CaseState.EXAMPLE},
    "age": frozenset(AGES),
}


def show_queue(request: PageRequest) -> Response:
    """Open cases, oldest first; with a state in the query, cases in that state."""
    where = case_filter(request.query, request.context.now())
    listed = where if where.state else replace(where, state=CaseState.OPEN)
    return _list(request, "queue.html", listed)


def show_disputed(request: PageRequest) -> Response:
    """Cases on which reviewers disagree."""
    where = case_filter(request.query, request.context.now())
    return _list(request, "adjudication.html", replace(where, state=CaseState.DISPUTED))


def show_keys(request: PageRequest) -> Response:
    """The keyboard shortcuts, for browsers without scripts."""
    return request.page("keys.html")


def next_case(request: PageRequest) -> Response:
    """The oldest case that fits the filters and that this reviewer can decide."""
    return redirect_to_next(request)


def redirect_to_next(request: PageRequest, message: str = "", last: str = "") -> Response:
    """To the next case; to the queue when there is none. last: id of the case before."""
    where = replace(case_filter(request.form, request.context.now()), state=None)
    opened = request.context.service.next(request.user_name, where)
    if opened is None:
        message = message or "empty"
        return see_other(filtered_url("/queue", request.form, said=message, last=last))
    path = f"/case/{opened.record.case.id}"
    return see_other(filtered_url(path, request.form, said=message, last=last))


def last_case(request: PageRequest) -> str:
    """The id of the case before this one, if the query has a possible one."""
    last = request.query.get("last", "")
    return last if last.isalnum() and last.isascii() and len(last) <= 64 else ""


def active_filters(query: Mapping[str, str]) -> dict[str, str]:
    """The filters of a query that are set; unknown values are left out."""
    texts = {name: query.get(name, "").strip()[:MAX_FILTER_LENGTH] for name in TEXT_FILTERS}
    fixed = {name: query.get(name, "") for name, one in CODES.items() if query.get(name) in one}
    return {name: value for name, value in {**texts, **fixed}.items() if value}


def unknown_filter(query: Mapping[str, str]) -> str:
    """The first filter that is set to what there is not; empty for none."""
    return next((name for name, one in CODES.items() if query.get(name, "") not in {"", *one}), "")


def case_filter(query: Mapping[str, str], now: float) -> CaseFilter:
    """The cases a query asks for. now: Unix seconds."""
    found = active_filters(query)
    age = AGES.get(found.get("age", ""))
    return CaseFilter(
        use_case=found.get("use_case"),
        attribute=found.get("attribute"),
        reason=found.get("reason"),
        kind=CaseKind(found["kind"]) if "kind" in found else None,
        state=CaseState(found["state"]) if "state" in found else None,
        opened_before=now - age[1] if age else None,
    )


def filtered_url(path: str, query: Mapping[str, str], **more: str) -> str:
    """A path with the filters of a query, and more fields; empty ones are left out."""
    more = {name: text for name, text in more.items() if text}
    written = urlencode({**active_filters(query), **more})
    return f"{path}?{written}" if written else path


def _totals(request: PageRequest) -> Mapping[str, object]:
    """Cases by state, and those of each use case that are not closed.

    From counts that the store keeps: quick however many cases there are. oldest_at: Unix seconds.
    """
    by_state: Counter[str] = Counter()
    by_use_case: Counter[str] = Counter()
    for (use_case, state), cases in request.context.service.store.case_counts().items():
        by_state[str(state)] += cases
        by_use_case[use_case] += cases if state.waits else 0
    oldest = request.context.service.store.oldest_open_at()
    return {"by_state": by_state, "by_use_case": by_use_case, "oldest_at": oldest}


def _list(request: PageRequest, template: str, where: CaseFilter) -> Response:
    after, limit = request.query.get("after", ""), request.context.options.page_size
    page = request.context.service.queue(where, after=after, limit=limit)
    active = active_filters(request.query)
    return request.page(
        template,
        page=page,
        last=last_case(request),
        state=str(where.state),
        filters=active,
        narrowing={name: text for name, text in active.items() if name != "state"},
        suggestions=_suggestions(page),
        totals=_totals(request),
        ages=AGES,
        next_page=filtered_url(request.path, active, after=page.next) if page.next else "",
        is_later_page=bool(after),
        url=lambda **more: filtered_url(request.path, {**active, **more}),
        case_url=lambda case_id: filtered_url(f"/case/{case_id}", active),
    )


def _suggestions(page: CasePage) -> Mapping[str, list[str]]:
    """Attributes and reasons to filter by: those of the listed cases."""
    attributes = {one.attribute for one in page.items} - {""}
    reasons = {reason for one in page.items for reason in one.reasons}
    return {"attribute": sorted(attributes), "reason": sorted(reasons)}
