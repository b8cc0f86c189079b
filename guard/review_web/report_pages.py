"""Statistics as charts with their tables, export of cases as files, and the audit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from starlette.responses import Response, StreamingResponse

from guard.records import Reading, Undefined
from guard.render.markup import Markup
from guard.render.plots import EDGE, WIDTH, IntervalRow, bar_chart, interval_chart
from guard.render.scale import Scale
from guard.review.export import ExportFormat, export_audit, export_cases, export_note
from guard.review.statistics import FlagPrecision, ReviewStatistics
from guard.review_web.context import PageRequest
from guard.review_web.queue_pages import case_filter, unknown_filter
from guard.review_web.rendering import format_duration, label_for

MAX_CHART_ROWS: Final = 12
"""Rows of a chart; the table behind it has all."""
BELOW: Final = "; the table below has the numbers"
AUDIT_PAGE: Final = 200
AUDIT: Final = "audit"
FORMATS: Final[Mapping[str, tuple[str, str]]] = {
    ExportFormat.JSONL: ("JSONL", "One case per line, with everything: for programs."),
    ExportFormat.CSV: ("CSV", "One case per line, for a spreadsheet. No cell can start a formula."),
    ExportFormat.ARGILLA: ("Argilla", "Records for an Argilla dataset, as JSONL."),
    ExportFormat.LANGFUSE: ("Langfuse scores", "A score per verdict, as JSONL."),
    ExportFormat.LANGFUSE_QUEUE: ("Langfuse queue", "Undecided cases as queue items, as JSONL."),
    AUDIT: ("Audit", "The whole audit, whatever the filters below say, as JSONL."),
}
CHUNK_BYTES: Final = 65_536


def show_statistics(request: PageRequest) -> Response:
    """Of one use case, or of all."""
    use_case = request.query.get("use_case", "").strip()[:200] or None
    found = request.context.service.statistics(use_case)
    return request.page(
        "statistics.html",
        found=found,
        use_case=use_case or "",
        use_cases=_use_cases(request),
        days=_days(found),
        times=_times(found),
        ages=_ages(found),
        precision=_precision(found),
        agreement=_agreement(found),
        duration=format_duration,
    )


def show_export(request: PageRequest, *, problem: str = "") -> Response:
    """The formats and filters to choose from. problem: why a choice was not accepted."""
    values = {"formats": FORMATS, "use_cases": _use_cases(request), "problem": problem}
    return request.page("export.html", status=400 if problem else 200, **values)


def export(request: PageRequest) -> Response:
    """The file, sent while it is read."""
    name, texts = request.field("format"), request.field("texts") == "yes"
    if name not in FORMATS:
        return show_export(request, problem="Choose a format.")
    if unknown := unknown_filter(request.form):
        return show_export(request, problem=f"There is no such {unknown}.")
    where = case_filter(request.form, request.context.now())
    store = request.context.service.store
    if name == AUDIT:
        lines = export_audit(store)
    else:
        lines = export_cases(store, where, ExportFormat(name), texts=texts)
    request.note("exported", export_note(name, texts=texts))
    csv = name == ExportFormat.CSV
    file_name = f"evenguard-{name}.{'csv' if csv else 'jsonl'}"
    return StreamingResponse(
        _chunks(lines),
        media_type="text/csv; charset=utf-8" if csv else "application/x-ndjson",
        headers={"content-disposition": f'attachment; filename="{file_name}"'},
    )


def show_audit(request: PageRequest) -> Response:
    """A page of the audit, from its start or after an entry."""
    text = request.query.get("after", "0")
    after = int(text) if text.isdecimal() and text.isascii() and len(text) < 16 else 0
    entries = request.context.service.audit(after=after, limit=AUDIT_PAGE + 1)
    more = entries[AUDIT_PAGE - 1].number if len(entries) > AUDIT_PAGE else None
    return request.page("audit.html", entries=entries[:AUDIT_PAGE], next_after=more, after=after)


def _use_cases(request: PageRequest) -> list[str]:
    return sorted({name for name, _ in request.context.service.store.case_counts()})


def _days(found: ReviewStatistics) -> Markup:
    names = [day.date[5:] for day in found.days]
    opened, closed = [day.opened for day in found.days], [day.closed for day in found.days]
    title = f"Cases opened and closed on each of the last 30 days{BELOW}"
    return bar_chart(title, names, [("opened", opened), ("closed", closed)])


def _times(found: ReviewStatistics) -> Markup:
    names = [f"{end} s" if end is not None else "more" for end, _ in found.times.bins]
    counts = [count for _, count in found.times.bins]
    return bar_chart(f"Verdicts by how long they took{BELOW}", names, [("verdicts", counts)])


def _ages(found: ReviewStatistics) -> Markup:
    names = [name for name, _ in found.backlog.ages]
    counts = [count for _, count in found.backlog.ages]
    return bar_chart(f"Waiting cases by age{BELOW}", names, [("cases", counts)])


def _precision(found: ReviewStatistics) -> Markup | None:
    """Of the flags with most decisions."""
    flags = sorted(found.flags, key=lambda one: -(one.confirmed + one.rejected))[:MAX_CHART_ROWS]
    several = len({one.use_case for one in found.flags}) > 1

    def name(one: FlagPrecision) -> str:
        return f"{label_for(one.reason, {})}{f' · {one.use_case}' if several else ''}"

    title = f"Precision of each flag with its interval{BELOW}"
    return _interval_chart(title, [(name(one), one.precision) for one in flags], 0.0)


def _agreement(found: ReviewStatistics) -> Markup | None:
    """Of all reviewers first, then of each pair of them."""
    everybody = [(f"All, {one.kind}s (α)", one.reading) for one in found.alphas]
    pairs = [(f"{one.first}, {one.second}: {one.kind}s (κ)", one.reading) for one in found.kappas]
    title = f"Agreement of reviewers with its interval{BELOW}"
    return _interval_chart(title, [*everybody, *pairs], -1.0)


def _interval_chart(
    title: str, rows: Sequence[tuple[str, Reading | Undefined]], low: float
) -> Markup | None:
    """Rows that have a value, on a scale from `low` to 1; None where no row has one."""
    known = [IntervalRow(name=name, reading=one) for name, one in rows if isinstance(one, Reading)]
    scale = Scale(low=low, high=1.0, left=EDGE, right=WIDTH - EDGE)
    return interval_chart(title, known[:MAX_CHART_ROWS], scale) if known else None


def _chunks(lines: Iterable[str]) -> Iterator[bytes]:
    """Lines joined to chunks of about 64 KiB."""
    held: list[bytes] = []
    size = 0
    for line in lines:
        held.append(line.encode())
        size += len(held[-1])
        if size >= CHUNK_BYTES:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)
