"""Where a model comes from: `hf:NAME`, `onnx:FOLDER` and their like."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from guard.errors import ModelError


class SourceKind(StrEnum):
    """The libraries whose models are understood."""

    DETOXIFY = "detoxify"
    HUGGING_FACE = "hf"
    SENTENCE_TRANSFORMERS = "st"
    NLI = "nli"
    ONNX = "onnx"


DETOXIFY_MODELS = ("original", "unbiased", "multilingual")

_MEANINGS = {
    SourceKind.DETOXIFY: "detoxify:original|unbiased|multilingual, or the folder of a checkpoint",
    SourceKind.HUGGING_FACE: "hf:NAME or a folder, a classifier of transformers",
    SourceKind.SENTENCE_TRANSFORMERS: "st:NAME or a folder, an embedder of sentence-transformers",
    SourceKind.NLI: "nli:NAME or a folder, a classifier of pairs",
    SourceKind.ONNX: "onnx:FOLDER with model.onnx and tokenizer.json",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """kind: of the library that saved it. place: a folder, or a name on the Hugging Face hub (for
    Detoxify, of one of its releases)."""

    kind: SourceKind
    place: str

    @property
    def folder(self) -> Path | None:
        """The folder that `place` names; None where there is none."""
        path = Path(self.place).expanduser()
        return path if path.is_dir() else None

    def __str__(self) -> str:
        return f"{self.kind.value}:{self.place}"


def parse_source(text: str) -> Source:
    """Read `KIND:PLACE`. Raises ModelError naming the kinds there are."""
    kind, colon, place = text.partition(":")
    if not colon or not place or kind not in set(SourceKind):
        known = "; ".join(_MEANINGS.values())
        raise ModelError(f"{text!r} is no source of a model; one of: {known}")
    return Source(kind=SourceKind(kind), place=place)
