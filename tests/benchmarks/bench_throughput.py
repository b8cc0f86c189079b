"""How much of the bare session's throughput reaches 32 concurrent callers?

Ours: 32 threads, or 32 asyncio tasks, each sends a text and waits for its scores. The texts are as
long as real answers are, distinct and benign. Bare: the ONNX Runtime session in its best
configuration, fed perfectly packed batches of what the model has to read for as many texts: the
same windows (a text longer than one is read with some overlap), tokenized and packed beforehand.
Both rates count the tokens the model has to read.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from bare import Bare
from guard.records import Assessment
from guard.scoring import Catalogue, Engine, open_engine
from paired import heading, in_turns, quantile, ratio, row
from texts import Texts, tokens_in

CALLERS = 32
GOAL = 0.95
HARSH_SHARE = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One text came back."""

    at: float
    text: str
    assessment: Assessment


class Ours:
    """The engine under concurrent callers."""

    def __init__(self, engine: Engine, tokens: Callable[[list[str]], int]) -> None:
        self._engine = engine
        self._tokens = tokens
        self.texts = self.second_passes = 0

    def by_threads(self, texts: list[str]) -> float:
        """Tokens a second, every caller a thread."""
        waiting, answers = iter(texts), list[Answer]()
        lock = threading.Lock()

        def caller() -> None:
            while True:
                with lock:
                    text = next(waiting, None)
                if text is None:
                    return
                assessment = self._engine.submit(text).result()
                answers.append(Answer(at=time.perf_counter(), text=text, assessment=assessment))

        callers = [threading.Thread(target=caller) for _ in range(CALLERS)]
        for one in callers:
            one.start()
        for one in callers:
            one.join()
        return self._rate(answers)

    def by_tasks(self, texts: list[str]) -> float:
        """Tokens a second, every caller a task of one event loop."""
        return self._rate(asyncio.run(self._tasks(texts)))

    async def _tasks(self, texts: list[str]) -> list[Answer]:
        waiting, answers = iter(texts), list[Answer]()

        async def caller() -> None:
            for text in waiting:
                assessment = await asyncio.wrap_future(self._engine.submit(text))
                answers.append(Answer(at=time.perf_counter(), text=text, assessment=assessment))

        await asyncio.gather(*(caller() for _ in range(CALLERS)))
        return answers

    def _rate(self, answers: list[Answer]) -> float:
        """Over the time in which all callers were waiting: not the first answers, nor the last."""
        if any(one.assessment.reason for one in answers):
            raise SystemExit("some texts were not scored")
        self.texts += len(answers)
        self.second_passes += sum(bool(one.assessment.passages) for one in answers)
        first, *steady = sorted(answers, key=lambda one: one.at)[CALLERS:-CALLERS]
        return self._tokens([one.text for one in steady]) / (steady[-1].at - first.at)


def measure(
    name: str, ours: Ours, bare: Bare, fresh: Callable[[], list[str]], rounds: int
) -> tuple[float, float]:
    """Compare threads and tasks with the bare session; print, and give the two ratios."""
    heading(f"Throughput of {CALLERS} concurrent callers: {name}")
    ours.texts = ours.second_passes = 0
    sides = (
        lambda: ours.by_threads(fresh()),
        lambda: bare.tokens_per_second(fresh()),
        lambda: ours.by_tasks(fresh()),
    )
    threads, session, tasks = zip(*in_turns(sides, rounds), strict=True)
    row("bare session", f"{quantile(session, 0.5):,.0f} tokens/s", str(bare.configuration))
    sample = fresh()
    read = bare.tokens(sample) / tokens_in(sample)
    row("tokens the model reads per token of text, overlap included", f"{read:.3f}")
    row("texts with a second pass", f"{ours.second_passes / ours.texts:.1%}")
    return ratio(threads, session), ratio(tasks, session)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--texts", type=int, default=400, help="per side and round")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    model = Catalogue.installed().find("bundled")
    texts = Texts(seed=32)
    bare = Bare(model, texts.mix(options.texts))
    with open_engine(model) as engine:
        ours = Ours(engine, bare.tokens)
        benign = measure("benign", ours, bare, lambda: texts.mix(options.texts), options.rounds)
        for name, found in zip(("threads", "asyncio tasks"), benign, strict=True):
            row(f"ours / bare, {name}", found, f">= {GOAL:g}", met=found.value >= GOAL)
        harsh = measure(
            "2 % of the texts hold an insult",
            ours,
            bare,
            lambda: texts.mix(options.texts, harsh_share=HARSH_SHARE),
            options.rounds,
        )
        for name, found in zip(("threads", "asyncio tasks"), harsh, strict=True):
            row(f"ours / bare, {name}", found)
    sys.exit(any(found.value < GOAL for found in benign))


if __name__ == "__main__":
    main()
