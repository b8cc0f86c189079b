"""CAIRO over rows: do metrics agree about models, and does the wording of prompts decide it?

A row is one prompt of one metric for one model: `model`, `metric`, `template` (which prompt),
`group` (the subgroup in it), `paraphrase` (which wording; empty for the original) and the
toxicity of its responses. See `guard.fairness.cairo`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import fsum, isfinite, nan

from guard.assessment.reader import Row
from guard.assessment.results import Provenance
from guard.assessment.rows import InputRow
from guard.errors import AssessmentInputError
from guard.fairness.cairo import (
    CAIRO_CODE,
    PAPER,
    Preset,
    Selected,
    bias_table,
    cairo,
    prompt_combinations,
    select,
)
from guard.fairness.permutation import seeded_generator
from guard.ports import Scorer
from guard.records import Reading, Undefined

TOXICITY = "toxicity"
_MOST_COMBINATIONS = 2000
Cells = Mapping[tuple[str, str, str, str, str], float]
"""(metric, model, paraphrase, template, group) to the mean toxicity of its responses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CairoOptions:
    """size: wordings per combination, the original included. draws: of the permutation null.
    code: the bias and the search of the authors' code instead of the paper's."""

    size: int = 2
    draws: int = 999
    seed: int = 0
    code: bool = False

    @property
    def preset(self) -> Preset:
        """How combinations are scored and searched."""
        return CAIRO_CODE if self.code else PAPER


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedWordings:
    """A selected combination for each metric of a pair, and its correlation over models."""

    r: float
    p_value: float
    mean_r: float
    first: tuple[str, ...]
    second: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricPair:
    """Two metrics. in_sample: selected on all templates: it overfits, and is no finding. selected:
    on every other template; held_out: the correlation of that selection on the others. null_p: how
    often models dealt out at random give as high a selected r; null_r: their median.
    """

    first: str
    second: str
    in_sample: SelectedWordings | None = None
    selected: SelectedWordings | None = None
    held_out: Reading | None = None
    null_p: float | None = None
    null_r: float | None = None
    undefined: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasFigure:
    """The bias of one model by one metric under one wording (Equation 1)."""

    metric: str
    model: str
    paraphrase: str
    bias: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CairoResults:
    """What CAIRO found. Whatever is selected, read `held_out` and `null_p` first."""

    models: tuple[str, ...]
    paraphrases: tuple[str, ...]
    pairs: tuple[MetricPair, ...]
    biases: tuple[BiasFigure, ...]
    provenance: Provenance = field(default_factory=Provenance)


def read_cells(rows: Iterable[Row], scorer: Callable[[], Scorer]) -> Cells:
    """The mean toxicity of each cell. scorer: asked only where scores are not given.

    Raises AssessmentInputError for a row that names no model, metric, template or group.
    """
    found: dict[tuple[str, str, str, str, str], list[float]] = {}
    for row in rows:
        if not isinstance(row, InputRow):
            raise AssessmentInputError(f"{row.place}: {row.problem}")
        cell = (row.metric, row.model, row.paraphrase, row.template, row.group)
        _check(row)
        found.setdefault(cell, []).extend(_toxicities(row, scorer))
    return {cell: fsum(values) / len(values) for cell, values in found.items() if values}


def _check(row: InputRow) -> None:
    for name in ("model", "metric", "template", "group"):
        if not getattr(row, name):
            raise AssessmentInputError(f"{row.place}: CAIRO needs a {name!r} in every row")


def _toxicities(row: InputRow, scorer: Callable[[], Scorer]) -> Iterator[float]:
    if TOXICITY in row.scores:
        yield from (value for value in row.scores[TOXICITY] if value is not None)
        return
    futures = [scorer().submit(text) for text in row.responses]
    values = (future.result().value(TOXICITY) for future in futures)
    yield from (value for value in values if value is not None)


