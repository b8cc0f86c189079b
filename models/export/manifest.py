"""manifest.json: what a model is, how its outputs are read, and what its files must hash to."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from export.calibrate import Line
from train.heads import HEADS

MODEL, TOKENIZER, MANIFEST = "model.onnx", "tokenizer.json", "manifest.json"
DIGESTS = "SHA256SUMS"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadReading:
    """How one output becomes a value, and from where on it counts."""

    key: str
    scale: float
    bias: float
    threshold: float | None
    harm: bool

    def line(self) -> Line:
        return Line(scale=self.scale, bias=self.bias)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What stays the same from one export to the next.

    largest_bytes: of the graph; a larger one is not written. rough_rate: the share of rough texts
    that may reach a threshold, chosen by the suites.
    """

    name: str
    task: str
    source: str
    output: str
    window_tokens: int
    version: str = "0.1.0"
    license: str = "Apache-2.0"
    overlap_tokens: int = 32
    largest_bytes: int = 25_000_000
    rough_rate: float = 0.05


CLASSIFIER = Identity(
    name="toxicity-stereotype-minilm",
    task="classification",
    source="all-MiniLM-L6-v2, trained in stages on public toxicity, stereotype and sentiment "
    "data and on rows of our own (models/train)",
    output="scores",
    window_tokens=128,
    version="0.12.0",
    # With less, plain hate in long texts is missed; with more, harmless texts of 1,000 words fire.
    rough_rate=0.0488,
)
EMBEDDER = Identity(
    name="sentence-minilm",
    task="embedding",
    source="all-MiniLM-L6-v2, unchanged weights in 8 bits",
    output="embedding",
    window_tokens=256,
)
LARGE = Identity(
    name="toxicity-stereotype-mpnet",
    version="0.4.0",
    task="classification",
    source="all-mpnet-base-v2, with adapters trained on public toxicity, stereotype and sentiment "
    "data and on rows of our own (models/teacher)",
    output="scores",
    window_tokens=128,
    largest_bytes=115_000_000,
    # With more, over one in a hundred of the rough texts that the fast classifier fires at fires
    # here too; with less, under six in ten of the harmful ones without a slur.
    rough_rate=0.014,
)
PAIRS = Identity(
    name="nli-minilm",
    task="nli",
    source="all-MiniLM-L6-v2, trained on public pairs of a premise and a hypothesis"
    " (models/train/pairs)",
    output="logits",
    window_tokens=128,
    overlap_tokens=0,
)


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def readings(lines: Sequence[Line], thresholds: Sequence[float]) -> list[HeadReading]:
    """One reading per head, in the order of the outputs."""
    return [
        HeadReading(
            key=head.key,
            scale=line.scale,
            bias=line.bias,
            threshold=level if head.harm else None,
            harm=head.harm,
        )
        for head, line, level in zip(HEADS, lines, thresholds, strict=True)
    ]


def contents(identity: Identity, folder: Path, tail: dict[str, Any]) -> dict[str, Any]:
    """The manifest of the files that lie in a folder."""
    known = asdict(identity)
    return {
        "schema": 1,
        **{key: known[key] for key in ("name", "version", "task", "license", "source")},
        "languages": ["en"],
        **{key: known[key] for key in ("window_tokens", "overlap_tokens")},
        "inputs": ["input_ids", "attention_mask"],
        "output": identity.output,
        "files": {name: sha256(folder / name) for name in (MODEL, TOKENIZER)},
        **tail,
    }


def write_manifest(identity: Identity, folder: Path, tail: dict[str, Any]) -> None:
    text = json.dumps(contents(identity, folder, tail), indent=2, ensure_ascii=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
    if (folder.parent / "__init__.py").is_file():
        write_digests(folder.parent)


def write_digests(package: Path) -> None:
    """What the catalogue compares the manifests of a package of models with: `sha256sum -c`."""
    manifests = sorted(package.glob(f"*/{MANIFEST}"))
    lines = [f"{sha256(each)}  {each.relative_to(package).as_posix()}\n" for each in manifests]
    (package / DIGESTS).write_text("".join(lines), encoding="utf-8")


def read_readings(folder: Path) -> list[HeadReading]:
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    return [HeadReading(**head) for head in manifest["heads"]]
