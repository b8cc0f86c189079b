"""Whether a text scores higher only because it is longer, and whether length hides a sentence."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from evaluate.suites.benign import ANSWERS, answer_cases, mention_cases
from evaluate.suites.decide import fires, scored
from evaluate.suites.functional import functional_cases
from evaluate.suites.records import TOXICITY, Document, Reading, Scorer, Thresholds
from evaluate.suites.statistics import bootstrap_difference, bootstrap_mean, wilson

WORDS = (10, 50, 200, 1000)
PER_LENGTH = 40
SLACK = 0.12
ROUNDS = 1000
PLAIN = (
    "cooking", "programming", "travel", "finance", "science", "education", "customer service",
    "sports", "gardening", "technology", "environment", "daily life",
)  # fmt: skip
HIDDEN = ("insult without a group", "derogation explicit", "threat direct", "dehumanisation")


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthRow:
    """One length. score: mean toxicity of the benign texts. fired: the share of them flagged.

    found: the share flagged of the same texts with a toxic sentence hidden in them.
    """

    words: int
    score: Reading
    fired: Reading
    found: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """All lengths, and the mean score of the longest benign texts less that of the shortest."""

    rows: tuple[LengthRow, ...]
    growth: Reading


def passages() -> list[str]:
    """Harmless passages from which longer texts are put together."""
    plain = {f"{ANSWERS}: {domain}" for domain in PLAIN}
    answers = [case.text for case in answer_cases() if case.family in plain]
    return [*answers, *(case.text for case in mention_cases() if case.family.endswith("written"))]


def put_together(words: int, pool: Sequence[str], rng: random.Random) -> list[str]:
    """Distinct passages of about so many words in all; none where chance does not find them."""
    chosen: list[str] = []
    length = 0
    for passage in rng.sample(list(pool), len(pool)):
        more = length + len(passage.split())
        if more <= words * (1 + SLACK):
            chosen, length = [*chosen, passage], more
        if length >= words * (1 - SLACK):
            return chosen
    return []


def hide(sentence: str, parts: Sequence[str], turn: int) -> list[str]:
    """The sentence at the start, in the middle or at the end."""
    place = (0, len(parts) // 2, len(parts))[turn % 3]
    return [*parts[:place], sentence, *parts[place:]]


def distinct_parts(words: int) -> list[list[str]]:
    rng, pool = random.Random(f"length {words}"), passages()
    found: dict[str, list[str]] = {}
    for _ in range(20 * PER_LENGTH):
        parts = put_together(words, pool, rng)
        if parts:
            found["\n\n".join(parts)] = parts
        if len(found) == PER_LENGTH:
            return list(found.values())
    raise ValueError(f"the passages do not make {PER_LENGTH} texts of {words} words")


def toxic_sentences() -> list[str]:
    texts = [case.text for case in functional_cases() if case.family in HIDDEN]
    return random.Random("hidden").sample(texts, len(texts))


@cache
def documents() -> tuple[Document, ...]:
    """Per length: the benign texts, then the same with a toxic sentence in each."""
    hidden = toxic_sentences()
    found: list[Document] = []
    for words in WORDS:
        by_parts = distinct_parts(words)
        found += [Document(text="\n\n".join(p), words=words, toxic=False) for p in by_parts]
        for turn, parts in enumerate(by_parts):
            text = "\n\n".join(hide(hidden[turn], parts, turn))
            found.append(Document(text=text, words=words, toxic=True))
    return tuple(found)


def required(reading: Reading | None) -> Reading:
    if reading is None:
        raise ValueError("each length needs benign and toxic texts")
    return reading


def measure_length(
    score: Scorer, thresholds: Thresholds, texts: Sequence[Document] | None = None
) -> Lengths:
    """Score, false positives and finds by length."""
    given = documents() if texts is None else texts
    scores = scored(score, [document.text for document in given])
    values: dict[tuple[int, bool], list[float]] = {}
    decided: dict[tuple[int, bool], list[bool]] = {}
    for document, got in zip(given, scores, strict=True):
        key = document.words, document.toxic
        values.setdefault(key, []).append(got[TOXICITY])
        decided.setdefault(key, []).append(fires(got, TOXICITY, thresholds))
    lengths = sorted({document.words for document in given})
    rows = [
        LengthRow(
            words=words,
            score=required(bootstrap_mean(values[words, False], rounds=ROUNDS, seed=0)),
            fired=required(wilson(sum(decided[words, False]), len(decided[words, False]))),
            found=required(wilson(sum(decided[words, True]), len(decided[words, True]))),
        )
        for words in lengths
    ]
    shortest, longest = values[lengths[0], False], values[lengths[-1], False]
    growth = required(bootstrap_difference(shortest, longest, rounds=ROUNDS, seed=0))
    return Lengths(rows=tuple(rows), growth=growth)
