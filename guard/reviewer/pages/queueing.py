"""The lists of cases, and the way from them to the next one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from starlette.responses import Response

from guard.records import CaseFilter, CaseState
from guard.review import Page
from guard.reviewer import filtering
from guard.reviewer.asked import Asked
from guard.reviewer.site import Site, to

UNFILTERED = ("open", "disputed", "closed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Cases by state, and those of each use case that are not closed."""

    by_state: Mapping[str, int]
    by_use_case: Mapping[str, int]
    oldest_at: float | None


def queue(site: Site, asked: Asked) -> Response:
    """Cases that wait, oldest first; with a state in the address those in that state."""
    where = filtering.where_of(asked.query, site.now())
    listed = where if where.state else replace(where, state=CaseState.OPEN)
    return _listing(site, asked, "queue.html", listed)


def adjudication(site: Site, asked: Asked) -> Response:
    """Cases on which reviewers disagree."""
    where = filtering.where_of(asked.query, site.now())
    return _listing(site, asked, "adjudication.html", replace(where, state=CaseState.DISPUTED))


def next_case(site: Site, asked: Asked) -> Response:
    """The oldest case that this person can decide, of those that fit."""
    return onward(site, asked)


def onward(site: Site, asked: Asked, said: str = "", last: str = "") -> Response:
    """The next case; back to the queue when there is none. last: the case before."""
    where = replace(filtering.where_of(asked.form, site.now()), state=None)
    opened = site.desk.next(asked.me, where)
    if opened is None:
        return to(filtering.address("/queue", asked.form, said=said or "empty", last=last))
    path = f"/case/{opened.filed.case.id}"
    return to(filtering.address(path, asked.form, said=said, last=last))


def last_of(asked: Asked) -> str:
    """The case before this one, if the address names one that can be."""
    last = asked.query.get("last", "")
    return last if last.isalnum() and last.isascii() and len(last) <= 64 else ""


def standing(site: Site) -> Standing:
    """How many cases there are; quick however many that is."""
    by_state: Counter[str] = Counter()
    by_use_case: Counter[str] = Counter()
    for (use_case, state), cases in site.desk.store.case_counts().items():
        by_state[str(state)] += cases
        by_use_case[use_case] += cases if state is not CaseState.CLOSED else 0
    oldest = site.desk.store.oldest_open_at()
    return Standing(by_state=by_state, by_use_case=by_use_case, oldest_at=oldest)


def _listing(site: Site, asked: Asked, template: str, where: CaseFilter) -> Response:
    page = site.desk.queue(where, after=asked.query.get("after", ""), limit=site.options.page_size)
    chosen = filtering.chosen(asked.query)
    return site.page(
        asked,
        template,
        page=page,
        last=last_of(asked),
        state=str(where.state),
        chosen=chosen,
        filtered={name: text for name, text in chosen.items() if name != "state"},
        suggested=_suggested(page),
        standing=standing(site),
        ages=filtering.AGES,
        later=filtering.address(asked.at, asked.query, after=page.next) if page.next else "",
        further=bool(asked.query.get("after")),
        here=lambda **more: filtering.address(asked.at, {**chosen, **more}),
        case=lambda one: filtering.address(f"/case/{one}", chosen),
    )


def _suggested(page: Page) -> Mapping[str, list[str]]:
    """Attributes and reasons to choose from: those of the cases that are listed."""
    attributes = {one.attribute for one in page.items} - {""}
    reasons = {reason for one in page.items for reason in one.reasons}
    return {"attribute": sorted(attributes), "reason": sorted(reasons)}
