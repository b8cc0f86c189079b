"""`python -m evaluate.looks --data DATA --second-look NAME`: what second looks cost on traffic.

Recorded answers of language models go through guards under the built-in rules, in turn: one with
the fast classifier alone, one with second looks, and one with another fast classifier where one is
given. What is compared is the processor time of the whole process, in parts of the same answers.
"""

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from evaluate.guarded import USE_CASE, settings_for
from evaluate.metrics import RESAMPLES
from evaluate.table import markdown
from export.quantise import Floats
from export.texts import first_by_hash
from guard import Guard
from train.rows import read_jsonl

PART = 25


def answers(data: Path, count: int) -> list[str]:
    texts = {record["response"] for record in read_jsonl(data / "replay" / "traffic.jsonl.gz")}
    return first_by_hash(texts, count, "looks")


def seconds(guard: Guard, texts: Sequence[str], looks: Counter[str]) -> float:
    """Of all processors, for a part of the answers; what second looks came to is counted."""
    began = time.process_time()
    outcomes = [guard.check(text, use_case=USE_CASE) for text in texts]
    spent = time.process_time() - began
    looks.update(look.result.value for outcome in outcomes for look in outcome.second_looks)
    looks["answers with one"] += sum(bool(outcome.second_looks) for outcome in outcomes)
    return spent


def ratio(costs: Floats, base: Floats, seed: int = 0) -> str:
    """Of the sums, with a 95 % interval from resampling the parts."""
    places = np.random.default_rng(seed).integers(0, len(base), (RESAMPLES, len(base)))
    found = costs[places].sum(axis=1) / base[places].sum(axis=1)
    low, high = np.quantile(found, [0.025, 0.975])
    return f"{costs.sum() / base.sum():.3f} ({low:.3f}-{high:.3f})"


def measured(guards: dict[str, Guard], texts: Sequence[str]) -> str:
    """One line per guard; the first is what the others are compared with."""
    parts = [texts[at : at + PART] for at in range(0, len(texts), PART)]
    looks = {name: Counter[str]() for name in guards}
    costs: dict[str, list[float]] = {name: [] for name in guards}
    for number, part in enumerate(parts):
        names = list(guards) if number % 2 else list(reversed(guards))
        for name in names:
            costs[name].append(seconds(guards[name], part, looks[name]))
    base = np.array(next(iter(costs.values())))
    lines = [
        [name, len(texts), ratio(np.array(costs[name]), base), dict(looks[name])] for name in guards
    ]
    return markdown(["guard", "answers", "processor time, ratio (95 %)", "second looks"], lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="evaluate.looks", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the normalised files")
    parser.add_argument("--second-look", required=True, help="name of a model, or its folder")
    parser.add_argument("--before", help="another fast classifier, to compare with")
    parser.add_argument("--answers", type=int, default=2000)
    options = parser.parse_args()
    settings = {
        "before": settings_for(options.before or "bundled", "off"),
        "fast alone": settings_for("bundled", "off"),
        "with second looks": settings_for("bundled", options.second_look),
    }
    texts = answers(options.data, options.answers)
    with ExitStack() as opened:
        guards = {name: Guard.open(each) for name, each in settings.items()}
        for guard in guards.values():
            opened.callback(guard.close)
        print(measured(guards, texts))


if __name__ == "__main__":
    main()
