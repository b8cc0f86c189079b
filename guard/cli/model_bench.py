"""How fast a classifier is on this machine: alone, and against its own bare session."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice
from random import Random
from statistics import median
from typing import Final

from guard.scoring import Classifier, Engine, EngineOptions, Model, usable_cores
from guard.scoring.models import Ids, open_classifier, packed
from guard.scoring.vocabulary import TokenWindow, Vocabulary

BATCH_TOKENS: Final = 512
SHORT_TOKENS: Final = 64
SHORT_TEXTS: Final = 40

Batch = tuple[Ids, Ids]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What was measured; medians over the rounds.

    short_text_ms: from submit to result of a lone text of 64 tokens.
    """

    model: str
    workers: int
    tokens_per_second: float
    bare_tokens_per_second: float
    engine_to_bare: float
    short_text_ms: float

    def as_json(self) -> dict[str, object]:
        """For machines."""
        return {
            "model": self.model,
            "workers": self.workers,
            "tokens_per_second": round(self.tokens_per_second),
            "bare_tokens_per_second": round(self.bare_tokens_per_second),
            "engine_to_bare": round(self.engine_to_bare, 3),
            "short_text_ms": round(self.short_text_ms, 2),
        }

    def rows(self) -> Iterator[tuple[str, str]]:
        """For people."""
        yield "engine", f"{self.tokens_per_second:,.0f} tokens/s"
        yield "bare session, packed batches", f"{self.bare_tokens_per_second:,.0f} tokens/s"
        yield "engine to bare session", f"{self.engine_to_bare:.3f}"
        yield f"a lone text of {SHORT_TOKENS} tokens", f"{self.short_text_ms:.1f} ms"


def measured(model: Model, *, texts: int, rounds: int) -> Figures:
    """Time `model`, engine and bare session in turns. Raises ModelError if it cannot be used."""
    classifier = open_classifier(model, threads=1)
    workers = usable_cores()
    replies = list(islice(_replies(), texts))
    windows = [window for reply in replies for window in classifier.vocabulary.windows(reply)]
    batches = list(_batches(windows, classifier.vocabulary))
    options = EngineOptions(workers=workers, cache_bytes=0)
    with Engine(classifier, options) as engine, ThreadPoolExecutor(workers) as threads:
        sides = (
            lambda: _score_all(engine, replies),
            lambda: _run_all(classifier, batches, threads),
        )
        ours, bare = _in_turns(sides, rounds)
        short_ms = 1000 * median(_lone(engine, _short_texts(classifier.vocabulary)))
    tokens = sum(map(_length(classifier.vocabulary), windows))
    return Figures(
        model=f"{model.manifest.name} {model.manifest.version}",
        workers=workers,
        tokens_per_second=tokens / median(ours),
        bare_tokens_per_second=tokens / median(bare),
        engine_to_bare=median(b / o for o, b in zip(ours, bare, strict=True)),
        short_text_ms=short_ms,
    )


def _replies() -> Iterator[str]:
    """Harmless replies of three to six sentences, all different, as a support chat gives them."""
    random = Random(64)  # noqa: S311 - texts, no secrets
    sentences = files("guard.cli").joinpath("bench_sentences.txt").read_text("utf-8").splitlines()
    seen: set[str] = set()
    while True:
        reply = " ".join(random.sample(sentences, random.randint(3, 6)))
        if reply not in seen:
            seen.add(reply)
            yield reply


def _batches(windows: Sequence[TokenWindow], vocabulary: Vocabulary) -> Iterator[Batch]:
    """Windows of nearly equal length together, as many as fit."""
    length = _length(vocabulary)
    batch: list[TokenWindow] = []
    for window in sorted(windows, key=length):
        if batch and (len(batch) + 1) * length(window) > BATCH_TOKENS:
            yield packed(batch, vocabulary)
            batch = []
        batch.append(window)
    if batch:
        yield packed(batch, vocabulary)


def _length(vocabulary: Vocabulary) -> Callable[[TokenWindow], int]:
    special = len(vocabulary.before) + len(vocabulary.after)
    return lambda window: len(window.ids) + special


def _in_turns(sides: Sequence[Callable[[], None]], rounds: int) -> list[list[float]]:
    """Seconds of each side, the sides taking turns after one that does not count."""
    for side in sides:
        side()
    times = [[_seconds(side) for side in sides] for _ in range(rounds)]
    return [list(column) for column in zip(*times, strict=True)]


def _seconds(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _score_all(engine: Engine, texts: Sequence[str]) -> None:
    for future in [engine.submit(text) for text in texts]:
        future.result()


def _run_all(classifier: Classifier, batches: Sequence[Batch], threads: ThreadPoolExecutor) -> None:
    for future in [threads.submit(classifier.session, *batch) for batch in batches]:
        future.result()


def _lone(engine: Engine, texts: Sequence[str]) -> list[float]:
    return [_seconds(lambda text=text: _score_all(engine, [text])) for text in texts]  # type: ignore[misc]


def _short_texts(vocabulary: Vocabulary) -> list[str]:
    """Beginnings of exactly so many tokens, special ones included."""
    room = SHORT_TOKENS - len(vocabulary.before) - len(vocabulary.after)
    replies = _replies()
    long = (" ".join(islice(replies, 5)) for _ in range(SHORT_TEXTS))
    return [text[: vocabulary.encode(text).offsets[room - 1][1]] for text in long]