def run_cairo(cells: Cells, options: CairoOptions, provenance: Provenance) -> CairoResults:
    """Every pair of metrics. Raises AssessmentInputError for fewer than two metrics, and for more
    combinations than can be searched."""
    metrics = sorted({cell[0] for cell in cells})
    if len(metrics) < 2:
        raise AssessmentInputError(f"CAIRO compares metrics, and the rows have {metrics}")
    models = sorted({cell[1] for cell in cells})
    wordings = sorted({cell[2] for cell in cells} | {""})  # the original, which is empty, is first
    sets = prompt_combinations(len(wordings), options.size, replacement=options.preset.replacement)
    if len(sets) > _MOST_COMBINATIONS:
        raise AssessmentInputError(
            f"--size {options.size} of {len(wordings)} wordings are {len(sets)} combinations; at"
            f" most {_MOST_COMBINATIONS} are searched"
        )
    tables = {metric: scores_of(cells, metric, models, wordings) for metric in metrics}
    return CairoResults(
        models=tuple(models),
        paraphrases=tuple(wordings),
        pairs=tuple(_pair(pair, tables, wordings, options) for pair in combinations(metrics, 2)),
        biases=tuple(_biases(tables, models, wordings, options)),
        provenance=provenance,
    )


Scores = list[list[list[list[float]]]]
"""By model, wording, template and subgroup; NaN where there is none."""


def scores_of(cells: Cells, metric: str, models: Sequence[str], wordings: Sequence[str]) -> Scores:
    """The scores of one metric as `guard.fairness.cairo` takes them."""
    templates = sorted({cell[3] for cell in cells if cell[0] == metric})
    groups = sorted({cell[4] for cell in cells if cell[0] == metric})
    return [
        [
            [
                [cells.get((metric, model, wording, template, group), nan) for group in groups]
                for template in templates
            ]
            for wording in wordings
        ]
        for model in models
    ]


def _pair(
    pair: tuple[str, str],
    tables: Mapping[str, Scores],
    wordings: Sequence[str],
    options: CairoOptions,
) -> MetricPair:
    first, second = (tables[metric] for metric in pair)
    found = cairo(
        first,
        second,
        size=options.size,
        generator=seeded_generator(options.seed),
        preset=options.preset,
        draws=options.draws,
    )
    in_sample = _in_sample(first, second, wordings, options)
    if isinstance(found, Undefined):
        return MetricPair(
            first=pair[0], second=pair[1], in_sample=in_sample, undefined=found.reason
        )
    return MetricPair(
        first=pair[0],
        second=pair[1],
        in_sample=in_sample,
        selected=_named(found.selected, wordings),
        held_out=None if isinstance(found.held_out, Undefined) else found.held_out,
        null_p=found.null_p,
        null_r=found.null_r if isfinite(found.null_r) else None,
    )


def _in_sample(
    first: Scores, second: Scores, wordings: Sequence[str], options: CairoOptions
) -> SelectedWordings | None:
    preset = options.preset
    sets = prompt_combinations(len(wordings), options.size, replacement=preset.replacement)
    one, other = (bias_table(scores, sets, bias=preset.bias) for scores in (first, second))
    found = select(one, other, sets, shared=preset.shared)
    return None if isinstance(found, Undefined) else _named(found, wordings)


def _named(found: Selected, wordings: Sequence[str]) -> SelectedWordings:
    first, second = (tuple(wordings[at] for at in one) for one in (found.first, found.second))
    return SelectedWordings(
        r=found.r, p_value=found.p_value, mean_r=found.mean_r, first=first, second=second
    )


def _biases(
    tables: Mapping[str, Scores],
    models: Sequence[str],
    wordings: Sequence[str],
    options: CairoOptions,
) -> Iterator[BiasFigure]:
    sets = [(at,) for at in range(len(wordings))]
    for metric, scores in tables.items():
        table = bias_table(scores, sets, bias=options.preset.bias).tolist()
        for wording, row in zip(wordings, table, strict=True):
            for model, bias in zip(models, row, strict=True):
                if isfinite(bias):
                    yield BiasFigure(metric=metric, model=model, paraphrase=wording, bias=bias)
