"""The bare ONNX Runtime session: the model and nothing around it, as fast as it can be fed."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from guard.scoring import Model
from guard.scoring.vocabulary import Vocabulary, open_vocabulary

if TYPE_CHECKING:
    import onnxruntime as ort
else:
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # else its import starts a thread
    ort = import_module("onnxruntime")

Batch = dict[str, np.ndarray]
BUDGETS = (256, 512, 1024, 2048, 4096)


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """How the session is run. threads: that many `run` calls at once."""

    threads: int
    intra: int
    spinning: bool
    budget_tokens: int

    def __str__(self) -> str:
        spinning = " spinning" if self.spinning else ""
        return f"{self.threads} x {self.intra} threads{spinning}, {self.budget_tokens} tokens a run"


def session(model: Path, *, intra: int, spinning: bool) -> ort.InferenceSession:
    """A session with every graph optimisation."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = intra
    options.inter_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.add_session_config_entry("session.intra_op.allow_spinning", str(int(spinning)))
    return ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def batch(opened: ort.InferenceSession, ids: np.ndarray) -> Batch:
    """What the session takes for these token ids, none of which is padding."""
    made = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    return {one.name: made.get(one.name, np.zeros_like(ids)) for one in opened.get_inputs()}


def vocabulary(model: Model) -> Vocabulary:
    """The tokenizer of the model, and how it cuts texts into windows."""
    return open_vocabulary(
        (model.folder / "tokenizer.json").read_bytes(),
        window=model.manifest.window_tokens,
        overlap=model.manifest.overlap_tokens,
        name=model.manifest.name,
    )


def rows(words: Vocabulary, texts: Iterable[str]) -> list[list[int]]:
    """What the model has to read for these texts: token ids, window by window."""
    return [
        [*words.before, *window.ids, *words.after]
        for text in texts
        for window in words.windows(text)
    ]


def packed(unsorted: Sequence[list[int]], budget_tokens: int) -> list[np.ndarray]:
    """The rows in batches of equal length and as many tokens, without any padding.

    They are sorted by length; within a batch all are given the mean length, so that the number
    of tokens stays and no place is wasted. No real traffic can be packed as well.
    """
    sorted_rows = sorted(unsorted, key=len)
    return [
        np.array(equalised(group), dtype=np.int64) for group in groups(sorted_rows, budget_tokens)
    ]


def groups(sorted_rows: Sequence[list[int]], budget_tokens: int) -> Iterator[list[list[int]]]:
    """Neighbours, as many as fit the budget."""
    group: list[list[int]] = []
    for row in sorted_rows:
        if group and (len(group) + 1) * len(row) > budget_tokens:
            yield group
            group = []
        group.append(row)
    yield group


def equalised(group: list[list[int]]) -> list[list[int]]:
    """All tokens of the rows, in rows of the mean length."""
    length = round(sum(map(len, group)) / len(group))
    stream = itertools.cycle(itertools.chain.from_iterable(group))
    return [list(itertools.islice(stream, length)) for _ in group]


class Bare:
    """The session in its best configuration for this machine and these texts."""

    def __init__(self, model: Model, sample: Sequence[str]) -> None:
        self._model = model.folder / "model.onnx"
        self._words = vocabulary(model)
        found = {one: self._tried(one, rows(self._words, sample)) for one in configurations()}
        self.configuration = max(found, key=lambda one: found[one])
        self._session = self._open(self.configuration)

    def tokens(self, texts: Iterable[str]) -> int:
        """How many the model has to read."""
        return sum(map(len, rows(self._words, texts)))

    def tokens_per_second(self, texts: Sequence[str]) -> float:
        """Feed all texts, tokenized and packed beforehand."""
        return measured(self._session, self.configuration, rows(self._words, texts))

    def _tried(self, one: Configuration, sample: Sequence[list[int]]) -> float:
        opened = self._open(one)
        return max(measured(opened, one, sample) for _ in range(3))

    def _open(self, one: Configuration) -> ort.InferenceSession:
        return session(self._model, intra=one.intra, spinning=one.spinning)


def measured(opened: ort.InferenceSession, one: Configuration, given: Sequence[list[int]]) -> float:
    """Tokens a second; the packing is not timed."""
    batches = packed(given, one.budget_tokens)
    seconds = feed(opened, [batch(opened, ids) for ids in reversed(batches)], one.threads)
    return sum(ids.size for ids in batches) / seconds


def configurations() -> list[Configuration]:
    """Those worth trying: all cores on one run, and one core for each of several runs."""
    cores = len(os.sched_getaffinity(0))
    shapes = {(1, cores, False), (1, cores, True), (cores, 1, False)}
    return [
        Configuration(threads=threads, intra=intra, spinning=spinning, budget_tokens=budget)
        for threads, intra, spinning in sorted(shapes)
        for budget in BUDGETS
    ]


def feed(opened: ort.InferenceSession, batches: Sequence[Batch], threads: int) -> float:
    """The seconds that `threads` callers need for all batches."""
    waiting = iter(batches)
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                taken = next(waiting, None)
            if taken is None:
                return
            opened.run(None, taken)

    workers = [threading.Thread(target=work) for _ in range(threads)]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return time.perf_counter() - start
