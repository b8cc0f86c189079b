"""Cases and verdicts as files, for administrators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.responses import Response

from guard.reviewer.asked import Asked
from guard.reviewer.site import Site

FORMATS: Final[Mapping[str, tuple[str, str]]] = {
    "jsonl": ("JSONL", "One case per line, with everything: for programs."),
    "csv": ("CSV", "One line per verdict: for a spreadsheet. No cell can start a formula."),
    "argilla": ("Argilla", "Records for an Argilla dataset, as JSONL."),
    "langfuse": ("Langfuse", "Scores for Langfuse, as JSONL."),
}


def show_export(site: Site, asked: Asked) -> Response:
    """What can be taken, and as what."""
    return _form(site, asked)


def export(site: Site, asked: Asked) -> Response:
    """The file."""
    return _form(site, asked)


def _form(site: Site, asked: Asked, problem: str = "", status: int = 200) -> Response:
    names = sorted({name for name, _ in site.desk.store.case_counts()})
    shown = {"formats": FORMATS, "use_cases": names, "problem": problem}
    return site.page(asked, "export.html", status=status, **shown)
