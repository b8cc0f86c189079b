"""Scores and vectors of texts, each made once: what scripted models say comes again and again."""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from guard.records import Assessment, Head
from guard.scoring import Catalogue, Engine, EngineOptions, open_embedder, open_engine


class KnownTexts:
    """What was made of texts, in a file that several processes may share; None keeps nothing."""

    def __init__(self, file: Path | None = None) -> None:
        self._known: dict[tuple[str, str], Any] = {}
        self._file = None if file is None else _opened(file)
        if self._file is not None:
            rows = self._file.execute("SELECT kind, text, made FROM texts")
            self._known = {(kind, text): pickle.loads(made) for kind, text, made in rows}

    def get(self, kind: str, text: str) -> Any:
        """What was made of a text, or None."""
        return self._known.get((kind, text))

    def put(self, kind: str, text: str, made: Any) -> None:
        """Keep it."""
        self._known[kind, text] = made
        if self._file is not None:
            row = (kind, text, pickle.dumps(made))
            self._file.execute("INSERT OR IGNORE INTO texts VALUES (?, ?, ?)", row)

    def save(self) -> None:
        """Put everything into the file."""
        if self._file is not None:
            self._file.commit()


def _opened(file: Path) -> sqlite3.Connection:
    opened = sqlite3.connect(file, timeout=60, check_same_thread=False)
    opened.execute("CREATE TABLE IF NOT EXISTS texts (kind, text, made, PRIMARY KEY (kind, text))")
    return opened


class KnownScorer:
    """The shipped classifier, which sees each text once."""

    def __init__(self, engine: Engine, known: KnownTexts) -> None:
        self._engine = engine
        self._known = known

    @property
    def heads(self) -> Mapping[str, Head]:
        return self._engine.heads

    @property
    def window_characters(self) -> int:
        return self._engine.window_characters

    def beside(self, options: EngineOptions) -> KnownScorer:
        """Another one with the same classifier: this one."""
        return self

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        """See `guard.ports.Scorer`."""
        found = self._known.get("score", text)
        if found is None:
            found = self._engine.submit(text).result()
            self._known.put("score", text, found)
        future: Future[Assessment] = Future()
        future.set_result(found)
        return future

    def close(self) -> None:
        """Close the classifier."""
        self._engine.close()


class KnownVectors:
    """The shipped embedder, which sees each text once."""

    def __init__(self, embed: Callable[[Sequence[str]], Any], known: KnownTexts) -> None:
        self._embed = embed
        self._known = known

    def __call__(self, texts: Sequence[str]) -> Iterable[Iterable[float]]:
        new = [text for text in texts if self._known.get("vector", text) is None]
        for text, vector in zip(new, self._embed(new) if new else (), strict=True):
            self._known.put("vector", text, vector.tolist())
        return [self._known.get("vector", text) for text in texts]


def open_scorer(known: KnownTexts) -> KnownScorer:
    """The shipped classifier."""
    options = EngineOptions(workers=1, cache_bytes=0)
    return KnownScorer(open_engine(Catalogue.installed().find("bundled"), options), known)


def open_vectors(known: KnownTexts) -> KnownVectors:
    """The shipped embedder."""
    return KnownVectors(open_embedder(Catalogue.installed().find("sentence-minilm")).embed, known)
