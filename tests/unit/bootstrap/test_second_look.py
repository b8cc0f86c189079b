"""What is said of the scorer of second looks."""

from __future__ import annotations

from guard.bootstrap.second_look import second_version
from guard.flow.bounded_scorer import BoundedScorer
from guard.settings import parse_settings
from guard.testing import WordScorer


def test_a_scorer_of_the_callers_is_named_and_not_what_bounds_it() -> None:
    scoring = parse_settings("version: 1").scoring
    assert second_version(scoring, None) == {}
    bounded = BoundedScorer(WordScorer({"toxicity": {}}))
    assert second_version(scoring, bounded) == {"second_look": "WordScorer"}
