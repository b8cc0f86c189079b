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
from guard.text.plurals import counted

MAX_SENTENCES: Final = 60
FEW_SENTENCES: Final = 10
SILENT: Final = frozenset((Conclusion.UNDECIDED, Conclusion.UNTESTED))
"""What says nothing about the groups."""
Said = tuple[str, Conclusion | None]
"""A sentence, and the conclusion of the comparison that it is about."""
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
    silent = _if_many([one for one in said if one[1] in SILENT])
    plain = _if_many([one for one in said if one[1] is None]) if results.comparisons else []
    told = [one for one in said if one not in silent and one not in plain]
    shown = [note(_tests(results))] if results.comparisons else []
    shown.append(_sentences(told))
    if silent:
        many = counted(len(silent), "comparison")
        title = f"{many} for which the data are too few, or without a test"
        shown.append(folded(title, _sentences(silent)))
    if plain:
        shown.append(
            folded(counted(len(plain), "value of a metric", "values of metrics"), _sentences(plain))
        )
    parts = tuple(one for one in shown if one.text)
    return PageSection(key="findings", title="What was found", parts=parts)


def _if_many(said: list[Said]) -> list[Said]:
    """These if they are too many to stand among others, else none of them."""
    return said if len(said) > FEW_SENTENCES else []


def _sentences(said: Sequence[Said]) -> Markup:
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
    told = (
        f"Comparisons: {counts}."
        " That no difference was found is not parity: see what could have been found under Power."
    )
    is_corrected = any(one.looks for one in results.comparisons)
    return f"{_correction(results)} {told}" if is_corrected else told


def _correction(results: AssessmentResults) -> str:
    """What looks are, and what they cost."""
    return (
        f"{counted(results.looks, 'test shares', 'tests share')} a level of"
        f" {100 * results.level:g} %: one for each comparison of a metric between groups. The more"
        " comparisons are looked at, the likelier one of them differs by chance, so each is judged"
        " at the level divided by their number, and the intervals and p-values that are called"
        " corrected are wider and larger by as much."
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
        rows_of = _by_attribute(found.attributes)
        parts += (note(PAIRS_NOTE), table("Prompts by attribute", ATTRIBUTE_HEADS, rows_of))
    parts += _failures(found)
    if found.shown:
        bad = [(name(one.place), line(one.problem)) for one in found.shown]
        parts.append(folded("Rows that could not be used", table("Bad rows", ("Row", "Why"), bad)))
    return PageSection(key="coverage", title="What the figures rest on", parts=tuple(parts))


def _tiles(found: Coverage) -> Iterator[Markup]:
    unscored, total = sum(found.unscored.values()), found.given + found.generated
    pairs = "; those of a pair are one" if any(one.given for one in found.attributes) else ""
    yield tile("Prompts", f"{found.prompts:,}", f"from {counted(found.rows, 'row')}{pairs}")
    yield tile("Rows not usable", f"{found.bad_rows:,}", "named below" if found.bad_rows else "")
    yield tile("Responses", f"{total:,}", f"{found.given:,} given, {found.generated:,} generated")
    yield tile("Missing", f"{found.missing:,}", "wanted and not there")
    share = format_share(found.scored, total)
    yield tile("Scored", f"{found.scored:,}", f"{share} of the responses" if share else "")
    yield tile("Not scored", f"{unscored:,}", "reasons below" if unscored else "")
    if found.paired or found.paired_missing:
        missing = f", {found.paired_missing:,} missing" if found.paired_missing else ""
        yield tile("For comparisons", f"{found.paired:,}", f"further responses{missing}")


def _failures(found: Coverage) -> Iterator[Markup]:
    """Why replies of the model are missing, and of which groups."""
    reasons = [(line(reason), f"{count:,}") for reason, count in found.failures.items()]
    if reasons:
        yield table("Failed or too late", ("Why the model gave no reply", "#Replies"), reasons)
    groups = [
        (name(one.attribute), name(group), f"{count:,}", f"{one.lost.get(group, 0):,}")
        for one in found.attributes
        if one.lost
        for group, count in one.replies.items()
    ]
    if groups:
        heads = ("Attribute", "Group", "#Replies", "#Failed or too late")
        yield table("Replies of the model by group", heads, groups)


def _kinds(found: Coverage) -> Iterator[tuple[str, dict[str, int]]]:
    yield "ended", dict(found.endings)
    yield "not scored, because", dict(found.unscored)


PAIRS_NOTE: Final = (
    "Each side of a pair counts as a prompt that names a group or none; a prompt without a text"
    " counts as neither. A pair is two groups of one prompt: rows about three groups make three"
    " pairs of it."
)
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
