"""The table `data/grammar.tsv`: a sentence about one group, and what it is about another.

kind: her (as object and as possessive, and "his"), agreement (verbs with "he", "she", "they"), age.
expected: the rewritten sentence, or "-" where it is to be declined.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from guard.counterfactual import bundled, rewrite

TABLE = Path(__file__).parent / "data" / "grammar.tsv"
KINDS = ("her", "agreement", "age")
Row = list[str]


def rows(kind: str) -> list[Row]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()[1:]
    return [row for line in lines if (row := line.split("\t"))[0] == kind]


def difference(row: Row) -> str:
    """What is wrong with the rewrite of a row; empty where nothing is."""
    _, attribute, source, target, sentence, expected = row
    made = rewrite(sentence, bundled(), attribute=attribute, to=target, source=source)
    right = made.declined is not None if expected == "-" else made.text == expected
    return "" if right else f"{sentence}\n  got  {made.text or made.declined}\n  want {expected}"


@pytest.mark.parametrize("kind", KINDS)
def test_every_sentence_is_as_expected(kind: str) -> None:
    found = rows(kind)
    assert len(found) >= 200
    assert len({(*row[:4], row[4]) for row in found}) == len(found)
    assert [wrong for row in found if (wrong := difference(row))] == []
