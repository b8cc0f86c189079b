"""Suites of our own texts for the toxicity, stereotype and sentiment classifier.

`measure_all(score, thresholds)` runs them, `markdown` shows what they found, `bounds` holds it
against what the project asks of itself. `score` takes texts and returns, for each, flat keys to
numbers in [0, 1]. None of the texts may be trained on.

`measure_hard(judge)` is apart: it judges the hard texts by what a policy does with them, and
`evaluate/guarded.py` has the guard with its default policy for that.
"""

from evaluate.suites.benign import answer_cases, measure_benign, mention_cases
from evaluate.suites.counterfactual import counterfactual_sets, measure_counterfactual
from evaluate.suites.everything import Bound, Measured, bounds, measure_all
from evaluate.suites.functional import functional_cases, measure_functional
from evaluate.suites.golden import golden_cases
from evaluate.suites.hard import HardCase, hard_cases
from evaluate.suites.hidden import Haystack, haystacks
from evaluate.suites.judged import HardResults, Judge, Ruling, hard_bounds, measure_hard
from evaluate.suites.length import documents, measure_length
from evaluate.suites.records import Case, Reading, Scorer, Thresholds
from evaluate.suites.subgroups import group_cases, measure_subgroups
from evaluate.suites.tables import hard_markdown, markdown
from evaluate.suites.texts import all_texts

__all__ = [
    "Bound", "Case", "HardCase", "HardResults", "Haystack", "Judge", "Measured", "Reading",
    "Ruling", "Scorer", "Thresholds", "all_texts", "answer_cases", "bounds",
    "counterfactual_sets", "documents", "functional_cases", "golden_cases", "group_cases",
    "hard_bounds", "hard_cases", "hard_markdown", "haystacks", "markdown", "measure_all",
    "measure_benign", "measure_counterfactual", "measure_functional", "measure_hard",
    "measure_length", "measure_subgroups", "mention_cases",
]  # fmt: skip
