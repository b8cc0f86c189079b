"""Evidence against symmetry: an e-process for differences whose sign is a fair coin.

The null hypothesis is that the replies of both sides are exchangeable once they are brought to the
same group. Then the signed difference d of one call is symmetric about 0, given the past and its
own size |d|: it is as likely to be +|d| as -|d|. For every real lambda

    E[exp(lambda d) / cosh(lambda d)] = 1,

so that exp(lambda S - sum ln cosh(lambda d)), S = sum d, is a martingale that begins at 1, and so
are all means of such with weights that are fixed beforehand (de la Pena 1999, where the larger
lambda^2 d^2 / 2 stands for ln cosh(lambda d)). Here:

- three quarters: the mean over both signs of the `SLOPES`, which bets on large differences more
  than on small ones;
- one quarter: a bet on the sign alone, the likelihood of the signs averaged over a chance drawn
  from Beta(1/2, 1/2), against 1/2. A few calls with wild differences do not drown it. Differences
  below `SLIGHT` count as none in it, or rounding would have a sign.

No bound on d is needed and no variance is estimated. All of it is a function of sums, so it merges
over processes and in any order. Docs: decision 19 compares it with others.

It is valid (Ville: it ever reaches 1/alpha with a chance of at most alpha) under these conditions.
Each is kept where the difference is made (see `group_tests` and `live`):

1. one difference of each call, seen from one side that was chosen without looking at replies;
2. both sides made by the same path, the live reply left out, as many replies on either side: the
   mean of two replies minus one reply is not symmetric when scores are skewed;
3. what is compared treats the sides alike, and swapping them only turns the sign;
4. sampling, delays and losses do not depend on which side was worse.

It has no tolerance inside: d - b is not symmetric. For a stated tolerance, and for the confidence
sequence of the mean, which need the mean to be null and nothing else, `evidence` has e-processes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, log1p

from guard.fairness.evidence import MeanSums, log_sum_exp, mean_evidence
from guard.fairness.student import log_beta
from guard.fairness.tally import SIGNED, Tally, key, moments, numbers, recalled

SLOPES = (0.0625, 0.25, 1.0, 2.0, 4.0, 8.0, 16.0)
"""The values of lambda. The best one is about mean/variance of what is to be found; the smallest
are for slight differences in much noise, which take thousands of calls in any case."""
ON_SIGN = 0.25
"""The part of the evidence that bets on the sign alone."""
_LOG_COSH = tuple(f"cosh_{slope:g}" for slope in SLOPES)
"""The fields of their sums."""
SLIGHT = 0.01
"""Smaller differences have no sign."""
_LN2 = log(2.0)
_LN10 = log(10.0)
_HALF = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SymmetricSums:
    """Sums over differences in [-1, 1].

    mean: how many, their sum and the sum of squares. positive, negative: how many have this sign
    and are not slight. log_cosh: for each slope the sum of ln cosh(slope * d).
    """

    mean: MeanSums
    positive: float
    negative: float
    log_cosh: tuple[float, ...]


def log_symmetric_e(sums: SymmetricSums) -> float:
    """ln of the e-value against symmetry about 0; 0 without data."""
    on_size = log(1.0 - ON_SIGN) + log_size_e(sums)
    return log_sum_exp((on_size, log(ON_SIGN) + log_sign_e(sums)))


def log_size_e(sums: SymmetricSums) -> float:
    """The part that bets on sizes."""
    slopes = (*SLOPES, *(-slope for slope in SLOPES))
    sizes = (*sums.log_cosh, *sums.log_cosh)
    bets = [slope * sums.mean.total - size for slope, size in zip(slopes, sizes, strict=True)]
    return log_sum_exp(bets) - log(len(bets))


def log_sign_e(sums: SymmetricSums) -> float:
    """The part that bets on signs."""
    signs = sums.positive + sums.negative
    mixture = log_beta(sums.positive + _HALF, sums.negative + _HALF) - log_beta(_HALF, _HALF)
    return mixture + signs * _LN2


@dataclass(frozen=True, slots=True, kw_only=True)
class SymmetricTest:
    """Whether differences in [-1, 1] lean to one side; with a tolerance, beyond it.

    Without a tolerance the evidence is against symmetry, with one it is against a mean within it.
    """

    name: str
    tolerance: float = 0.0

    def tally(self, difference: float | None, /) -> Tally:
        """The sums of one call; what has no difference is counted apart."""
        known = numbers((difference,), SIGNED)
        if not known:
            return {key(self.name, "unscored"): 1.0}
        (value,) = known
        signs = {"positive": float(value >= SLIGHT), "negative": float(value <= -SLIGHT)}
        sizes = (log_cosh(slope * value) for slope in SLOPES)
        cosh_sums = dict(zip(_LOG_COSH, sizes, strict=True))
        apart = {key(self.name, field): one for field, one in {**signs, **cosh_sums}.items()}
        return {
            name: one for name, one in {**moments(value, self.name), **apart}.items() if one != 0.0
        }

    def sums(self, tally: Tally) -> SymmetricSums:
        """What the e-process needs, out of a sum of tallies."""
        n, total, squares = recalled(tally, self.name)
        positive, negative = (
            tally.get(key(self.name, field), 0.0) for field in ("positive", "negative")
        )
        return SymmetricSums(
            mean=MeanSums(n=n, total=total, squares=squares),
            positive=positive,
            negative=negative,
            log_cosh=tuple(tally.get(key(self.name, field), 0.0) for field in _LOG_COSH),
        )

    def log10_e(self, tally: Tally) -> float:
        """log10 of the evidence so far; 0 without data."""
        return self.evidence(self.sums(tally))

    def evidence(self, sums: SymmetricSums) -> float:
        """log10 of the evidence in these sums; 0 without data."""
        if self.tolerance > 0.0:
            return mean_evidence(sums.mean, tolerance=self.tolerance)
        return log_symmetric_e(sums) / _LN10


def log_cosh(x: float) -> float:
    """ln cosh(x), without overflow."""
    size = abs(x)
    return size + log1p(exp(-2.0 * size)) - _LN2
