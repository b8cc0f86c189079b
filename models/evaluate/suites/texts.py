"""Every text of the suites: to count them, to look at them, and to keep them out of training."""

from evaluate.suites.benign import answer_cases, mention_cases
from evaluate.suites.counterfactual import counterfactual_sets
from evaluate.suites.functional import functional_cases
from evaluate.suites.hard import SUITES, cases_in_suite
from evaluate.suites.hidden import haystacks
from evaluate.suites.length import documents
from evaluate.suites.subgroups import group_cases


def texts_by_suite() -> dict[str, tuple[str, ...]]:
    sets = counterfactual_sets()
    return {
        "counterfactual, benign": tuple(t for s in sets if not s.toxic for t in s.texts),
        "counterfactual, toxic": tuple(t for s in sets if s.toxic for t in s.texts),
        "groups": tuple(case.text for case in group_cases()),
        "functional": tuple(case.text for case in functional_cases()),
        "mentions of a group": tuple(case.text for case in mention_cases()),
        "ordinary answers": tuple(case.text for case in answer_cases()),
        "length": tuple(document.text for document in documents()),
        **{suite: tuple(case.text for case in cases_in_suite(suite)) for suite in SUITES},
        "hidden": tuple(each.text for each in haystacks()),
    }


def all_texts() -> frozenset[str]:
    return frozenset(text for texts in texts_by_suite().values() for text in texts)
