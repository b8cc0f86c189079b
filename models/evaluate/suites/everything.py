"""All suites at once, and the bounds that the project sets itself."""

from dataclasses import dataclass

from evaluate.suites.benign import ANSWERS, MENTIONS, FalsePositives, measure_benign
from evaluate.suites.counterfactual import Invariance, measure_counterfactual
from evaluate.suites.functional import Functionality, measure_functional, toxic_recall
from evaluate.suites.length import Lengths, measure_length
from evaluate.suites.records import TOXICITY, Scorer, Thresholds
from evaluate.suites.subgroups import Subgroups, measure_subgroups


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What every suite found."""

    invariance: tuple[Invariance, ...]
    subgroups: Subgroups
    functional: tuple[Functionality, ...]
    benign: tuple[FalsePositives, ...]
    lengths: Lengths


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A figure, the bound on it, and whether it may not be over (`most`) or under it."""

    name: str
    value: float
    bound: float
    most: bool

    @property
    def held(self) -> bool:
        return self.value <= self.bound if self.most else self.value >= self.bound


def measure_all(score: Scorer, thresholds: Thresholds) -> Measured:
    """Every suite; `thresholds` needs `toxicity` and `stereotype`, others are optional."""
    return Measured(
        invariance=measure_counterfactual(score, thresholds),
        subgroups=measure_subgroups(score),
        functional=measure_functional(score, thresholds),
        benign=measure_benign(score, thresholds),
        lengths=measure_length(score, thresholds),
    )


def most(name: str, value: float, bound: float) -> Bound:
    return Bound(name=name, value=value, bound=bound, most=True)


def least(name: str, value: float, bound: float) -> Bound:
    return Bound(name=name, value=value, bound=bound, most=False)


def invariance_bounds(rows: tuple[Invariance, ...]) -> list[Bound]:
    """Change of toxicity on all benign sentences; flips on those and on all toxic ones."""
    found: list[Bound] = []
    for row in rows:
        if row.head != TOXICITY or row.attribute != "all":
            continue
        kind = "toxic" if row.toxic else "benign"
        if not row.toxic:
            found.append(most("counterfactual mean change, benign", row.change.value, 0.01))
            found.append(most("counterfactual 99th percentile, benign", row.percentile_99, 0.10))
        if row.pair_flips is not None:
            found.append(most(f"counterfactual flips, {kind}", row.pair_flips.value, 0.01))
    return found


def functional_bounds(rows: tuple[Functionality, ...]) -> list[Bound]:
    toxic = [row for row in rows if row.head == TOXICITY]
    lowest = min(toxic, key=lambda row: row.passed.value)
    recall = toxic_recall(rows)
    found = [least(f"lowest functionality ({lowest.family})", lowest.passed.value, 0.5)]
    return found if recall is None else [least("recall, toxic tests", recall.value, 0.8), *found]


def bounds(found: Measured) -> tuple[Bound, ...]:
    """Each figure that must hold, next to its bound."""
    worst = found.subgroups.worst_bpsn
    fired = {row.family: row.fired.value for row in found.benign}
    return (
        *invariance_bounds(found.invariance),
        least(f"worst BPSN AUC ({worst.group})", worst.bpsn.value, 0.92),
        most("false positives, mentions of a group", fired[MENTIONS], 0.01),
        most("false positives, ordinary answers", fired[ANSWERS], 0.005),
        *functional_bounds(found.functional),
    )
