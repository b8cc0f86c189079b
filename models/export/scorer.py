"""Runs an exported model over texts of any length, the way the engine does: in windows."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
import torch
from tokenizers import Tokenizer

from export.quantise import Floats
from train.batches import marks
from train.tokens import tokens_of
from train.windows import OVERLAP, together, windows

Tokens = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Some tokens of a text, between the marks of begin and end."""

    text: int
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """A session with its tokenizer and its windows."""

    session: onnxruntime.InferenceSession
    tokenizer: Tokenizer
    window_tokens: int
    overlap_tokens: int = OVERLAP
    batch_rows: int = 16


def open_session(model: bytes | Path, threads: int = 1) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    source = model if isinstance(model, bytes) else str(model)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def cut(scorer: Scorer, texts: Sequence[str], whole: bool) -> list[Window]:
    """All windows of all texts, or the first of each."""
    begin, end = marks(scorer.tokenizer)
    room = scorer.window_tokens - 2
    found: list[Window] = []
    for text, content in enumerate(tokens_of(texts, scorer.tokenizer)):
        pieces = list(windows(content, room, scorer.overlap_tokens))
        kept = pieces if whole else pieces[:1]
        found += [Window(text=text, ids=(begin, *piece, end)) for piece in kept]
    return found


def padded(group: Sequence[Window]) -> dict[str, Tokens]:
    width = max(len(window.ids) for window in group)
    ids = np.zeros((len(group), width), dtype=np.int64)
    mask = np.zeros_like(ids)
    for line, window in enumerate(group):
        ids[line, : len(window.ids)] = window.ids
        mask[line, : len(window.ids)] = 1
    return {"input_ids": ids, "attention_mask": mask}


def run_windows(scorer: Scorer, found: Sequence[Window]) -> Floats:
    """One line of outputs per window, in batches of like length."""
    order = sorted(range(len(found)), key=lambda n: len(found[n].ids))
    outputs: list[Floats] = []
    for start in range(0, len(order), scorer.batch_rows):
        group = [found[n] for n in order[start : start + scorer.batch_rows]]
        outputs.append(scorer.session.run(None, padded(group))[0])
    lines = np.concatenate(outputs)
    return lines[np.argsort(order)]


def outputs(scorer: Scorer, texts: Sequence[str]) -> Floats:
    """One line per text, from its first window."""
    return run_windows(scorer, cut(scorer, texts, whole=False))


def whole(scorer: Scorer, texts: Sequence[str]) -> Floats:
    """One line per text, from all its windows: harm is the highest, the rest the mean by tokens."""
    found = cut(scorer, texts, whole=True)
    texts_of = torch.tensor([window.text for window in found])
    tokens = torch.tensor([float(len(window.ids)) for window in found])
    read: Floats = together(torch.from_numpy(run_windows(scorer, found)), texts_of, tokens).numpy()
    return read
