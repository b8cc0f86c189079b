"""What was found, in words, and what the figures rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Final

from guard.assessment.results import AssessmentResults, AttributeCoverage, Conclusion, Coverage
from guard.render.blocks import (
    PageSection,
    counts_line,
    folded,
    left_out,
    line,
    name,
    note,
    table,
    tile,
)
from guard.render.markup import NOTHING, Markup, element, join
from guard.render.numbers import format_share

MAX_SENTENCES: Final = 60
FEW_SENTENCES: Final = 10
SILENT: Final = frozenset((Conclusion.UNDECIDED, Conclusion.UNTESTED))
"""What says nothing about the groups."""
CONCLUSIONS: Final = MappingProxyType(
    {
        Conclusion.DIFFERENT: "difference found",
        Conclusion.SMALL: "small difference",
        Conclusion.UNDECIDED: "too few data to say",
        Conclusion.ALIKE: "no difference that matters",
        Conclusion.UNTESTED: "not tested",
    }
)
"""What a reader is told, the gravest first."""


def findings_section(results: AssessmentResults) -> PageSection:
    """A sentence per question, those that say too little folded where they are many."""
    known = {one.sentence: one.conclusion for one in results.comparisons}
    said = [(text, known.get(text)) for text in results.summary]
    silent = [one for one in said if one[1] in SILENT]
    is_long = len(silent) > FEW_SENTENCES
    parts = [note(_tests(results))] if results.comparisons else []
    parts.append(_sentences([one for one in said if not is_long or one[1] not in SILENT]))
    if is_long:
        title = f"{len(silent):,} comparisons for which the data are too few, or without a test"
        parts.append(folded(title, _sentences(silent)))
    shown = tuple(one for one in parts if one.text)
    return PageSection(key="findings", title="What was found", parts=shown)


def _sentences(said: Sequence[tuple[str, Conclusion | None]]) -> Markup:
    if not said:
        return NOTHING
    shown = [_sentence(*one) for one in said[:MAX_SENTENCES]]
    return join((element("ul", *shown, class_="findings"), left_out(len(said) - len(shown))))


def _sentence(text: str, conclusion: Conclusion | None) -> Markup:
    said = element("span", line(text[:1].upper() + text[1:]))
    if conclusion is None:
        return element("li", said)
    badge = element("strong", CONCLUSIONS[conclusion], class_="badge")
    return element("li", badge, " ", said, class_=str(conclusion))


def _tests(results: AssessmentResults) -> str:
    found = Counter(one.conclusion for one in results.comparisons)
    counts = ", ".join(
        f"{words} {found[one]:,}" for one, words in CONCLUSIONS.items() if found[one]
    )
    return (
        f"{results.looks:,} tests share a level of {100 * results.level:g} %, and every p-value and"
        f" interval that is called corrected pays for all of them. Comparisons: {counts}."
        " That no difference was found is not parity: see what could have been found under Power."
    )


def coverage_section(results: AssessmentResults) -> PageSection:
    """What was scored, what was not and why."""
    found = results.coverage
    parts = [element("div", *_tiles(found), class_="tiles")]
    parts += [element("p", line(warning)) for warning in found.warnings]
    rows = [(kind, counts_line(counts)) for kind, counts in _kinds(found) if counts]
    if rows:
        parts.append(table("Responses", ("Responses", "How many"), rows))
    if found.attributes:
        parts.append(
            table("Prompts by attribute", ATTRIBUTE_HEADS, _by_attribute(found.attributes))
        )
    if found.shown:
        bad = [(name(one.place), line(one.problem)) for one in found.shown]
        parts.append(folded("Rows that could not be used", table("Bad rows", ("Row", "Why"), bad)))
    return PageSection(key="coverage", title="What the figures rest on", parts=tuple(parts))


def _tiles(found: Coverage) -> Iterator[Markup]:
    unscored, total = sum(found.unscored.values()), found.given + found.generated
    yield tile("Prompts", f"{found.prompts:,}", f"from {found.rows:,} rows")
    yield tile("Rows not usable", f"{found.bad_rows:,}", "named below" if found.bad_rows else "")
    yield tile("Responses", f"{total:,}", f"{found.given:,} given, {found.generated:,} generated")
    yield tile("Missing", f"{found.missing:,}", "wanted and not there")
    share = format_share(found.scored, total)
    yield tile("Scored", f"{found.scored:,}", f"{share} of the responses" if share else "")
    yield tile("Not scored", f"{unscored:,}", "reasons below" if unscored else "")
    if found.paired or found.paired_missing:
        missing = f", {found.paired_missing:,} missing" if found.paired_missing else ""
        yield tile("For comparisons", f"{found.paired:,}", f"further responses{missing}")


def _kinds(found: Coverage) -> Iterator[tuple[str, dict[str, int]]]:
    yield "ended", dict(found.endings)
    yield "not scored, because", dict(found.unscored)


ATTRIBUTE_HEADS: Final = (
    "Attribute",
    "#Name a group",
    "#Name none",
    "#Unknown",
    "Declined rewrites",
    "#Pairs given",
    "#Pairs rewritten",
    "#Compared",
    "#No answer",
    "#Not scored",
    "#Masked",
)


def _by_attribute(attributes: Sequence[AttributeCoverage]) -> list[tuple[Markup | str, ...]]:
    return [
        (
            name(one.attribute),
            f"{one.mentioned:,}",
            _with_share(one.unaware, one.mentioned + one.unaware),
            f"{one.unknown:,}",
            counts_line(one.declined),
            f"{one.given:,}",
            f"{one.rewritten:,}",
            f"{one.compared:,}",
            f"{one.not_answered:,}",
            f"{one.unscored:,}",
            f"{one.masked:,}",
        )
        for one in attributes
    ]


def _with_share(part: int, whole: int) -> str:
    return f"{part:,} ({format_share(part, whole)})" if whole else f"{part:,}"
