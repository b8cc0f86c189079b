"""What is written beside an imported model: its manifest, and a card for people."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guard.importing.comparison import Cost, ModelComparison, Precision
from guard.importing.labels import LabelHead
from guard.scoring import ModelKind
from guard.scoring.pairs import PAIR_LABELS

MODEL, TOKENIZER, MANIFEST, CARD = "model.onnx", "tokenizer.json", "manifest.json", "CARD.md"
_SCHEMA = 1
_PERCENT = 100
_OUTPUTS = {
    ModelKind.CLASSIFICATION: "scores",
    ModelKind.EMBEDDING: "embedding",
    ModelKind.NLI: "logits",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a manifest says of a model beside its files and figures.

    labels: of the original. heads: of a classifier, also of one of pairs; none for an embedder,
    which has a dimension.
    exclusive: whether the labels exclude each other.
    """

    name: str
    task: ModelKind
    source: str
    revision: str
    licence: str
    architecture: str
    precision: Precision
    window_tokens: int
    overlap_tokens: int
    languages: tuple[str, ...]
    labels: tuple[str, ...] = ()
    exclusive: bool = False
    heads: tuple[LabelHead, ...] = ()
    dimension: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedModels:
    """How a model was compared with its original."""

    comparison: ModelComparison
    original: Cost
    ours: Cost


def write_manifest(folder: Path, what: Description, evidence: ComparedModels | None = None) -> None:
    """Of the files in `folder`."""
    data = _manifest(folder, what) | {"imported": _origin(what, evidence)}
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def write_card(folder: Path, what: Description, evidence: ComparedModels) -> None:
    """For `guard models card`."""
    (folder / CARD).write_text("\n".join([*_facts(what), *_figures(evidence)]), encoding="utf-8")


def with_thresholds(folder: Path, chosen: Mapping[str, float]) -> str:
    """The manifest in `folder`, as text, with other thresholds of some heads."""
    data = json.loads((folder / MANIFEST).read_bytes())
    for head in data["heads"]:
        head["threshold"] = chosen.get(head["key"], head["threshold"])
    return json.dumps(data, indent=2, ensure_ascii=False)


def _manifest(folder: Path, what: Description) -> dict[str, Any]:
    return {
        "schema": _SCHEMA,
        "name": what.name,
        "version": what.revision,
        "task": what.task.value,
        "license": what.licence,
        "source": what.source,
        "languages": list(what.languages),
        "window_tokens": what.window_tokens,
        "overlap_tokens": what.overlap_tokens,
        "inputs": ["input_ids", "attention_mask"],
        "output": _OUTPUTS[what.task],
        "files": {name: _sha256(folder / name) for name in (MODEL, TOKENIZER)},
        **_meaning(what),
    }


def _meaning(what: Description) -> Mapping[str, Any]:
    """What the outputs are."""
    if what.task is ModelKind.EMBEDDING:
        return {"dimension": what.dimension}
    if what.task is ModelKind.NLI:
        return {"pair_labels": list(PAIR_LABELS)}
    return {"heads": [_head(head) for head in what.heads]}


def _head(head: LabelHead) -> Mapping[str, Any]:
    """The graph gives log odds: they are read as they are."""
    return {
        "key": head.key,
        "scale": 1.0,
        "bias": 0.0,
        "threshold": head.threshold,
        "harm": head.harm,
    }


def _origin(what: Description, evidence: ComparedModels | None) -> Mapping[str, Any]:
    found = {
        "revision": what.revision,
        "architecture": what.architecture,
        "precision": what.precision.value,
        "labels": list(what.labels),
        "labels_exclude_each_other": what.exclusive,
        "heads_of_labels": {head.key: _named(head, what.labels) for head in what.heads},
    }
    if evidence is None:
        return found
    return found | {
        "comparison": evidence.comparison.as_json(),
        "original": evidence.original.as_json(),
        "here": evidence.ours.as_json(),
    }


def _named(head: LabelHead, labels: Sequence[str]) -> Mapping[str, float]:
    pairs = zip(labels, head.weights, strict=True)
    return {label: weight for label, weight in pairs if weight}


def _facts(what: Description) -> list[str]:
    reads = "exclude each other (softmax)" if what.exclusive else "stand alone (sigmoid)"
    lines = [
        f"# {what.name}",
        "",
        f"Imported from `{what.source}`, revision `{what.revision}`, licence {what.licence}.",
        f"Architecture {what.architecture}, weights in {what.precision.value}, windows of"
        f" {what.window_tokens} tokens.",
    ]
    if what.labels:
        lines += ["", f"Its labels {reads}.", "", "| head | of the labels |", "|---|---|"]
        lines += [f"| `{head.key}` | {_cell(head, what.labels)} |" for head in what.heads]
    return [*lines, ""]


def _cell(head: LabelHead, labels: Sequence[str]) -> str:
    parts = _named(head, labels).items()
    return ", ".join(name if weight == 1 else f"{weight:g} {name}" for name, weight in parts)


def _figures(evidence: ComparedModels) -> list[str]:
    found, original, ours = evidence.comparison, evidence.original, evidence.ours
    lines = [f"## Beside its original, over {found.texts} texts", ""]
    if found.heads:
        lines += ["| head | mean difference | largest | other decisions | rank correlation |"]
        lines += ["|---|---|---|---|---|"]
    for head in found.heads:
        rank = "" if head.rank is None else f"{head.rank:.4f}"
        reached = "" if head.reached is None else f" ({head.reached} reach the threshold)"
        flips = f"{_PERCENT * head.flips:.1f} %{reached}"
        lines += [f"| `{head.head}` | {head.mean:.2g} | {head.largest:.2g} | {flips} | {rank} |"]
    if found.lowest_cosine is not None:
        lines += [f"Cosine: lowest {found.lowest_cosine:.6f}, mean {found.mean_cosine:.6f}."]
    return [
        *lines,
        "",
        f"Alone or in a batch with other texts: at most {found.batch:.2g} apart.",
        f"Size: {ours.size_bytes / 1e6:.1f} MB, the original {original.size_bytes / 1e6:.1f} MB.",
        f"Speed: {ours.tokens_per_second:,.0f} tokens in a second of processor time, the original"
        f" {original.tokens_per_second:,.0f}.",
        "",
        "What its scores mean, and for whom they were measured, is in the card of the original.",
        "Its thresholds were 0.5 when this was written; those of now are in `manifest.json`, where"
        " `guard models thresholds --write` puts those that it chooses on texts of yours.",
        "",
    ]


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
