"""CAIRO: do prompt-based fairness metrics agree about models, and can wording make them agree?

One metric measures the bias of one model as (Equation 1)

    bias(S) = mean over prompts x of sum over subgroups s of |mean over S of tox(x(s)) - tox(x(s))|

at least 0, with no fixed upper end (at most |S|/2 for toxicity in [0, 1]); 0 means that every
prompt is equally toxic for every subgroup. Each metric's prompts are augmented with paraphrases;
every combination of them, with the originals always in, is scored for all models; the combinations
(one per metric) with the highest Pearson correlation over models are selected (Algorithm 1).

Selection in sample overfits: on pure noise with 6 models it finds r = 0.93. So `cairo` never
returns that figure alone: it comes with the correlation of the same combinations on held-out
prompts and with a permutation null of the whole search. Do not read a selected correlation as
agreement when either of the two says otherwise.

Throughout, `scores` is an array of shape (models, prompt sets, templates, subgroups): toxicity of
the replies, prompt set 0 the original, the others paraphrases; NaN where there is none.
Source: CAIRO (arXiv 2406.05918) §3-4 and Algorithm 1, METRICS §8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from math import atanh, nan, sqrt, tanh
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guard.fairness.permutation import LARGEST
from guard.fairness.student import two_sided_p
from guard.records import Reading, Undefined

Array: TypeAlias = NDArray[np.float64]
Combination: TypeAlias = tuple[int, ...]
Bias: TypeAlias = Callable[[Array], Array]

_NORMAL = 1.959963984540054
_FLAT = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """How combinations are scored and searched.

    bias: of an array (..., rows, subgroups). shared: one combination for both metrics, instead of
    one for each. replacement: whether a paraphrase may be in a combination more than once.
    """

    bias: Bias
    shared: bool
    replacement: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """The best combinations, in sample. first, second: prompt sets for each metric, 0 first.

    p_value: of `r` taken as if it had not been selected. mean_r: over all that were searched.
    """

    r: float
    p_value: float
    mean_r: float
    first: Combination
    second: Combination


@dataclass(frozen=True, slots=True, kw_only=True)
class Cairo:
    """The selected correlation and the two figures without which it must not be read.

    held_out: correlation of the same combinations on templates that took no part in the search.
    null_p: how often models dealt out at random give as high a selected r. null_r: their median.
    """

    selected: Selected
    held_out: Reading | Undefined
    null_p: float
    null_r: float


def equation1(scores: ArrayLike) -> Array:
    """Equation 1 over the last two axes (prompts, subgroups); a prompt with scores for fewer than
    two subgroups is left out. NaN where none is left."""
    values = _ndarray(scores, 2)
    known = np.isfinite(values)
    usable = known.sum(axis=-1) >= 2
    centre = _mean(values, known, axis=-1)[..., None]
    gaps = np.where(known, np.abs(centre - values), 0.0).sum(axis=-1)
    return _mean(gaps, usable, axis=-1)


def pooled(scores: ArrayLike) -> Array:
    """The bias of the authors' code: rows are pooled before the difference is taken, so that gaps
    of opposite sign in two prompts cancel. Sum over subgroups of |mean of all - mean of it|."""
    values = _ndarray(scores, 2)
    known = np.isfinite(values)
    groups = _mean(values, known, axis=-2)
    everything = _mean(values, known, axis=(-2, -1))
    return np.asarray(np.abs(groups - everything[..., None]).sum(axis=-1))


PAPER = Preset(bias=equation1, shared=False)
CAIRO_CODE = Preset(bias=pooled, shared=True)


def prompt_combinations(
    prompt_sets: int, size: int, *, replacement: bool = True
) -> tuple[Combination, ...]:
    """Every combination of `size` of the prompt sets 0, 1, ..., in which 0, the original, is."""
    if not (size >= 1 and (replacement or size <= prompt_sets)):
        raise ValueError(f"size {size} must be between 1 and {prompt_sets}")
    if prompt_sets < 1:
        raise ValueError(f"prompt_sets {prompt_sets} must be at least 1")
    choose = combinations_with_replacement if replacement else combinations
    return tuple((0, *rest) for rest in choose(range(1, prompt_sets), size - 1))


def bias_table(scores: ArrayLike, sets: Sequence[Combination], *, bias: Bias = equation1) -> Array:
    """The bias of each model under each combination, of shape (combinations, models)."""
    values = _ndarray(scores, 4)
    models, _, templates, subgroups = values.shape
    rows = [values[:, list(one)].reshape(models, len(one) * templates, subgroups) for one in sets]
    return np.array([bias(one) for one in rows]).reshape(len(sets), models)


def select(
    first: ArrayLike, second: ArrayLike, sets: Sequence[Combination], *, shared: bool = False
) -> Selected | Undefined:
    """The combinations with the highest correlation over models (Algorithm 1).

    first, second: bias tables of two metrics over the same models and the combinations `sets`. The
    search is over all pairs of combinations (of equal ones if `shared`); the first best is kept.
    """
    one, other = _table(first, sets, "first"), _table(second, sets, "second")
    if one.shape != other.shape:
        raise ValueError(f"second is of shape {other.shape}, first of {one.shape}")
    if one.shape[1] < 3:
        return Undefined(reason="fewer than three models: a correlation says nothing")
    r = _correlate(_standard(one), _standard(other), shared=shared)
    if not np.isfinite(r).any():
        return Undefined(reason="no variance between models under any combination")
    best = int(np.nanargmax(r))
    at, to = (best, best) if shared else divmod(best, len(sets))
    top = float(r.flat[best])
    return Selected(
        r=top,
        p_value=pearson_p(top, one.shape[1]),
        mean_r=float(np.nanmean(r)),
        first=sets[at],
        second=sets[to],
    )


def permutation_null(
    first: ArrayLike,
    second: ArrayLike,
    *,
    generator: np.random.Generator,
    shared: bool = False,
    draws: int = 999,
) -> Array:
    """The selected correlation when models of the second metric are dealt out at random.

    Each draw repeats the whole search. Returns `draws` values, NaN where nothing varies.
    """
    one = _standard(_ndarray(first, 2))
    other = _standard(_ndarray(second, 2))
    orders = (generator.permutation(other.shape[1]) for _ in range(draws))
    found = [_correlate(one, other[:, order], shared=shared) for order in orders]
    return np.array([np.nanmax(r) if np.isfinite(r).any() else np.nan for r in found])


def cairo(
    first: ArrayLike,
    second: ArrayLike,
    *,
    size: int,
    generator: np.random.Generator,
    preset: Preset = PAPER,
    draws: int = 999,
) -> Cairo | Undefined:
    """Select on every other template; judge on the rest and against the permutation null.

    first, second: scores of two metrics for the same models, whose templates may differ.
    size: prompt sets per combination, the original included.
    """
    scores = _ndarray(first, 4), _ndarray(second, 4)
    if len({one.shape[:2] for one in scores}) > 1:
        raise ValueError("first and second must have the same models and prompt sets")
    if draws < 1:
        raise ValueError(f"draws {draws} must be at least 1")
    sets = prompt_combinations(scores[0].shape[1], size, replacement=preset.replacement)
    one, other = (bias_table(part[:, :, 0::2], sets, bias=preset.bias) for part in scores)
    selected = select(one, other, sets, shared=preset.shared)
    if isinstance(selected, Undefined):
        return selected
    null = permutation_null(one, other, generator=generator, shared=preset.shared, draws=draws)
    hits = int((null >= selected.r - 1e-12).sum())
    return Cairo(
        selected=selected,
        held_out=_held_out(scores, selected, preset.bias),
        null_p=(1 + hits) / (1 + draws),
        null_r=float(np.median(null)),
    )


def agreement(
    first: Mapping[str, float | Undefined | None], second: Mapping[str, float | Undefined | None]
) -> Reading | Undefined:
    """Pearson correlation of two metrics over what both have a value for.

    The keys are use cases, models or time buckets. In [-1, 1]: 1 when they rise and fall together.
    The interval is Fisher's; it takes the keys for independent, which neighbouring buckets are
    not: it is then too narrow.
    """
    found = [(first[name], second[name]) for name in first if name in second]
    known = [[nan if isinstance(x, Undefined) else x for x in pair] for pair in found]
    pairs = np.array(known, dtype=float).reshape(-1, 2)
    pairs = pairs[(np.abs(pairs) < LARGEST).all(axis=1)]
    return pearson(pairs[:, 0], pairs[:, 1])


def pearson(first: ArrayLike, second: ArrayLike) -> Reading | Undefined:
    """Pearson's r of two series, with Fisher's interval; from three pairs on."""
    one, other = _ndarray(first, 1).ravel(), _ndarray(second, 1).ravel()
    if one.shape != other.shape:
        raise ValueError(f"second has {other.size} values, first has {one.size}")
    if one.size < 3:
        return Undefined(reason="fewer than three pairs: a correlation says nothing")
    if not all((np.abs(series) < LARGEST).all() for series in (one, other)):
        return Undefined(reason="a value is not a number")
    r = float((_standard(one[None]) @ _standard(other[None]).T)[0, 0])
    if not np.isfinite(r):
        return Undefined(reason="a series is constant")
    low, high = fisher_interval(min(max(r, -1.0), 1.0), one.size)
    return Reading(value=min(max(r, -1.0), 1.0), low=low, high=high, n=one.size)


def pearson_p(r: float, n: int) -> float:
    """Two-sided p-value of a correlation of `n` pairs, by Student's t with n - 2 degrees."""
    if n < 3 or not -1.0 - _FLAT <= r <= 1.0 + _FLAT:
        raise ValueError(f"n {n} must be at least 3, r {r} between -1 and 1")
    rest = 1.0 - r * r
    return two_sided_p(r * sqrt((n - 2) / rest), n - 2) if rest > 0.0 else 0.0


