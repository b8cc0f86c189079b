"""An assessment as one page of HTML: no scripts, nothing from elsewhere, every text escaped.

The page says what was found before it shows numbers, and what the numbers rest on before the
numbers. It has at most 2 MB, however many responses, groups or characters there are.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from guard.assessment.results import AssessmentResults
from guard.counterfactual import Lexicons
from guard.render.blocks import PageSection, name
from guard.render.markup import Markup, element, join
from guard.render.numbers import format_time
from guard.render.plots import STYLE as PLOT_STYLE
from guard.render.report_background import (
    not_assessed_section,
    power_section,
    provenance_section,
    thresholds_section,
)
from guard.render.report_cases import cases_section
from guard.render.report_findings import coverage_section, findings_section
from guard.render.report_plots import (
    agreement_section,
    distribution_section,
    dumbbell_section,
    forest_section,
    tally_section,
)
from guard.render.visible import short_name

STYLE: Final = Path(__file__).with_name("report.css")
SECTIONS: Final[tuple[Callable[[AssessmentResults], PageSection], ...]] = (
    findings_section,
    coverage_section,
    forest_section,
    dumbbell_section,
    tally_section,
    distribution_section,
    agreement_section,
)
BACKGROUND: Final[tuple[Callable[[AssessmentResults], PageSection], ...]] = (
    thresholds_section,
    not_assessed_section,
    power_section,
    provenance_section,
)


def report_page(results: AssessmentResults, lexicons: Lexicons | None = None) -> str:
    """The page. lexicons: whose words are masked on demand; without them only names of groups."""
    style = PLOT_STYLE.read_text(encoding="utf-8") + STYLE.read_text(encoding="utf-8")
    sections = [*_sections(results, lexicons)]
    body = element("body", _header(results, sections), element("main", *_markup(sections)))
    page = element("html", _head(results, style), body, lang="en")
    return f"<!DOCTYPE html>\n{page.text}\n"


def _sections(results: AssessmentResults, lexicons: Lexicons | None) -> Iterator[PageSection]:
    yield from (make(results) for make in SECTIONS)
    yield cases_section(results, lexicons)
    yield from (make(results) for make in BACKGROUND)


def _markup(sections: list[PageSection]) -> Iterator[Markup]:
    return (section.markup() for section in sections)


def _head(results: AssessmentResults, style: str) -> Markup:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", f"Assessment of {short_name(results.use_case, 80)}"),
        element("style", Markup(style)),
    )


def _header(results: AssessmentResults, sections: list[PageSection]) -> Markup:
    made = results.provenance
    about = [short_name(results.task, 40), f"evenguard {short_name(made.version, 40)}"]
    if made.made_at:
        about.append(format_time(made.made_at))
    links = (element("a", one.title, href=f"#{one.key}") for one in sections)
    return element(
        "header",
        element("h1", "Assessment of ", name(results.use_case)),
        element("p", join(about, " · "), class_="dim"),
        element("nav", *links, aria_label="Sections"),
    )
