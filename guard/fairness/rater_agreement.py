"""How far people agree who judge the same things: Cohen's kappa and Krippendorff's alpha.

Both compare how often two votes on one thing agree with how often they would by chance: 1 is
perfect agreement, 0 what chance alone would give, below 0 less than that. They say nothing on
whether the votes are right. Votes are names (nominal): two different ones are never "near".

J. Cohen, A Coefficient of Agreement for Nominal Scales, Educational and Psychological Measurement
20 (1960). K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), "nominal data, any
number of observers, missing data".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations, permutations
from typing import Final

from guard.fairness.intervals import Sums, jackknife
from guard.fairness.tally import SIGNED, Parts, Tally, by_fold, fold_of, key, merged, within
from guard.records import Reading, Undefined

ALPHA: Final = "alpha"
KAPPA: Final = "kappa"
_THINGS: Final = "things"
_EXACT: Final = 1e-12
_TAKEN_BACK: Final = 1e-9


def krippendorff_alpha(things: Iterable[Iterable[str]]) -> float | Undefined:
    """Krippendorff's alpha of votes, in [-1, 1]; things: the votes on each, however many.

    A thing with fewer than two votes is left out. Undefined without two votes on one thing, and
    where all votes are the same: then chance alone would agree as well.
    """
    return _alpha(merged(_coincidences(Counter(votes)) for votes in things))


def cohen_kappa(pairs: Iterable[tuple[str, str]]) -> float | Undefined:
    """Cohen's kappa of two raters, in [-1, 1]; pairs: the votes of both on each thing.

    Undefined without any, and where both always vote the same one thing.
    """
    return _kappa({pair: float(count) for pair, count in Counter(pairs).items()})


def agreement_tally(thing: str, about: str, votes: Mapping[str, str]) -> Tally:
    """The sums of the votes on one thing, empty below two.

    thing: its name, which decides the fold. about: the scale; votes on different ones are never
    compared. votes: rater to vote.
    """
    if len(votes) < 2:
        return {}
    fold = fold_of(thing)
    found = _coincidences(Counter(votes.values()))
    sums = {key(ALPHA, fold, about, *pair): share for pair, share in found.items()}
    sums[key(ALPHA, fold, about, _THINGS)] = 1.0
    for first, second in combinations(sorted(votes), 2):
        sums[key(KAPPA, fold, about, first, second, votes[first], votes[second])] = 1.0
    return sums


def alphas(tally: Tally) -> dict[str, Reading | Undefined]:
    """By scale, alpha with a jackknife interval; n is the things with two votes or more."""
    found: dict[str, Reading | Undefined] = {}
    for (about,), folds in _by_prefix(tally, ALPHA, 1).items():
        things = math.fsum(sums.get((_THINGS,), 0.0) for sums in folds.values())
        found[about] = jackknife(folds, _alpha_of, things, SIGNED)
    return found


def kappas(tally: Tally) -> dict[tuple[str, str, str], Reading | Undefined]:
    """By scale and two raters in alphabetical order, their kappa; n is the things both judged."""
    found: dict[tuple[str, str, str], Reading | Undefined] = {}
    for (about, first, second), folds in _by_prefix(tally, KAPPA, 3).items():
        things = math.fsum(count for sums in folds.values() for count in sums.values())
        found[about, first, second] = jackknife(folds, _kappa, things, SIGNED)
    return found


def _by_prefix(tally: Tally, metric: str, depth: int) -> dict[Parts, dict[str, dict[Parts, float]]]:
    """Sums by the first parts after the fold, then by fold, then by what is left of the key.

    What sums to nothing, because it was taken back, is as if it had never been.
    """
    found: dict[Parts, dict[str, dict[Parts, float]]] = {}
    for fold, sums in sorted(by_fold(within(tally, metric)).items()):
        for parts, value in sums.items():
            if abs(value) > _TAKEN_BACK:
                folds = found.setdefault(parts[:depth], {})
                folds.setdefault(fold, {})[parts[depth:]] = value
    return dict(sorted(found.items()))


def _alpha_of(sums: Sums) -> float | Undefined:
    return _alpha({parts: share for parts, share in sums.items() if len(parts) == 2})


def _coincidences(votes: Counter[str]) -> dict[Parts, float]:
    """Of one thing: ordered pairs of votes of different raters, over the raters but one."""
    raters = votes.total()
    if raters < 2:
        return {}
    same = {(vote, vote): count * (count - 1) for vote, count in votes.items() if count > 1}
    other = {(one, two): votes[one] * votes[two] for one, two in permutations(votes, 2)}
    return {pair: count / (raters - 1) for pair, count in (same | other).items()}


def _alpha(coincidences: Sums) -> float | Undefined:
    totals = _margin(coincidences, 0)
    n = math.fsum(totals.values())
    if n <= _EXACT:
        return Undefined("nothing was judged by two people")
    apart = math.fsum(share for pair, share in coincidences.items() if pair[0] != pair[1])
    by_chance = n * n - math.fsum(total * total for total in totals.values())
    if by_chance <= _EXACT * n * n:
        return Undefined("all votes are the same: chance alone would agree as well")
    return 1.0 - (n - 1.0) * apart / by_chance


def _kappa(counts: Sums) -> float | Undefined:
    n = math.fsum(counts.values())
    if n <= _EXACT:
        return Undefined("nothing was judged by both")
    first, second = _margin(counts, 0), _margin(counts, 1)
    by_chance = math.fsum(share * second.get(vote, 0.0) for vote, share in first.items()) / n / n
    if by_chance >= 1.0 - _EXACT:
        return Undefined("both always vote the same: chance alone would agree as well")
    alike = math.fsum(count for pair, count in counts.items() if pair[0] == pair[1]) / n
    return (alike - by_chance) / (1.0 - by_chance)


def _margin(sums: Sums, place: int) -> dict[str, float]:
    return merged({pair[place]: share} for pair, share in sums.items())