def _held_out(scores: tuple[Array, Array], selected: Selected, bias: Bias) -> Reading | Undefined:
    chosen = zip(scores, (selected.first, selected.second), strict=True)
    one, other = (bias_table(part[:, :, 1::2], [sets], bias=bias)[0] for part, sets in chosen)
    return pearson(one, other)


def _correlate(one: Array, other: Array, *, shared: bool) -> Array:
    """Correlations of standardised rows: of each with each, or only of equal rows."""
    return np.asarray((one * other).sum(axis=1) if shared else one @ other.T)


def _standard(table: Array) -> Array:
    """Rows with mean 0 and length 1; NaN where a row does not vary or has what is no number."""
    table = np.where(np.abs(table) < LARGEST, table, np.nan)
    centred = table - table.mean(axis=1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    varies = length > _FLAT * np.abs(table).max(axis=1, keepdims=True, initial=0.0)
    return np.asarray(np.divide(centred, length, out=np.full(table.shape, np.nan), where=varies))


def _mean(values: Array, known: NDArray[np.bool_], *, axis: int | tuple[int, ...]) -> Array:
    """The mean of what is known; NaN where nothing is."""
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))


def fisher_interval(r: float, n: int) -> tuple[float, float]:
    """Fisher's interval of a correlation r of n pairs, n at least 3."""
    if n == 3:
        return -1.0, 1.0
    middle, half = atanh(min(max(r, -1.0 + _FLAT), 1.0 - _FLAT)), _NORMAL / sqrt(n - 3)
    return min(tanh(middle - half), r), max(tanh(middle + half), r)


def _table(values: ArrayLike, sets: Sequence[Combination], name: str) -> Array:
    table = _ndarray(values, 2)
    if len(table) != len(sets):
        raise ValueError(f"{name} has {len(table)} rows for {len(sets)} combinations")
    return table


def _ndarray(values: ArrayLike, dimensions: int) -> Array:
    array = np.asarray(values, dtype=float)
    if array.ndim < dimensions:
        raise ValueError(
            f"an array of at least {dimensions} dimensions, not of shape {array.shape}"
        )
    return array
