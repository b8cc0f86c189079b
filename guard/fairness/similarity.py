"""How alike two replies are: ROUGE-L, BLEU and the cosine of their embeddings.

Bouchard (2024), arXiv 2407.10853, section 3.1.3: CROUGE-L, CBLEU and CCS are the means of these
over counterfactual pairs. Identical texts score 1 in every script and at every length. None says
that a difference is the group's doing: two replies to one and the same prompt differ as well, and
their similarity, the same-prompt control, belongs beside each of these.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from operator import mul

from guard.fairness.arguments import listed
from guard.fairness.words import Response, as_words, masked
from guard.records import Undefined

_ORDERS = 4


def rouge_l(a: Response, b: Response, *, protected: Collection[str] = ()) -> float:
    """How much of two texts is one common sequence of words: the F1 of ROUGE-L.

    r' = LCS / len(a), r'' = LCS / len(b), 2 r' r'' / (r' + r''). a, b: texts, or lists of words;
    `protected` words are masked in both first. In [0, 1]: 0, no word in common; 1, the same words
    in the same order. [LF 3.1.3]. Not for texts that may put the same content in other words.
    """
    first, second = _sides(a, b, protected)
    if not first or not second:
        return _without_words(a, b, first, second)
    return 2 * common_subsequence(first, second) / (len(first) + len(second))


def cbleu(
    a: Response, b: Response, *, protected: Collection[str] = (), epsilon: float = 0.0
) -> float:
    """How many runs of one to four words two texts share: the lower of BLEU(a, b), BLEU(b, a).

    BLEU = brevity penalty * geometric mean of the n-gram precisions, n = 1..min(4, len(a), len(b)).
    a, b, protected: as `rouge_l`. In [0, 1]: 0, some length of run is not shared at all, which is
    frequent between short texts; 1, the same words in the same order. `epsilon` stands for a count
    of no shared runs (0: the paper's). [LF 3.1.3]. Not for short texts, nor for free rewording.
    """
    if not 0 <= epsilon < 1:
        raise ValueError(f"epsilon {epsilon} is not in [0, 1)")
    first, second = _sides(a, b, protected)
    if not first or not second:
        return _without_words(a, b, first, second)
    orders = min(_ORDERS, len(first), len(second))
    shared = [shared_runs(first, second, n) or epsilon for n in range(1, orders + 1)]
    return min(_bleu(shared, len(first), len(second)), _bleu(shared, len(second), len(first)))


def cosine(u: Sequence[float], v: Sequence[float]) -> float | Undefined:
    """The cosine of the angle between two embeddings: CCS for one pair.

    u . v / (|u| |v|). u, v: (dimensions,). In [-1, 1]: 1, the same direction; 0, unrelated;
    undefined for a vector without length or with a NaN. [LF 3.1.3, all-MiniLM-L6-v2]. Not for
    finding a sentiment or a claim that differs: embeddings mostly see the topic.
    """
    first, second = ([*map(float, listed(side, name))] for side, name in ((u, "u"), (v, "v")))
    if len(first) != len(second):
        raise ValueError(f"v has {len(second)} dimensions, u has {len(first)}")
    one, other = _scaled(first), _scaled(second)
    if one is None or other is None:
        return Undefined("an embedding has no finite length above 0")
    lengths = math.sqrt(math.fsum(map(mul, one, one)) * math.fsum(map(mul, other, other)))
    return max(-1.0, min(1.0, math.fsum(map(mul, one, other)) / lengths))


def _scaled(vector: Sequence[float]) -> list[float] | None:
    """The vector with its largest number at 1, so that no square overflows or all vanish."""
    most = max(map(abs, vector), default=0.0)
    if not all(map(math.isfinite, vector)) or most <= 0:
        return None
    return [x / most for x in vector]


def common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """The length of the longest common subsequence.

    A row of the table is one integer, a bit for each place in a (Crochemore et al. 2001, Hyyro
    2004): len(b) additions on len(a) bits.
    """
    places: dict[str, int] = {}
    bit = 1
    for token in a:
        places[token] = places.get(token, 0) | bit
        bit <<= 1
    full = row = bit - 1
    for token in b:
        if here := row & places.get(token, 0):
            row = (row + here | row - here) & full
    return len(a) - row.bit_count()


def shared_runs(a: Sequence[str], b: Sequence[str], n: int) -> int:
    """How many runs of n words the texts share, each as often as in the text with fewer."""
    return (Counter(_runs(a, n)) & Counter(_runs(b, n))).total()


def _runs(tokens: Sequence[str], n: int) -> Iterable[object]:
    return tokens if n == 1 else zip(*(tokens[start:] for start in range(n)), strict=False)


def _bleu(shared: Sequence[float], length: int, reference: int) -> float:
    """BLEU of a text of this length, from the runs it shares with the reference."""
    if not all(shared):
        return 0.0
    logs = [math.log(count / (length - n)) for n, count in enumerate(shared)]
    penalty = min(0.0, 1 - reference / length)
    return math.exp(penalty + math.fsum(logs) / len(logs))


def _sides(
    a: Response, b: Response, protected: Collection[str]
) -> tuple[Sequence[str], Sequence[str]]:
    first, second = as_words(a), as_words(b)
    if protected:
        return masked(first, protected), masked(second, protected)
    return first, second


def _without_words(a: Response, b: Response, first: Sequence[str], second: Sequence[str]) -> float:
    """One side has no words: alike if the other has none either and nothing else differs."""
    if first or second:
        return 0.0
    texts = [" ".join(side.split()) if isinstance(side, str) else "" for side in (a, b)]
    return float(texts[0] == texts[1])
