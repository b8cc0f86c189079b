"""Keys that tell whether two texts are the same apart from case, space and punctuation."""

import gzip
import hashlib
import string
from pathlib import Path

TYPOGRAPHIC = "\u2018\u2019\u201c\u201d\u2013\u2014\u2026"
CONTROL = "".join(map(chr, range(32))) + "\x7f"
DROPPED = str.maketrans("", "", CONTROL + " " + string.punctuation + TYPOGRAPHIC)


def text_key(text: str) -> str:
    return text.lower().translate(DROPPED)


def hashed(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def fraction_of(key: str, salt: str) -> float:
    """A fixed pseudo-random number in [0, 1) of a text: the same in every run and every file."""
    digest = hashlib.sha256(f"{salt}\0{key}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def read_held_out(data: Path) -> frozenset[str]:
    """Hashed keys of the texts that must never be trained on."""
    with gzip.open(data / "heldout_keys_sha256.txt.gz", "rt", encoding="ascii") as lines:
        return frozenset(line.strip() for line in lines)
