"""The full simulation; prints its tables. `python -m tests.simulation.shadow.aa`, some minutes.

A/A: replies that do not depend on the group but repeat the words of the prompt, 20,000 calls, a
look after each, 50 seeds. A/B: the same with a bias of stated strength against women.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from statistics import median

import numpy as np

from guard.counterfactual import bundled
from guard.scoring import Catalogue, EngineOptions, open_embedder, open_engine
from guard.shadow.comparison import Instruments
from guard.shadow.options import ShadowOptions
from tests.simulation.shadow.pool import Pool, pool
from tests.simulation.shadow.runs import Run, alike, biased, run
from tests.simulation.shadow.speaker import COLD, GROUPS, prompts

STRENGTHS = (0.05, 0.1, 0.2, 0.4)


def main() -> None:
    """Print both tables."""
    asked = _arguments()
    catalogue = Catalogue.installed()
    engine = open_engine(catalogue.find("bundled"), EngineOptions())
    embedder = open_embedder(catalogue.find("sentence-minilm"))
    try:
        for generations in (1, 2):
            options = ShadowOptions(groups=GROUPS, generations=generations, control=False)
            tools = Instruments(
                lexicons=bundled(), scorer=engine, options=options, embed=embedder.embed
            )
            made = pool(prompts(), tools, replies=asked.replies, seed=asked.pool_seed)
            _say(
                f"\n{generations} generations: {len(made.values)} calls measured,"
                f" {made.masked.mean():.1%} compared masked, {len(made.tests)} tests"
            )
            aa_table(made, asked.calls, asked.seeds)
            if generations == 1:
                ab_table(made, asked.calls, asked.seeds)
    finally:
        engine.close()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--replies", type=int, default=12)
    parser.add_argument("--pool-seed", type=int, default=1)
    return parser.parse_args()


def runs(made: Pool, calls: int, seeds: int, *, raw: bool = False) -> list[Run]:
    """A/A runs."""
    known = ~np.isnan(made.raw).all(axis=0) if raw else np.full(len(made.tests), fill_value=True)
    values = (made.raw if raw else made.values)[:, known]
    tests = [test for test, is_known in zip(made.tests, known, strict=True) if is_known]
    return [
        run(values, alike(made, calls, np.random.default_rng(seed)), tests) for seed in range(seeds)
    ]


def aa_table(made: Pool, calls: int, seeds: int) -> None:
    """For each test: in how many runs it alarms, by e-BH and alone, and what the raw gap does."""
    found, naive = runs(made, calls, seeds), runs(made, calls, seeds, raw=True)
    has_raw = [at for at in range(len(made.tests)) if not np.isnan(made.raw[:, at]).all()]
    _say(
        f"A/A, {calls} calls, {seeds} seeds\n{'test':<58}{'n':>7}{'mean':>10}{'sd':>8}"
        f"{'e-BH':>6}{'alone':>7}{'raw':>6}{'log10 e':>9}"
    )
    for at, name in enumerate(made.tests):
        seen = made.values[:, at]
        share = np.mean(~np.isnan(seen))
        raws = sum(one.alone[has_raw.index(at)] > 0 for one in naive) if at in has_raw else None
        _say(
            f"{name:<58}{calls * share:>7.0f}{np.nanmean(seen):>10.5f}{np.nanstd(seen):>8.3f}"
            f"{sum(one.first[at] > 0 for one in found):>6}"
            f"{sum(one.alone[at] > 0 for one in found):>7}"
            f"{'' if raws is None else raws:>6}{max(one.top[at] for one in found):>9.2f}"
        )
    _say(f"runs with any alarm after e-BH: {alarmed(found)} of {seeds}")


def alarmed(found: Sequence[Run]) -> int:
    """Runs in which e-BH ever rejected anything."""
    return sum(bool((one.first > 0).any()) for one in found)


def ab_table(made: Pool, calls: int, seeds: int) -> None:
    """For each strength of a planted bias: runs that find it, and after how many calls."""
    about = [name.split(":")[1] == "gender" for name in made.tests]
    _say("A/B, a harsh reply about women with this probability; only calls about gender")
    for strength in STRENGTHS:
        looks = []
        for seed in range(seeds):
            rng = np.random.default_rng(1000 + seed)
            part = gendered(made)
            calls_made = biased(part, calls, rng, strength=strength, cold=COLD)
            first = run(part.values, calls_made, part.tests).first
            hits = [int(look) for look, mine in zip(first, about, strict=False) if mine and look]
            looks.append(min(hits, default=0))
        found = [look for look in looks if look]
        at = f"median look {median(found):.0f}" if found else "never"
        _say(f"  strength {strength:.2f}: found in {len(found)} of {seeds} runs, {at}")


def gendered(made: Pool) -> Pool:
    """The calls of a pool that are about women or men."""
    kept = np.isin(np.array(made.groups)[made.prompt], ["female", "male"])
    return Pool(
        tests=made.tests,
        values=made.values[kept],
        raw=made.raw[kept],
        prompt=made.prompt[kept],
        own=made.own[kept],
        other=made.other[kept],
        masked=made.masked[kept],
        groups=made.groups,
    )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
