"""What a teacher says of texts, by a hash of each: logits of all heads in a byte each, no text.

A file holds `keys` (unsigned 64-bit, [texts]), `codes` (unsigned 8-bit, [texts, heads]), the names
of the `heads`, and the SHA-256 of the weights of the `teacher`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from train.files import replacing
from train.heads import KEYS
from train.keys import hashed

Codes = npt.NDArray[np.uint8]
Logits = npt.NDArray[np.float32]

STEPS, MIDDLE = 16, 128
"""Sixteen steps per unit of the logit: from -8 to 7.9, at most 0.008 off in probability."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftLabels:
    """found: the codes of each text, in the order of the heads."""

    teacher: str
    found: Mapping[int, bytes]

    def logits(self, key: str) -> tuple[float, ...] | None:
        """Of the text with a key (`train.keys`); None where the teacher has not read it."""
        return self.of(short(key))

    def of(self, key: int) -> tuple[float, ...] | None:
        """The same by the first 64 bits of the hash of the key."""
        code = self.found.get(key)
        return None if code is None else tuple((byte - MIDDLE) / STEPS for byte in code)

    def joined(self, more: Mapping[int, bytes]) -> "SoftLabels":
        return SoftLabels(teacher=self.teacher, found={**self.found, **more})


def short(key: str) -> int:
    """The first 64 bits of the hash of a key."""
    return int(hashed(key)[:16], 16)


def coded(logits: Logits) -> Codes:
    """logits: [texts, heads]."""
    codes: Codes = np.clip(np.rint(logits * STEPS) + MIDDLE, 0, 255).astype(np.uint8)
    return codes


def mean_codes(codes: Sequence[bytes]) -> bytes:
    """Of several teachers; halves go to the even step."""
    lines = np.stack([np.frombuffer(code, np.uint8) for code in codes])
    return np.rint(lines.mean(axis=0)).astype(np.uint8).tobytes()


def mean_labels(several: Sequence[SoftLabels]) -> SoftLabels:
    """Of each text the mean of the logits of those teachers that have read it.

    Teachers that err in different places rank better together than each of them
    (ensembles, Hinton et al. 2015).
    """
    read: dict[int, list[bytes]] = {}
    for labels in several:
        for key, code in labels.found.items():
            read.setdefault(key, []).append(code)
    return SoftLabels(
        teacher=" ".join(labels.teacher for labels in several),
        found={
            key: codes[0] if len(codes) == 1 else mean_codes(codes) for key, codes in read.items()
        },
    )


def write_soft_labels(labels: SoftLabels, path: Path) -> None:
    """In the order of the hashes, so that the same labels give the same bytes."""
    keys = sorted(labels.found)
    codes = np.frombuffer(b"".join(labels.found[key] for key in keys), np.uint8)
    with replacing(path) as partial, partial.open("wb") as file:
        np.savez_compressed(
            file,
            keys=np.array(keys, np.uint64),
            codes=codes.reshape(len(keys), len(KEYS)),
            heads=np.array(KEYS),
            teacher=np.array(labels.teacher),
        )


def read_soft_labels(path: Path) -> SoftLabels:
    """Raises ValueError for labels of other heads."""
    with np.load(path) as arrays:
        if tuple(arrays["heads"].tolist()) != KEYS:
            raise ValueError(f"the labels in {path} are of other heads: {arrays['heads'].tolist()}")
        lines = (line.tobytes() for line in arrays["codes"])
        found = dict(zip(arrays["keys"].tolist(), lines, strict=True))
        return SoftLabels(teacher=str(arrays["teacher"]), found=found)
