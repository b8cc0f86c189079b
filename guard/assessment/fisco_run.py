"""FiSCo over rows: do replies to different groups mean the same, question by question?

Rows with one `pair` are one question about different groups, with several responses each. Replies
are compared by their words, their sentiment and their embeddings, or by claims: checked here by a
classifier of pairs, or labelled elsewhere. Welch's test is shown as published; the permutation test
decides, corrected for the pairs of groups of a question and for all questions (Holm). See
`guard.fairness.fisco`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from pathlib import Path

from guard.assessment.reader import SHOWN_BAD_ROWS, GoodRows, Row, opened
from guard.assessment.results import BadRow, Provenance
from guard.assessment.units import UNNAMED, PairPlaces, RowGroup, attribute_of, row_groups
from guard.counterfactual import Lexicons
from guard.errors import AssessmentInputError
from guard.fairness import MeasuredReply, claim_similarities, fisco, holm
from guard.fairness.claim_likeness import CLAIMS
from guard.fairness.fisco import Fisco
from guard.fairness.permutation import seeded_generator
from guard.fairness.reply_distances import DISTANCES
from guard.records import Undefined
from guard.text.json_lines import LineProblemError, decode_line, json_object, raw_lines

FORMS = tuple(DISTANCES)
"""What replies can be compared by."""
WITHOUT_CLAIMS = tuple(form for form in FORMS if form != CLAIMS)
"""The same where no claims are checked."""
LabelClaims = Callable[[Sequence[str]], Sequence[object] | Undefined]
"""Masked replies to labels of their claims, see `of_claims`, or why there are none."""
Prepare = Callable[[Sequence[str], str], Sequence[MeasuredReply]]
"""Replies and the attribute they differ in to replies with masked text, scores and vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FiscoFinding:
    """Two groups of one question, in one form. similarity of replies: across and inside the groups
    differ by `statistic`, above 0 where replies across are less alike. welch_t, welch_p: as
    published. p_value: of the permutation test, at least smallest_p; p_question: corrected for the
    pairs of groups; p_adjusted: for all questions as well. undefined: why there is none of it."""

    question: str
    form: str
    first: str
    second: str
    replies: int
    statistic: float | None = None
    welch_t: float | None = None
    welch_p: float | None = None
    p_value: float | None = None
    smallest_p: float | None = None
    p_question: float | None = None
    p_adjusted: float | None = None
    undefined: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FiscoResults:
    """All questions. bad_rows: how many rows could not be used; shown: the first of those.
    unmasked: questions in which no words of groups could be masked, since no lexicon has the
    groups. level: from which corrected p-value on a question counts as different."""

    questions: int
    findings: tuple[FiscoFinding, ...]
    bad_rows: int = 0
    shown: tuple[BadRow, ...] = ()
    unmasked: int = 0
    level: float = 0.05
    provenance: Provenance = field(default_factory=Provenance)

    def different(self, form: str) -> int:
        """Questions on which some groups' replies differ, in one form."""
        return len(
            {
                one.question
                for one in self.findings
                if one.form == form and one.p_adjusted is not None and one.p_adjusted <= self.level
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FiscoTools:
    """What replies are compared with. forms: of `FORMS`. label_claims: for the form `claims`.
    lexicons: tell the attribute of groups where rows do not."""

    prepare: Prepare
    forms: Sequence[str] = WITHOUT_CLAIMS
    label_claims: LabelClaims | None = None
    lexicons: Lexicons | None = None
    seed: int = 0


def run_fisco(rows: Iterable[Row], tools: FiscoTools, *, provenance: Provenance) -> FiscoResults:
    """Every question. Raises AssessmentInputError where no rows have a `pair` and a `group`."""
    found: list[FiscoFinding] = []
    questions = unmasked = 0
    good, places = GoodRows(rows), PairPlaces()
    for group in row_groups(good):
        if problem := _unusable(group, places):
            good.leave_out(BadRow(place=group.place, problem=problem), len(group.rows))
            continue
        attribute = _attribute(group, tools.lexicons)
        questions, unmasked = questions + 1, unmasked + (attribute == UNNAMED)
        found += _question(group, attribute, tools)
    if not questions:
        first = "".join(f"; {one.place}: {one.problem}" for one in good.shown[:1])
        raise AssessmentInputError(
            f"no question about two groups: rows need a `pair`, a `group` and `responses`{first}"
        )
    return FiscoResults(
        questions=questions,
        findings=tuple(corrected_findings(found)),
        bad_rows=good.bad,
        shown=tuple(good.shown),
        unmasked=unmasked,
        provenance=provenance,
    )


def _unusable(group: RowGroup, places: PairPlaces) -> str:
    """Why rows are no question about several groups; empty where they are one."""
    if not group.is_pair:
        return "a row needs a `pair`, the question that it answers"
    again, groups = places.again(group), group.groups
    if len(groups) > 1:
        return ""
    if again is not None:
        return again.problem
    told = f"of the group {groups[0]!r:.60} alone" if groups else "without a `group`"
    return f"pair {group.rows[0].pair!r:.60} has rows {told}: replies to two groups are compared"


def _attribute(group: RowGroup, lexicons: Lexicons | None) -> str:
    """The attribute whose words are masked, `UNNAMED` where there is none."""
    named = next((row.attribute for row in group.rows if row.attribute), UNNAMED)
    if lexicons is None:
        return named
    found = attribute_of(group, lexicons)
    return found if found in lexicons.attributes else UNNAMED


def _question(group: RowGroup, attribute: str, tools: FiscoTools) -> Iterator[FiscoFinding]:
    labelled = [
        (name, text) for name, side in group.by_group.items() if name for text in side.responses
    ]
    replies = tuple(tools.prepare([text for _, text in labelled], attribute))
    names = [name for name, _ in labelled]
    for form in tools.forms:
        yield from _in_form(form, group.call_id, replies, names, tools)


def _in_form(
    form: str,
    question: str,
    replies: tuple[MeasuredReply, ...],
    names: Sequence[str],
    tools: FiscoTools,
) -> Iterator[FiscoFinding]:
    if form == CLAIMS and tools.label_claims is not None:
        labels = tools.label_claims([one.masked for one in replies])
        if isinstance(labels, Undefined):
            yield from _unlabelled(question, names, labels)
        else:
            yield from of_claims(question, names, labels, tools.seed)
        return
    matrix = DISTANCES[form](replies)
    if matrix is not None:
        similarity = [[1.0 - value for value in row] for row in matrix]
        yield from of_similarities(question, form, similarity, names, tools.seed)


def _unlabelled(question: str, names: Sequence[str], why: Undefined) -> Iterator[FiscoFinding]:
    for first, second in combinations(dict.fromkeys(names), 2):
        count = sum(name in {first, second} for name in names)
        yield FiscoFinding(
            question=question,
            form=CLAIMS,
            first=first,
            second=second,
            replies=count,
            undefined=why.reason,
        )


def read_claims(path: Path, *, seed: int, provenance: Provenance) -> FiscoResults:
    """From a file of JSONL: {"question", "groups", "labels"}, see `of_claims`.

    Lines that cannot be used are counted and named. Raises AssessmentInputError where none can be,
    naming the first.
    """
    found: list[FiscoFinding] = []
    bad: list[BadRow] = []
    count = 0
    for count, raw in enumerate(_lines(path), start=1):
        place = f"{path.name}:{count}"
        try:
            found += _claims_line(raw, place, seed)
        except AssessmentInputError as error:
            bad.append(BadRow(place=place, problem=str(error).removeprefix(f"{place}: ")))
    if len(bad) == count:
        first = f"{bad[0].place}: {bad[0].problem}" if bad else "it is empty"
        raise AssessmentInputError(f"{path}: no line can be used: {first}")
    return FiscoResults(
        questions=count - len(bad),
        findings=tuple(corrected_findings(found)),
        bad_rows=len(bad),
        shown=tuple(bad[:SHOWN_BAD_ROWS]),
        provenance=provenance,
    )


def _lines(path: Path) -> Iterator[bytes]:
    with opened(path) as stream:
        yield from raw_lines(stream)


def _claims_line(raw: bytes, place: str, seed: int) -> Iterator[FiscoFinding]:
    try:
        fields = json_object(decode_line(raw))
    except LineProblemError as error:
        raise AssessmentInputError(f"{place}: {error}") from None
    groups, labels = fields.get("groups"), fields.get("labels")
    if not isinstance(groups, list) or not isinstance(labels, list):
        raise AssessmentInputError(f'{place}: expected lists "groups" and "labels"')
    question = str(fields.get("question", place))
    yield from of_claims(question, [str(name) for name in groups], labels, seed)


def of_claims(
    question: str, groups: Sequence[str], labels: Sequence[object], seed: int
) -> Iterator[FiscoFinding]:
    """From labels of claims: n x n x 3, how many claims of reply i are entailed, neutral,
    contradicted by reply j. Raises AssessmentInputError for another shape."""
    try:
        similarity = claim_similarities(labels).tolist()  # type: ignore[arg-type]
    except (ValueError, TypeError) as error:
        raise AssessmentInputError(f"{question}: {error}") from error
    if len(similarity) != len(groups):
        counts = f"{len(groups)} groups for {len(similarity)} replies"
        raise AssessmentInputError(f"{question}: {counts}")
    yield from of_similarities(question, CLAIMS, similarity, groups, seed)


def of_similarities(
    question: str,
    form: str,
    similarity: Sequence[Sequence[float]],
    groups: Sequence[str],
    seed: int,
) -> Iterator[FiscoFinding]:
    """Every pair of groups of one question, not yet corrected for other questions."""
    try:
        found = fisco(similarity, groups, generator=seeded_generator(seed))
    except ValueError as error:
        raise AssessmentInputError(f"{question}: {error}") from error
    for (first, second), outcome in found.items():
        shown = FiscoFinding(
            question=question,
            form=form,
            first=first,
            second=second,
            replies=sum(name in {first, second} for name in groups),
        )
        yield _filled(shown, outcome)


def _filled(shown: FiscoFinding, outcome: Fisco | Undefined) -> FiscoFinding:
    if isinstance(outcome, Undefined):
        return replace(shown, undefined=outcome.reason)
    welch = None if isinstance(outcome.welch, Undefined) else outcome.welch
    return replace(
        shown,
        statistic=outcome.permutation.statistic,
        welch_t=None if welch is None else welch.t,
        welch_p=None if welch is None else welch.p_value,
        p_value=outcome.permutation.p_value,
        smallest_p=outcome.permutation.smallest_p,
        p_question=outcome.p_adjusted,
    )


def corrected_findings(found: Sequence[FiscoFinding]) -> Iterator[FiscoFinding]:
    """The findings with p-values corrected over all questions of each form."""
    forms: Mapping[str, list[int]] = {
        form: [at for at, one in enumerate(found) if one.form == form and one.p_value is not None]
        for form in dict.fromkeys(one.form for one in found)
    }
    adjusted = dict(
        chain.from_iterable(
            holm({at: found[at].p_value or 0.0 for at in places}).items()
            for places in forms.values()
        )
    )
    for at, one in enumerate(found):
        yield replace(one, p_adjusted=adjusted.get(at))
