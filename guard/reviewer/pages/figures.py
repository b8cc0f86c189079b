"""What the decisions amount to, in pictures with the tables behind them."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from guard.records import Reading, Undefined
from guard.review.statistics import Flag, Statistics
from guard.reviewer.asked import Asked
from guard.reviewer.moments import lasting
from guard.reviewer.plots import Columns, Whiskers, columns, whiskers
from guard.reviewer.site import Site
from guard.reviewer.wording import KINDS, named

MOST_ROWS = 12
"""Lines of a picture; the table behind it has all."""


def statistics(site: Site, asked: Asked) -> Response:
    """Of one use case, or of all."""
    use_case = asked.query.get("use_case", "").strip()[:200] or None
    found = site.desk.statistics(use_case)
    return site.page(
        asked,
        "statistics.html",
        found=found,
        chosen=use_case or "",
        use_cases=sorted({name for name, _ in site.desk.store.case_counts()}),
        days=_days(found),
        times=_times(found),
        ages=_ages(found),
        precision=_precision(found),
        agreement=_agreement(found),
        lasting=lasting,
    )


def _days(found: Statistics) -> Columns:
    names = [day.date[5:] for day in found.days]
    opened, closed = [day.opened for day in found.days], [day.closed for day in found.days]
    return columns(names, [("opened", opened), ("closed", closed)])


def _times(found: Statistics) -> Columns:
    names = [f"{end} s" if end is not None else "more" for end, _ in found.times.bins]
    return columns(names, [("verdicts", [count for _, count in found.times.bins])])


def _ages(found: Statistics) -> Columns:
    names = [name for name, _ in found.backlog.ages]
    return columns(names, [("cases", [count for _, count in found.backlog.ages])])


def _precision(found: Statistics) -> Whiskers | None:
    """Those on which most was decided."""
    most = sorted(found.flags, key=lambda one: -(one.confirmed + one.rejected))[:MOST_ROWS]
    several = len({one.use_case for one in found.flags}) > 1

    def name(one: Flag) -> str:
        return f"{named(one.reason, {})}{f' · {one.use_case}' if several else ''}"

    return _drawn([(name(one), one.precision) for one in most], 0.0)


def _agreement(found: Statistics) -> Whiskers | None:
    """All reviewers first, then each two of them."""
    all_of_them = [
        (f"All, {named(one.kind, KINDS).lower()}s (α)", one.reading) for one in found.alphas
    ]
    twos = [
        (f"{one.first}, {one.second}: {named(one.kind, KINDS).lower()}s (κ)", one.reading)
        for one in found.kappas
    ]
    return _drawn([*all_of_them, *twos], -1.0)


def _drawn(rows: Sequence[tuple[str, Reading | Undefined]], low: float) -> Whiskers | None:
    """What has a value, on a scale from `low` to 1; None where nothing has."""
    known = [
        (name, _told(one), (one.low, one.value, one.high))
        for name, one in rows
        if isinstance(one, Reading)
    ]
    return whiskers(known[:MOST_ROWS], low, 1.0) if known else None


def _told(one: Reading) -> str:
    return f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f}), n = {one.n:,}"
