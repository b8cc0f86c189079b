"""Cases and verdicts as files, for administrators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from starlette.responses import Response, StreamingResponse

from guard.review import Format, exported, exported_audit
from guard.reviewer import filtering
from guard.reviewer.asked import Asked
from guard.reviewer.site import Site

AUDIT: Final = "audit"
FORMATS: Final[Mapping[str, tuple[str, str]]] = {
    Format.JSONL: ("JSONL", "One case per line, with everything: for programs."),
    Format.CSV: ("CSV", "One case per line, for a spreadsheet. No cell can start a formula."),
    Format.ARGILLA: ("Argilla", "Records for an Argilla dataset, as JSONL."),
    Format.LANGFUSE: ("Langfuse scores", "A score per verdict, as JSONL."),
    Format.LANGFUSE_QUEUE: ("Langfuse queue", "Undecided cases as queue items, as JSONL."),
    AUDIT: ("Audit", "Everything that was ever done, whatever is chosen below, as JSONL."),
}
PIECE: Final = 65_536
UNKNOWN: Final = "Choose a format."


def show_export(site: Site, asked: Asked) -> Response:
    """What can be taken, and as what."""
    return _form(site, asked)


def export(site: Site, asked: Asked) -> Response:
    """The file, sent while it is read."""
    form, texts = asked.said("format"), asked.said("texts") == "yes"
    if form not in FORMATS:
        return _form(site, asked, problem=UNKNOWN, status=400)
    where = filtering.where_of(asked.form, site.now())
    store = site.desk.store
    audit = form == AUDIT
    lines = exported_audit(store) if audit else exported(store, where, Format(form), texts=texts)
    site.note(asked.me, "exported", form if texts or audit else f"{form} without texts")
    return StreamingResponse(
        _pieces(lines),
        media_type="text/csv; charset=utf-8" if form == Format.CSV else "application/x-ndjson",
        headers={"content-disposition": f'attachment; filename="{_name(form)}"'},
    )


def _form(site: Site, asked: Asked, problem: str = "", status: int = 200) -> Response:
    names = sorted({name for name, _ in site.desk.store.case_counts()})
    shown = {"formats": FORMATS, "use_cases": names, "problem": problem}
    return site.page(asked, "export.html", status=status, **shown)


def _name(form: str) -> str:
    return f"evenguard-{form}.{'csv' if form == Format.CSV else 'jsonl'}"


def _pieces(lines: Iterable[str]) -> Iterator[bytes]:
    """Lines in pieces of a size that is worth sending."""
    held: list[bytes] = []
    size = 0
    for line in lines:
        held.append(line.encode())
        size += len(held[-1])
        if size >= PIECE:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)
