"""Blocks of prompts that are measured elsewhere give what measuring here gives."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from guard.assessment.blocks import BlockMeasures, in_order, measure_block, split_blocks
from guard.assessment.engines import MeasuringWork
from guard.assessment.generation import ReplySource
from guard.assessment.items import ItemFigures
from guard.assessment.options import NumbersOf
from guard.assessment.reader import Row
from guard.assessment.results import AssessmentResults, Provenance
from guard.assessment.run import OfflineAssessment
from guard.assessment.totals import MOST_CHARACTERS, UnitMeasures
from guard.errors import AssessmentInputError
from guard.fairness import ModelTask
from guard.shadow.comparison import Instruments
from tests.unit.assessment.assessments import asked, assessment, opened, rows_of

WORDS = ("awful", "bad", "great", "bossy", "the nurse", "he", "she", "her work", "I cannot help")


@dataclass(frozen=True, kw_only=True)
class ShuffledEngine:
    """Blocks go as bytes, and their measures come back as bytes, in any order, some twice."""

    tools: Instruments
    kept: ReplySource | None = None

    def measure(self, work: MeasuringWork) -> Iterator[UnitMeasures]:
        reader = work.measure(tools=self.tools, kept=self.kept)
        blocks = [pickle.dumps(one) for one in split_blocks(work.groups(), reader, 7)]
        assert len(blocks) > 2
        sent = blocks + random.Random(5).choices(blocks, k=3)
        random.Random(6).shuffle(sent)
        made = [measure_block(pickle.loads(one), work.measure, self.tools) for one in sent]
        return in_order(pickle.loads(pickle.dumps(one)) for one in made)


def text(seed: int) -> str:
    """A few words; of some a text that is kept in part."""
    words = " ".join(random.Random(seed).choices(WORDS, k=6))
    return words if seed % 9 else f"{words} {'much ' * MOST_CHARACTERS}"


def replies() -> Callable[[], Iterator[Row]]:
    return rows_of(
        *(
            {"prompt": f"he asks {n}", "responses": [text(2 * n), text(2 * n + 1)]}
            for n in range(20)
        )
    )


def pairs() -> Callable[[], Iterator[Row]]:
    return rows_of(
        *(
            {"pair": f"p{n // 2}", "group": ("male", "female")[n % 2], "prompt": f"{n} asks"}
            | {"responses": [text(n), text(n + 50)]}
            for n in range(24)
        )
    )


def classes() -> Callable[[], Iterator[Row]]:
    return rows_of(
        *(
            {"prediction": str(n % 2), "label": str(n % 3 % 2), "group": "ab"[n // 7 % 2]}
            for n in range(60)
        )
    )


def lists() -> Callable[[], Iterator[Row]]:
    return rows_of(
        *(
            {"pair": f"p{n // 2}", "group": "ab"[n % 2], "items": [f"film {n % k}" for k in (2, 3)]}
            for n in range(40)
        )
    )


def assert_alike(made: OfflineAssessment) -> None:
    """Here and in blocks: equal counts and figures of prompts, and sums within 1e-9."""
    (here, own), (elsewhere, others) = (
        results_of(made, engine)
        for engine in (None, ShuffledEngine(tools=made.tools, kept=made.kept))
    )
    assert others == own
    assert elsewhere.coverage == here.coverage
    assert elsewhere.histograms == here.histograms
    assert elsewhere.worst_responses == here.worst_responses
    assert elsewhere.worst_pairs == here.worst_pairs
    assert numbers(elsewhere.to_dict()) == pytest.approx(numbers(here.to_dict()), rel=0, abs=1e-9)


def results_of(
    made: OfflineAssessment, engine: ShuffledEngine | None
) -> tuple[AssessmentResults, list[ItemFigures]]:
    items: list[ItemFigures] = []
    found = made.results(Provenance(), lambda one: items.extend(one.items), engine)
    return found, items


def numbers(found: object) -> list[float]:
    """Every number of a tree, in order."""
    if isinstance(found, dict):
        return [value for one in found.values() for value in numbers(one)]
    if isinstance(found, list | tuple):
        return [value for one in found for value in numbers(one)]
    return [float(found)] if isinstance(found, int | float) else []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (replies(), {}),
        (replies(), {"preset": NumbersOf.LANGFAIR}),
        (pairs(), {"content_may_differ": True}),
        (classes(), {"task": ModelTask.CLASSIFICATION, "representation_parity": True}),
        (lists(), {"task": ModelTask.RECOMMENDATION}),
    ],
    ids=["replies", "langfair", "pairs", "classes", "lists"],
)
def test_blocks_give_what_measuring_here_gives(
    rows: Callable[[], Iterator[Row]], options: dict[str, object]
) -> None:
    assert_alike(assessment(rows, **options))  # type: ignore[arg-type]


@pytest.mark.slow
def test_blocks_take_the_replies_of_the_model_along(tmp_path: Path) -> None:
    rows = rows_of(*({"prompt": f"He is a clerk {n}. Help him."} for n in range(6)))
    cache = opened(tmp_path)
    made = assessment(rows, model=True, cache=cache, m=3)
    asked(made, cache, lambda prompt: text(len(prompt)))
    assert_alike(made)
    cache.close()


def test_a_run_without_prompts_has_one_block() -> None:
    made = assessment(rows_of())
    measure = made.work.measure(tools=made.tools)
    (block,) = split_blocks(made.work.groups(), measure)
    (found,) = in_order([measure_block(block, made.work.measure, made.tools)])
    assert not found.items


@pytest.mark.parametrize("numbers", [[], [0, 1], [0, 2], [1, 2]], ids=str)
def test_a_block_that_does_not_come_back_is_an_error(numbers: list[int]) -> None:
    blocks = [
        BlockMeasures(number=number, is_last=number == 2, measures=UnitMeasures())
        for number in numbers
    ]
    with pytest.raises(AssessmentInputError, match="was not measured"):
        list(in_order(blocks))
