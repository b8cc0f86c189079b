"""What an assessment costs: beside LangFair's AutoEval, and how much of it is inference.

Both sides assess the same prompts with the same canned replies: toxicity, stereotypes and, since
the prompts name a gender, counterfactual metrics. Models of the other side have the shapes of those
that AutoEval loads, with random weights; making the largest of them is not counted. AutoEval scores
the replies to the prompts as they are, and holds reply k about one group against reply k about the
other. Ours scores every reply of a pair too, a second time where it has to be brought to the same
group, holds each against each, and makes a same-prompt control beside it. The other side runs in an
environment of its own (`make bench-autoeval`), and its threads wait without spinning, as ours do.

The share of inference is the CPU time in which the classifier scores the texts alone over that of
an assessment of the same replies.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import closing
from tempfile import TemporaryDirectory

import guard
from guard.assessment.engines import PROMPTS_AHEAD
from guard.bootstrap import open_scorer
from guard.ports import Scorer
from guard.records import Assessment
from guard.scoring import Catalogue
from guard.settings import Settings
from other_side import OtherSide
from paired import heading, in_turns, ratio, row
from texts import HARSH
from texts import words as prose

GOALS = {"autoeval": 20.0, "inference": 0.9}
PEOPLE = ("She is a nurse", "He is a clerk", "My aunt is a pilot", "My brother is a cook")
WORDS = 40
M = 25
NO_SPINNING = {"OMP_WAIT_POLICY": "passive"}
"""Threads of torch that wait for one another do not count as work: on a machine that does other
work beside, two thirds of AutoEval's CPU time went into that."""


def prompts_of(count: int) -> list[str]:
    """Prompts about women and men."""
    people = itertools.cycle(PEOPLE)
    return [f"{next(people)} who has question number {n}. What do you say?" for n in range(count)]


def replies_of(count: int, seed: int) -> list[str]:
    """Replies of about 40 words, each of them once; one in twenty is rude."""
    rng = random.Random(seed)
    source = prose(rng)
    found = []
    for number in range(count):
        words = [f"{number}.", *itertools.islice(source, WORDS)]
        words[5:5] = ["he", "or", "she"]
        found.append(" ".join([*words, *HARSH] if rng.random() < 0.05 else words))
    return found


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def assess(prompts: Sequence[str], replies: Sequence[str], count: int) -> None:
    """An assessment in which every reply is made by a function."""
    turn = itertools.cycle(replies)
    guard.assess(
        prompts,
        call=lambda _: next(turn),
        m=count,
        generations=count,
        max_variants=1,
        attributes=["gender"],
    )


def beside_autoeval(options: argparse.Namespace) -> bool:
    """Print the ratio; whether the goal is met."""
    count, prompts = options.count, prompts_of(options.prompts)
    replies = replies_of(3 * count * len(prompts), 1)
    asked = {"prompts": prompts, "replies": replies, "count": count}
    heading(f"{len(prompts)} prompts, {count} replies to each and to its other side, CPU time")
    vocabulary = str(Catalogue.installed().find("bundled").folder / "tokenizer.json")
    with TemporaryDirectory() as folder:
        theirs = OtherSide(
            options.autoeval_python,
            "autoeval_theirs.py",
            vocabulary,
            folder,
            variables=NO_SPINNING,
        )
        seen = in_turns(
            [
                lambda: float(theirs.ask(asked)["cpu"]),
                lambda: cpu_seconds(lambda: assess(prompts, replies, count)),
            ],
            options.rounds,
        )
        theirs.close()
    found = ratio(*zip(*seen, strict=True))
    met = found.value >= GOALS["autoeval"]
    row("AutoEval / guard.assess", found, f">= {GOALS['autoeval']:g}", met=met)
    row("seconds of each, last round", " / ".join(f"{one:.1f}" for one in seen[-1]))
    return met


def inference_share(responses: int) -> bool:
    """Print how much of an assessment of given replies is scoring them; whether that is enough."""
    heading(f"{responses} replies that are given, CPU time")
    replies = replies_of(responses, 2)
    rows = [
        {"prompt": prompt, "responses": replies[at * M : at * M + M]}
        for at, prompt in enumerate(prompts_of(responses // M))
    ]
    with closing(open_scorer(Settings().scoring, pads=False, only_scores=True)) as scorer:
        scoring = cpu_seconds(lambda: score_all(scorer, replies))
    whole = cpu_seconds(lambda: guard.assess(rows, invariance=False))
    share = scoring / whole
    met = share >= GOALS["inference"]
    row("scoring alone / assessment", f"{share:.3f}", f">= {GOALS['inference']:g}", met=met)
    row("seconds of each", f"{scoring:.1f} / {whole:.1f}")
    return met


def score_all(scorer: Scorer, texts: Sequence[str]) -> None:
    """All texts, as many at once as an assessment has under way."""
    waiting: deque[Future[Assessment]] = deque()
    for text in texts:
        waiting.append(scorer.submit(text))
        if len(waiting) > PROMPTS_AHEAD * M:
            waiting.popleft().result()
    for one in waiting:
        one.result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--autoeval-python", help="an interpreter with LangFair and its models")
    parser.add_argument("--prompts", type=int, default=20)
    parser.add_argument("--count", type=int, default=5, help="replies to each prompt")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--responses", type=int, default=25_000)
    options = parser.parse_args()
    met = inference_share(options.responses) if options.responses else True
    if options.autoeval_python:
        met &= beside_autoeval(options)
    sys.exit(not met)


if __name__ == "__main__":
    main()
