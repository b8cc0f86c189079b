"""Suites of our own texts for the toxicity, stereotype and sentiment classifier.

`measure_all(score, thresholds)` runs them, `markdown` shows what they found, `bounds` holds it
against what the project asks of itself. `score` takes texts and returns, for each, flat keys to
numbers in [0, 1]. None of the texts may be trained on.
"""

from evaluate.suites.benign import answer_cases, measure_benign, mention_cases
from evaluate.suites.counterfactual import counterfactual_sets, measure_counterfactual
from evaluate.suites.everything import Bound, Measured, bounds, measure_all
from evaluate.suites.functional import functional_cases, measure_functional
from evaluate.suites.golden import golden_cases
from evaluate.suites.length import documents, measure_length
from evaluate.suites.records import Case, Reading, Scorer, Thresholds
from evaluate.suites.subgroups import group_cases, measure_subgroups
from evaluate.suites.tables import markdown
from evaluate.suites.texts import all_texts

__all__ = [
    "Bound", "Case", "Measured", "Reading", "Scorer", "Thresholds", "all_texts", "answer_cases",
    "bounds", "counterfactual_sets", "documents", "functional_cases", "golden_cases",
    "group_cases", "markdown", "measure_all", "measure_benign", "measure_counterfactual",
    "measure_functional", "measure_length", "measure_subgroups", "mention_cases",
]  # fmt: skip
