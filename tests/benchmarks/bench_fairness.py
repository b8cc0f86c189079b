"""What do the fairness metrics cost? CPU time of LangFair 0.8 over ours, and of one live event.

Both sides measure the same 200 pairs of 120 words with the same word lists, tokenising included.
LangFair tokenises for each metric anew. Ours tokenises once and shares the words, and the whole
cost of it is added to each of our metrics. The other side runs in an environment of its own:

    python -m venv .venv-langfair
    .venv-langfair/bin/pip install "numpy==1.26.4" "pyarrow<22" nltk "rich==13.8.0" rouge-score
    .venv-langfair/bin/pip install --no-deps langfair==0.8.0

and needs the NLTK data punkt_tab and stopwords (`NLTK_DATA`), which lie inside the wheel of
llama-index-core under _static/nltk_cache.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from guard.fairness import (
    ClassifiedCase,
    CooccurrenceBias,
    Ended,
    Ending,
    Fraction,
    Likeness,
    Metric,
    Parity,
    Rate,
    RefusalDifference,
    RollingWindow,
    Said,
    Sides,
    Similarity,
    StereotypicalAssociations,
    StrictParity,
    Unawareness,
    WeakParity,
    add,
    cbleu,
    langfair,
    rouge_l,
)
from guard.fairness.words import words
from other_side import OtherSide
from paired import heading, ratio, row
from texts import ADJECTIVES, NOUNS
from texts import words as prose

PAIRS, WORDS = 200, 120
GOALS = {"ROUGE-L": 40.0, "BLEU": 8.0, "COBS": 15.0, "SA": 20.0}
EVENT_GOAL_MICROSECONDS = 100.0
GROUPS = {
    "male": ["he", "son", "his", "him", "father", "man", "boy", "himself", "male", "brother"],
    "female": ["she", "daughter", "hers", "her", "mother", "woman", "girl", "herself", "female"],
}
TARGETS = [*ADJECTIVES, *NOUNS]
STOP_WORDS = ["the", "this", "that", "our", "each", "and", "while", "because", "so", "but"]
Pair = list[str]


def pairs(rng: random.Random) -> list[Pair]:
    """Texts about a man and the same about a woman, a tenth of their words different."""
    return [[_text(rng, group, base) for group in GROUPS] for base in _bases(rng)]


def _bases(rng: random.Random) -> list[list[str]]:
    source = prose(rng)
    return [[next(source) for _ in range(WORDS)] for _ in range(PAIRS)]


def _text(rng: random.Random, group: str, base: list[str]) -> str:
    own = [rng.choice(NOUNS) if rng.random() < 0.1 else word for word in base]
    for place in range(5, len(own), 12):
        own[place] = GROUPS[group][place % len(GROUPS[group])]
    return " ".join(own)


class Theirs(OtherSide):
    """A process that says how much CPU time each metric took it."""

    def __init__(self, python: str) -> None:
        super().__init__(python, "fairness_theirs.py")
        self.tell({"groups": GROUPS, "words": TARGETS})

    def seconds(self, texts: list[Pair]) -> dict[str, float]:
        """Measure the texts."""
        return dict(self.ask(texts))


def ours(texts: list[Pair]) -> dict[str, float]:
    """The CPU seconds of each metric, each with the whole of the tokenising that all share."""
    tokens: list[list[list[str]]] = []
    shared = timed(lambda: tokens.extend([[words(text) for text in pair] for pair in texts]))
    flat = [side for pair in tokens for side in pair]
    return {
        "ROUGE-L": shared + timed(lambda: [rouge_l(a, b) for a, b in tokens]),
        "BLEU": shared + timed(lambda: [cbleu(a, b) for a, b in tokens]),
        "COBS": shared
        + timed(
            lambda: CooccurrenceBias(words=TARGETS, groups=GROUPS, stop_words=STOP_WORDS).of(flat)
        ),
        "SA": shared
        + timed(lambda: StereotypicalAssociations(words=TARGETS, groups=GROUPS).of(flat)),
        "ROUGE-L, their tokens": timed(lambda: [langfair.rouge_l(a, b) for a, b in texts]),
        "BLEU, their tokens": timed(lambda: [langfair.bleu(a, b) for a, b in texts]),
    }


def timed(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def live_events(text: str) -> dict[str, tuple[tuple[Metric[Any], Any], ...]]:
    """What is tallied for one call on the request path, and what is for one shadow job."""
    say = Said(conversation="c", response=text)
    both = Sides(conversation="c", first=[0.2], second=[0.3])
    like = Likeness(between=[0.8], control=[0.9])
    two, answered = ("a", "b"), Ended(group="a", ending=Ending.ANSWERED)
    prompt = " ".join(text.split()[:30])
    categories = ("gender", "race", "religion", "profession")
    return {
        "request path, without the prompt's words": (
            (Fraction(name="toxicity"), 0.1),
            *((Fraction(name=f"stereotype.{c}"), 0.2) for c in categories),
            (RefusalDifference(name="refusal", between=two), answered),
            *(
                (Parity(name=r, rate=r, between=two), ClassifiedCase(group="a", predicted=1))
                for r in Rate
            ),
        ),
        "mentions in a prompt of 30 words": (
            (Unawareness(name="ftu", lexicon=[w for g in GROUPS.values() for w in g]), prompt),
        ),
        "a shadow pair, scores given": (
            (StrictParity(name="scsp"), both),
            (WeakParity(name="wcsp"), both),
            *((Similarity(name=name), like) for name in ("rouge_l", "cbleu", "cosine")),
        ),
        "co-occurrence, off the path, 120 words": (
            (CooccurrenceBias(name="cobs", words=TARGETS, groups=GROUPS), say),
            (StereotypicalAssociations(name="sa", words=TARGETS, groups=GROUPS), say),
        ),
    }


def microseconds(event: tuple[tuple[Metric[Any], Any], ...], times: int = 2000) -> float:
    def tallied() -> None:
        for _ in range(times):
            for metric, observation in event:
                metric.tally(observation)

    timed(tallied)
    return min(timed(tallied) for _ in range(3)) / times * 1e6


def read_seconds(events: int) -> float:
    """Reading a window of 24 h that so many events fell into: buckets are sums, however many."""
    metric, window = Fraction(name="toxicity"), RollingWindow()
    each = max(1, events // window.buckets)
    buckets = {
        n: {k: v * each for k, v in metric.tally(0.9).items()} for n in range(window.buckets)
    }
    now = window.buckets * window.bucket_seconds - 1
    read = partial(add, *(buckets.get(n, {}) for n in window.span(now)))
    return timed(lambda: [metric.estimate(read()) for _ in range(20)]) / 20


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--langfair-python", help="an interpreter with LangFair 0.8")
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def compared(python: str, rounds: int) -> bool:
    """Print the ratios; whether all goals are met."""
    rng, theirs = random.Random(0), Theirs(python)
    rows = [one_round(theirs, pairs(rng), first=number % 2) for number in range(rounds + 1)][1:]
    theirs.close()
    met = True
    for name in rows[0][1]:
        goal = GOALS.get(name)
        seen = ratio([one[name.split(",")[0]] for one, _ in rows], [one[name] for _, one in rows])
        fine = None if goal is None else seen.value >= goal
        met &= fine is not False
        row(f"{name}: theirs / ours", seen, "" if goal is None else f">= {goal:g}", met=fine)
    return met


def one_round(
    theirs: Theirs, texts: list[Pair], *, first: int
) -> tuple[dict[str, float], dict[str, float]]:
    """What both sides take for the same texts; every other round runs in reverse order."""
    if first:
        return theirs.seconds(texts), ours(texts)
    mine = ours(texts)
    return theirs.seconds(texts), mine


def main() -> None:
    options = arguments()
    heading(f"Fairness metrics, {PAIRS} pairs of {WORDS} words, CPU time")
    met = compared(options.langfair_python, options.rounds) if options.langfair_python else True
    text = pairs(random.Random(1))[0][0]
    for name, event in live_events(text).items():
        cost = microseconds(event)
        goal = "" if "off the path" in name else f"<= {EVENT_GOAL_MICROSECONDS:g}"
        fine = cost <= EVENT_GOAL_MICROSECONDS if goal else None
        met &= fine is not False
        row(name, f"{cost:.1f} microseconds", goal, met=fine)
    few, many = read_seconds(10_000), read_seconds(10_000_000)
    row(
        "reading a 24 h window, 10,000 / 10,000,000 events",
        f"{few * 1e3:.2f} / {many * 1e3:.2f} ms",
    )
    sys.exit(not met)


if __name__ == "__main__":
    main()
