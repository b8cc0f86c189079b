"""Assessments in memory: rows from lists, a scorer that knows some words, a function to ask."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import inf
from pathlib import Path

from guard.adapters import CallableUpstream
from guard.assessment.generation import AskingCounts, AskingLimits, Interview
from guard.assessment.near_words import own_lists
from guard.assessment.options import AssessmentOptions
from guard.assessment.reader import Row
from guard.assessment.results import AssessmentResults, GroupComparison, MetricValue, Provenance
from guard.assessment.rows import row_of
from guard.assessment.run import OfflineAssessment
from guard.assessment.unit_measure import AskedModel
from guard.counterfactual import bundled
from guard.errors import UpstreamError
from guard.ports import Scorer
from guard.records import Ask, Generated
from guard.shadow.comparison import Instruments
from guard.store.reply_cache import ReplyCache
from guard.testing import WordScorer

SCORES = {
    "toxicity": {"awful": 0.9, "bad": 0.4},
    "stereotype": {"bossy": 0.8},
    "sentiment": {"great": 1.0},
}
GENDER = {"gender": ("female", "male")}


def rows_of(*rows: Mapping[str, object]) -> Callable[[], Iterator[Row]]:
    """Rows as a file gives them."""
    return lambda: (row_of(row, f"made:{number}") for number, row in enumerate(rows, start=1))


def assessment(
    rows: Callable[[], Iterator[Row]],
    *,
    model: bool = False,
    cache: ReplyCache | None = None,
    scorer: Scorer | None = None,
    **options: object,
) -> OfflineAssessment:
    """An assessment with these options."""
    lexicons = bundled()
    made = AssessmentOptions(use_case="chat", groups=GENDER)
    made = replace(made, **options)  # type: ignore[arg-type]
    return OfflineAssessment(
        options=made,
        rows=rows,
        tools=Instruments(
            lexicons=lexicons,
            scorer=scorer or WordScorer(SCORES),
            options=made.pairing(0),
            catalogue=made.catalogue,
        ),
        words=own_lists(lexicons, made.groups),
        model=AskedModel(name="scripted") if model else None,
        kept=cache,
    )


class KilledUpstream:
    """Answers so many questions, then is gone."""

    def __init__(self, answer: Callable[[str], str], lives: float) -> None:
        self._upstream = CallableUpstream(fn=answer)
        self._lives = lives

    async def generate(self, ask: Ask) -> Generated:
        self._lives -= 1
        if self._lives < 0:
            raise UpstreamError("killed")
        return await self._upstream.generate(ask)


def asked(
    made: OfflineAssessment,
    cache: ReplyCache,
    answer: Callable[[str], str],
    *,
    killed_after: float = inf,
) -> AskingCounts:
    """Ask everything that is missing."""
    upstream = KilledUpstream(answer, killed_after)
    interview = Interview(upstream, cache, AskingLimits(concurrency=2, backoff_seconds=0.0))
    return asyncio.run(interview.ask_all(made.enquiries()))


def assessed(rows: Callable[[], Iterator[Row]], **options: object) -> AssessmentResults:
    """The results of rows with everything in them."""
    return assessment(rows, **options).results(Provenance())  # type: ignore[arg-type]


def opened(folder: Path) -> ReplyCache:
    """A file of replies."""
    return ReplyCache(folder / "replies.sqlite")


def value_of(results: AssessmentResults, metric: str, *groups: str) -> float:
    """The value of a metric."""
    found = metric_of(results, metric, *groups)
    assert found.reading is not None, found.undefined
    return found.reading.value


def metric_of(results: AssessmentResults, metric: str, *groups: str) -> MetricValue:
    """The one metric of this name, of these groups where they are given."""
    (found,) = (
        one
        for one in results.metrics
        if one.metric == metric and (not groups or one.groups == groups)
    )
    return found


def comparison_of(results: AssessmentResults, metric: str) -> GroupComparison:
    """The one comparison of this metric."""
    (found,) = (one for one in results.comparisons if one.metric == metric)
    return found
