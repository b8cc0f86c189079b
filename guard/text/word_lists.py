"""Word lists in data files: sections of words, separated by white space, under `[names]`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources


def read_word_lists(package: str, file: str) -> Mapping[str, frozenset[str]]:
    """The lists in a data file of a package, by name. Lines that begin with # are comments."""
    found: dict[str, list[str]] = {}
    words: list[str] = []
    for line in (resources.files(package) / file).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            words = found.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            words.extend(line.split())
    return {name: frozenset(words) for name, words in found.items()}
