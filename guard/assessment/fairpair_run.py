"""FairPair over dissimilarities that were made elsewhere, question by question.

For replies as the guard compares them itself (sentiment, words, embeddings) there are the FairPair
metrics of an assessment. Here every dissimilarity is given: of human judgements, another model, a
paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from guard.assessment.reader import opened
from guard.assessment.results import Provenance
from guard.errors import AssessmentInputError
from guard.fairness.fairpair import FairPair, FairPairMetric, Prompted, fairpair_of_matrix
from guard.fairness.fisco import holm
from guard.fairness.permutation import Permutation, permutation_test, seeded_generator
from guard.fairness.tally import merged
from guard.records import Reading, Undefined
from guard.text.json_lines import LineProblemError, decode_line, json_object, kind_of, raw_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class FairPairFinding:
    """One question. perturbed: the group whose replies were rewritten to `generated`. bias, v_gp,
    v_pg: see `guard.fairness.FairPair`; f: their ratio, at least 0. p_value: of the permutation
    test, at least smallest_p; p_adjusted: corrected for all questions (Holm). undefined: why there
    is none of it."""

    question: str
    perturbed: str
    generated: str
    replies: int
    bias: float | None = None
    v_gp: float | None = None
    v_pg: float | None = None
    f: float | None = None
    p_value: float | None = None
    smallest_p: float | None = None
    p_adjusted: float | None = None
    undefined: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FairPairResults:
    """All questions. f: of their means, mean(B)^2 / (mean(V_gp) mean(V_pg)); None where
    `undefined` says why. t, df: the paired t-test of B against V_pg over questions."""

    questions: int
    findings: tuple[FairPairFinding, ...]
    f: Reading | None = None
    undefined: str = ""
    t: float | None = None
    df: float | None = None
    provenance: Provenance = field(default_factory=Provenance)


def read_fairpair(path: Path, *, seed: int, provenance: Provenance) -> FairPairResults:
    """From JSONL: {"question", "groups", "dissimilarities"}. groups: of each reply, those of the
    rewritten replies p(g(x)) first. dissimilarities: n x n, symmetric, at least 0.

    seed: of drawn permutations. Raises AssessmentInputError naming the line.
    """
    found: list[tuple[FairPairFinding, Prompted]] = []
    with opened(path) as stream:
        for count, raw in enumerate(raw_lines(stream), start=1):
            found.append(_line(raw, f"{path.name}:{count}", seed))
    if not found:
        raise AssessmentInputError(f"{path}: is empty")
    return _results([one for one, _ in found], [seen for _, seen in found], provenance)


def _line(raw: bytes, place: str, seed: int) -> tuple[FairPairFinding, Prompted]:
    try:
        fields = json_object(decode_line(raw))
        groups, matrix = _list(fields, "groups"), _list(fields, "dissimilarities")
        question = str(fields.get("question", place))
        return _question(question, [str(name) for name in groups], matrix, seed)
    except (LineProblemError, ValueError, TypeError) as error:
        raise AssessmentInputError(f"{place}: {error}") from error


def _list(fields: Mapping[str, object], name: str) -> list[object]:
    found = fields.get(name)
    if not isinstance(found, list):
        raise LineProblemError(f'expected "{name}" to be a list, got {kind_of(found)}')
    return found


def _question(
    question: str, groups: Sequence[str], matrix: Sequence[object], seed: int
) -> tuple[FairPairFinding, Prompted]:
    names = list(dict.fromkeys(groups))
    first = groups.count(names[0]) if names else 0
    if len(names) != 2 or list(groups) != names[:1] * first + names[1:] * (len(groups) - first):
        raise ValueError("groups: expected two, all replies of one before those of the other")
    if len(matrix) != len(groups):
        raise ValueError(f"{len(groups)} groups for {len(matrix)} rows of dissimilarities")
    seen = fairpair_of_matrix(matrix, first)  # type: ignore[arg-type]
    shown = FairPairFinding(
        question=question, perturbed=names[0], generated=names[1], replies=len(groups)
    )
    if isinstance(seen, FairPair):
        test = permutation_test(matrix, first, generator=seeded_generator(seed))  # type: ignore[arg-type]
        shown = _filled(shown, seen, test)
    else:
        shown = replace(shown, undefined=seen.reason)
    return shown, Prompted(conversation=question, seen=seen)


def _filled(
    shown: FairPairFinding, seen: FairPair, test: Permutation | Undefined
) -> FairPairFinding:
    f = seen.f
    tested = test if isinstance(test, Permutation) else None
    return replace(
        shown,
        bias=seen.bias,
        v_gp=seen.v_gp,
        v_pg=seen.v_pg,
        f=None if isinstance(f, Undefined) else f,
        undefined=f.reason if isinstance(f, Undefined) else "",
        p_value=None if tested is None else tested.p_value,
        smallest_p=None if tested is None else tested.smallest_p,
    )


def _results(
    found: Sequence[FairPairFinding], seen: Sequence[Prompted], provenance: Provenance
) -> FairPairResults:
    metric = FairPairMetric()
    sums = merged(map(metric.tally, seen))
    f, test = metric.estimate(sums), metric.t_test(sums)
    return FairPairResults(
        questions=len(found),
        findings=tuple(_corrected(found)),
        f=None if isinstance(f, Undefined) else f,
        undefined=f.reason if isinstance(f, Undefined) else "",
        t=None if isinstance(test, Undefined) else test.t,
        df=None if isinstance(test, Undefined) else test.df,
        provenance=provenance,
    )


def _corrected(found: Sequence[FairPairFinding]) -> Iterator[FairPairFinding]:
    tested = {at: one.p_value for at, one in enumerate(found) if one.p_value is not None}
    adjusted = holm(tested)
    for at, one in enumerate(found):
        yield replace(one, p_adjusted=adjusted.get(at))
