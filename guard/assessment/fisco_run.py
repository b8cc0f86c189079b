"""FiSCo over rows: do replies to different groups mean the same, question by question?

Rows with one `pair` are one question about different groups, with several responses each. Replies
are compared by their words, their sentiment and their embeddings, or by claims: checked here by a
classifier of pairs, or labelled elsewhere. Welch's test is shown as published; the permutation test
decides, corrected for the pairs of groups of a question and for all questions (Holm). See
`guard.fairness.fisco`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from guard.assessment.results import Provenance
from guard.assessment.units import RowGroup
from guard.errors import AssessmentInputError
from guard.fairness import MeasuredReply, claim_similarities, fisco, holm
from guard.fairness.fisco import Fisco
from guard.fairness.live_metrics import DISTANCES
from guard.fairness.permutation import seeded_generator
from guard.records import Undefined
from guard.text.json_lines import LineProblemError, decode_line, json_object, raw_lines

CLAIMS = "claims"
FORMS = (*DISTANCES, CLAIMS)
"""What replies can be compared by."""
LabelClaims = Callable[[Sequence[str]], Sequence[object]]
"""Masked replies to labels of their claims, see `of_claims`."""
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
    """All questions. level: from which corrected p-value on a question counts as different."""

    questions: int
    findings: tuple[FiscoFinding, ...]
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
    """What replies are compared with. forms: of `FORMS`. label_claims: for the form `claims`."""

    prepare: Prepare
    forms: Sequence[str] = tuple(DISTANCES)
    label_claims: LabelClaims | None = None
    seed: int = 0


def run_fisco(
    groups: Iterator[RowGroup], tools: FiscoTools, *, provenance: Provenance
) -> FiscoResults:
    """Every question. Raises AssessmentInputError where no rows have a `pair` and a `group`."""
    found: list[FiscoFinding] = []
    questions = 0
    for group in groups:
        if group.is_pair and len(group.groups) > 1:
            questions += 1
            found += _question(group, tools)
    if not questions:
        raise AssessmentInputError(
            "no question about two groups: rows need a `pair`, a `group` and `responses`"
        )
    return FiscoResults(
        questions=questions, findings=tuple(corrected_findings(found)), provenance=provenance
    )


def _question(group: RowGroup, tools: FiscoTools) -> Iterator[FiscoFinding]:
    labelled = [
        (name, text) for name, side in group.by_group.items() if name for text in side.responses
    ]
    attribute = next((row.attribute for row in group.rows if row.attribute), "")
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
        yield from of_claims(question, names, labels, tools.seed)
    matrix = DISTANCES[form](replies) if form in DISTANCES else None
    if matrix is not None:
        similarity = [[1.0 - value for value in row] for row in matrix]
        yield from of_similarities(question, form, similarity, names, tools.seed)


def read_claims(path: Path, *, seed: int, provenance: Provenance) -> FiscoResults:
    """From a file of JSONL: {"question", "groups", "labels"}, see `of_claims`.

    Raises AssessmentInputError naming the line.
    """
    found: list[FiscoFinding] = []
    count = 0
    try:
        with path.open("rb") as stream:
            for count, raw in enumerate(raw_lines(stream), start=1):
                found += _claims_line(raw, f"{path.name}:{count}", seed)
    except OSError as error:
        raise AssessmentInputError(f"cannot read {path}: {error.strerror}") from error
    if not count:
        raise AssessmentInputError(f"{path}: is empty")
    findings = tuple(corrected_findings(found))
    return FiscoResults(questions=count, findings=findings, provenance=provenance)


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
