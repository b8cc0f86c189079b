"""Two runs or models beside one another, prompt by prompt where prompts are the same.

A difference is the second run's figure minus the first's. That none is found is not parity; the
conclusions are those of `GroupComparison`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from guard.assessment.comparisons import (
    DifferenceTally,
    UncorrectedComparison,
    correct,
    with_signs,
)
from guard.assessment.difference_tests import reading_of
from guard.assessment.items import WORST, ItemFigures, by_key
from guard.assessment.results import AssessmentResults, GroupComparison
from guard.assessment.titles import figure_title
from guard.errors import AssessmentInputError
from guard.fairness import Tally, add
from guard.records import Undefined

MATERIAL = 0.02
"""From which difference of a figure on it matters, unless it is said otherwise."""
RUNS = "runs"
WORST_ITEMS = 10
_NOT_SCORES = frozenset(("words",))
_UNSCORED = frozenset(("words", "refused", "wrong"))
"""Figures that need no classifier."""
_FREE = frozenset(("use_case", "level", "material", "worst"))
"""Settings on which no figure of a prompt depends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChange:
    """A prompt whose figure rose or fell most. change: second minus first."""

    figure: str
    change: float
    first: float
    second: float
    prompt: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """Two runs. shared: prompts in both; only_first, only_second: in one. settings: those that
    differ, by name, with both values. changes: the prompts that changed most. too_few: figures that
    fewer than two shared prompts have in both runs. left_out: by figure, shared prompts of which a
    run has none, or that of the highest of another number of replies."""

    first: str
    second: str
    shared: int
    only_first: int
    only_second: int
    differences: tuple[GroupComparison, ...] = ()
    changes: tuple[ItemChange, ...] = ()
    too_few: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    level: float = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRun:
    """A run and its items, by their key."""

    name: str
    results: AssessmentResults
    items: Mapping[str, ItemFigures]


def named_run(name: str, results: AssessmentResults, items: Iterable[ItemFigures]) -> NamedRun:
    """A run that can be compared."""
    return NamedRun(name=name, results=results, items=by_key(items))


def compare_runs(
    first: NamedRun,
    second: NamedRun,
    *,
    level: float = 0.05,
    material: Mapping[str, float] | None = None,
    allow_different: bool = False,
) -> RunComparison:
    """Every figure that both runs have.

    material: by figure, from which size on a difference matters. Raises AssessmentInputError where
    the runs share no prompt, or were made with different settings and that is not allowed.
    """
    settings = different_settings(first.results, second.results)
    if settings and not allow_different:
        told = "; ".join(f"{name}: {' and '.join(both)}" for name, both in settings.items())
        raise AssessmentInputError(
            f"{first.name} and {second.name} were made with different settings ({told}), so that a"
            " difference may be theirs; compare them all the same with --allow-different"
        )
    shared = [key for key in first.items if key in second.items]
    if not shared:
        raise AssessmentInputError(f"{first.name} and {second.name} share no prompt")
    found = dict(_changes(first, second, shared))
    differences = [
        made
        for figure, changes in found.items()
        if (made := _difference(figure, changes, (first, second), material or {}))
    ]
    return RunComparison(
        first=first.name,
        second=second.name,
        shared=len(shared),
        only_first=len(first.items) - len(shared),
        only_second=len(second.items) - len(shared),
        differences=correct(differences, level=level),
        too_few=tuple(sorted(_figures(first, second) - {one.shown.metric for one in differences})),
        left_out=_left_out(first, second, shared),
        changes=tuple(one for changes in found.values() for one in _largest(changes)),
        settings=settings,
        level=level,
    )


def different_settings(
    first: AssessmentResults, second: AssessmentResults
) -> dict[str, tuple[str, ...]]:
    """Settings and classifiers that differ, with both values. The model under test may differ."""
    both = [_settings(one) for one in (first, second)]
    names = sorted({*both[0], *both[1]} - _FREE)
    values = {name: tuple(one.get(name, "not set") for one in both) for name in names}
    return {name: found for name, found in values.items() if found[0] != found[1]}


def _settings(results: AssessmentResults) -> dict[str, str]:
    made = results.provenance
    models = {
        one.role: " ".join((one.name, one.version, *one.files.values()))
        for one in made.models
        if one.role != "under test"
    }
    return {**made.settings, "parameters": _without_model(made.settings), **models}


def _without_model(settings: Mapping[str, str]) -> str:
    """What goes along with every question, but for the name of the model under test."""
    text = settings.get("parameters", "{}")
    try:
        parameters = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(parameters, dict):
        parameters.pop("model", None)
    return json.dumps(parameters, sort_keys=True)


def _figures(*runs: NamedRun) -> set[str]:
    return {figure for run in runs for item in run.items.values() for figure in item.figures}


def _changes(
    first: NamedRun, second: NamedRun, shared: list[str]
) -> Iterator[tuple[str, list[ItemChange]]]:
    found: dict[str, list[ItemChange]] = {}
    for key in shared:
        one, other = first.items[key], second.items[key]
        for figure in _comparable(one, other):
            before, after = one.figures[figure], other.figures[figure]
            found.setdefault(figure, []).append(
                ItemChange(
                    figure=figure,
                    change=after - before,
                    first=before,
                    second=after,
                    prompt=other.prompt,
                    place=other.place,
                )
            )
    yield from sorted(found.items())


def _comparable(one: ItemFigures, other: ItemFigures) -> set[str]:
    """Figures that both have; the highest of more replies is higher by itself. Runs of older
    versions do not say of how many it is: of as many, as a rule."""
    return {
        figure
        for figure in one.figures.keys() & other.figures.keys()
        if one.worst_of.get(figure, other.worst_of.get(figure))
        == other.worst_of.get(figure, one.worst_of.get(figure))
    }


def _left_out(first: NamedRun, second: NamedRun, shared: list[str]) -> dict[str, int]:
    """By figure, prompts that cannot be compared in it: with texts and without a score in both runs
    too."""
    scores = {one for one in _figures(first, second) if " " not in one} - _UNSCORED
    found: Counter[str] = Counter()
    for key in shared:
        one, other = first.items[key], second.items[key]
        wanted = one.figures.keys() | other.figures.keys()
        wanted |= scores if "words" in wanted else set()
        found.update(wanted - _comparable(one, other))
    return dict(sorted(found.items()))


def _difference(
    figure: str,
    changes: list[ItemChange],
    runs: tuple[NamedRun, NamedRun],
    material: Mapping[str, float],
) -> UncorrectedComparison | None:
    width = max((abs(one.change) for one in changes), default=0.0)
    most = 2.0 if " " in figure and not figure.endswith(WORST) else 1.0
    reach = max(1.0, width) if figure in _NOT_SCORES else most
    tally = DifferenceTally(name=(RUNS, figure), bounds=(-reach, reach))
    sums: Tally = add(*(tally.tally(one.change) for one in changes))
    found = tally.test(sums)
    if isinstance(found, Undefined):
        return None
    shown = GroupComparison(
        metric=figure,
        title=figure_title(figure),
        attribute=RUNS,
        first=runs[1].name,
        second=runs[0].name,
        difference=reading_of(found, found.value, found.n),
        material=material.get(figure, 5.0 if figure in _NOT_SCORES else MATERIAL),
    )
    return with_signs(shown, tally, sums, found)


def _largest(changes: list[ItemChange]) -> list[ItemChange]:
    found = sorted(changes, key=lambda one: (-abs(one.change), one.place))[:WORST_ITEMS]
    return [one for one in found if one.change]
