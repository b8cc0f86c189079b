"""Texts that stand in parts beside one another, as a reader sees them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

_FEWEST_LETTERS: Final = 4
"""Parts of one letter each, from which on they spell a word."""


def spelt_over_parts(parts: Sequence[str]) -> str | None:
    """What the parts of a message say together, where words go over several of them; else None.

    Programs show them without anything in between. Apart from one another such words say nothing.
    """
    letters = sum(len(part) < _FEWEST_LETTERS and _is_letter(part) for part in parts)
    cut = any(one[-1:].isalnum() and other[:1].isalnum() for one, other in pairwise(parts))
    return "".join(parts) if cut or letters >= _FEWEST_LETTERS else None


def _is_letter(part: str) -> bool:
    return sum(map(str.isalnum, part)) == 1
