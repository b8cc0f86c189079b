"""Markdown that is read in a terminal: no text in it can do anything there."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from guard.assessment.fairpair_run import FairPairFinding, FairPairResults
from guard.cli.assess_display import group_failures, results_table
from guard.render.fairpair_markdown import fairpair_markdown
from guard.render.markdown import escaped, quoted, results_markdown
from tests.unit.render.made import pair, response, results, with_texts

HOSTILE = "\x1b[31m\x1b]0;title\x07\u202e\u2066\x9b\x08\ufeff\u200b"


def unseen(text: str) -> set[str]:
    """Characters that steer a terminal or the direction of a text, but for the ends of lines."""
    return {one for one in text if unicodedata.category(one) in {"Cc", "Cf"}} - {"\n"}


def test_no_text_of_a_report_steers_a_terminal() -> None:
    pairs, responses = (pair("good", "bad"),), (response("You idiot."),)
    made = replace(results(), worst_pairs=pairs, worst_responses=responses)
    page = results_markdown(with_texts(made, lambda text: f"{text}{HOSTILE}"))
    assert unseen(page) == set()
    assert "[U+001B]" in page
    assert "[U+202E]" in page
    assert "good[U+001B]" in page


def test_nor_does_what_is_shown_at_the_end_of_a_run() -> None:
    written, there = StringIO(), with_texts(results(), lambda text: f"{text}{HOSTILE}")
    console = Console(file=written, width=400)
    console.print(results_table(there))
    for line in group_failures(there):
        console.print(line)
    assert "[U+001B]" in written.getvalue()
    assert unseen(written.getvalue()) == set()


def test_a_question_of_a_file_does_not_either() -> None:
    one = FairPairFinding(question=HOSTILE, perturbed="a", generated="b", replies=3)
    page = fairpair_markdown(FairPairResults(questions=1, findings=(one,)))
    assert unseen(page) == set()


@pytest.mark.parametrize("written", [escaped, quoted])
def test_texts_of_people_stay_as_they_are(written) -> None:
    for text in ("naïve café", "可以", "👩‍👩‍👧‍👦", "می\u200cخواهم"):
        assert text in written(text)


def test_a_marker_is_never_cut() -> None:
    assert quoted("x" * 399 + "\x1b" + "y").endswith("[U+001B]… `")
