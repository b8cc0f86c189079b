"""The word lists in data files are those that the rules ask for, no more and no fewer."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest

from guard.counterfactual.english.words import english
from guard.counterfactual.mentions.cues import read_cues
from guard.text.language import WordLists, read_word_lists

FOLDER = Path(str(resources.files("guard.counterfactual")))
ENGLISH = r"\b(?:en|english)\(\)\.(\w+)"
CUES = r"\bcues\.(?!txt)(\w+)"
SOURCES = {path: path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.py")}


def asked_for(pattern: str, own: str) -> set[str]:
    """The lists that are read anywhere, and inside the class itself in its file."""
    found = {name for text in SOURCES.values() for name in re.findall(pattern, text)}
    return found | set(re.findall(r"self\.(\w+)", SOURCES[FOLDER / own]))


@pytest.mark.parametrize(
    ("lists", "package", "file", "asked"),
    [
        (
            english(),
            "english",
            "words.txt",
            asked_for(ENGLISH, "english/words.py"),
        ),
        (read_cues(), "mentions", "data/cues.txt", asked_for(CUES, "mentions/cues.py")),
    ],
)
def test_every_list_is_there_and_used(
    lists: WordLists, package: str, file: str, asked: set[str]
) -> None:
    written = set(read_word_lists(f"guard.counterfactual.{package}", file))
    assert [name for name in written if not getattr(lists, name)] == []
    assert written - asked == set()
    assert [name for name in sorted(asked) if not hasattr(lists, name)] == []


def test_a_list_that_is_not_there_is_named() -> None:
    with pytest.raises(AttributeError, match="no word list 'nouns_of_nowhere'"):
        _ = english().nouns_of_nowhere
