"""Every pronoun in the right case: an independent set of sentences, and the rules by example."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from guard.counterfactual import bundled, rewrite
from guard.counterfactual.english.pronouns import role_of_her, role_of_his
from guard.counterfactual.tokens import words_of

SENTENCES = Path(__file__).parent / "data" / "roles.tsv"
NAME = re.compile(r"\\\{NAME\d:\w+\\\}")


def rows() -> list[dict[str, str]]:
    with SENTENCES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def right(row: dict[str, str]) -> bool:
    """Whether the rewrite is one of those that are expected; any name will do for a name."""
    made = rewrite(
        row["sentence"], bundled(), attribute="gender", to=row["target"], source=row["source"]
    )
    expected = [NAME.sub(r"\\w+", re.escape(one)) for one in row["expected"].split(" || ")]
    return any(re.fullmatch(one, made.text or "") for one in expected)


def test_at_least_99_of_100_sentences_are_as_expected() -> None:
    outcomes = [(row["id"], right(row)) for row in rows()]
    assert len(outcomes) >= 600
    wrong = [name for name, passed in outcomes if not passed]
    assert len(wrong) <= 0.01 * len(outcomes), wrong


PRONOUNS = ("her.", "his.", "him.", "hers.", "reflexive", "subject", "contraction", "neutral.")


def test_every_pronoun_role_is_right_in_at_least_99_of_100() -> None:
    seen, wrong = Counter[str](), Counter[str]()
    for row in rows():
        if row["role"].startswith(PRONOUNS):
            seen[row["role"]] += 1
            wrong[row["role"]] += not right(row)
    assert len(seen) >= 8
    assert {role: count for role, count in wrong.items() if count > 0.01 * seen[role]} == {}


@pytest.mark.parametrize(
    ("sentence", "role"),
    [
        ("I saw her.", "object"),
        ("I saw her dog.", "possessive"),
        ("I gave her flowers.", "object"),
        ("I gave her keys to the porter.", "possessive"),
        ("They told her that it was late.", "object"),
        ("We told her parents.", "possessive"),
        ("It made her happy.", "object"),
        ("It made her happy mother cry.", "possessive"),
        ("We asked her today.", "object"),
        ("Her being late annoyed us.", "possessive"),
        ("We heard her singing.", "object"),
        ("Her singing won a prize.", "possessive"),
        ("They took her home.", "object"),
        ("They painted her home.", "possessive"),
        ("I met her last night.", "object"),
        ("In her last year she wrote.", "possessive"),
        ("He treats her differently.", "object"),
        ("He shares her deeply held beliefs.", "possessive"),
        ("I like her more than before.", "object"),
        ("I like her more recent work.", "possessive"),
        ("I know her, and", "object"),
        ("I know her", "object"),
        ('They mocked her "art".', "possessive"),
        ("It hurt her back.", "possessive"),
        ("He wants her back.", "object"),
    ],
)
def test_her(sentence: str, role: str) -> None:
    words = words_of(sentence)
    assert role_of_her(words, words.lower.index("her")) == role


@pytest.mark.parametrize(
    ("sentence", "role"),
    [
        ("I saw his dog.", "possessive"),
        ("The book is his.", "possessive.pronoun"),
        ("A friend of his called.", "possessive.pronoun"),
        ("A friend of his mother called.", "possessive"),
        ("His was better.", "possessive.pronoun"),
        ("It is his own.", "possessive"),
        ("Between his and mine.", "possessive.pronoun"),
        ("His and Mary's house.", "possessive"),
        ("He read his will.", "possessive"),
    ],
)
def test_his(sentence: str, role: str) -> None:
    words = words_of(sentence)
    assert role_of_his(words, words.lower.index("his")) == role
