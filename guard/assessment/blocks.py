"""Prompts in blocks: what is sent to others to be measured, and what comes back from them.

A block of the same rows is always the same, whoever makes it. What comes back may come in any
order, and twice where somebody died on the way; each block is counted exactly once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from guard.assessment.engines import measure_groups
from guard.assessment.items import ItemFigures
from guard.assessment.totals import Totals, UnitMeasures
from guard.assessment.unit_measure import PromptMeasure
from guard.assessment.units import RowGroup
from guard.errors import AssessmentInputError
from guard.records import Generated
from guard.shadow.comparison import Instruments

BLOCK_TEXTS = 512
BLOCK_CHARACTERS = 1_000_000
"""A block is full with the first prompt that reaches one of them: some seconds of one core."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptBlock:
    """Prompts that stand one after the other. number: from 0. replies: of the model, as far as they
    are kept. is_last: of the whole input; the last one may be without prompts."""

    number: int
    groups: tuple[RowGroup, ...]
    replies: Mapping[bytes, Generated] = field(default_factory=dict)
    is_last: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockMeasures:
    """What one block adds."""

    number: int
    is_last: bool
    measures: UnitMeasures


def split_blocks(
    groups: Iterable[RowGroup], measure: PromptMeasure, most: int = BLOCK_TEXTS
) -> Iterator[PromptBlock]:
    """All prompts, with the replies to what is asked about them. most: texts of a block."""
    number = 0
    waiting: list[RowGroup] = []
    replies: dict[bytes, Generated] = {}
    texts = characters = 0
    for group in groups:
        if texts >= most or characters >= BLOCK_CHARACTERS:
            yield PromptBlock(number=number, groups=tuple(waiting), replies=replies)
            number, waiting, replies, texts, characters = number + 1, [], {}, 0, 0
        kept = _kept_replies(group, measure)
        waiting.append(group)
        replies |= kept
        found = [group.prompt, *group.responses, *(one.text for one in kept.values())]
        texts += len(found)
        characters += sum(map(len, found))
    yield PromptBlock(number=number, groups=tuple(waiting), replies=replies, is_last=True)


def _kept_replies(group: RowGroup, measure: PromptMeasure) -> dict[bytes, Generated]:
    if measure.kept is None:
        return {}
    found = {one.key: measure.kept.get(one.key) for one in measure.enquiries(group)}
    return {key: reply for key, reply in found.items() if reply is not None}


def measure_block(
    block: PromptBlock, measure: Callable[..., PromptMeasure], tools: Instruments
) -> BlockMeasures:
    """What the prompts of a block add together. measure: see `MeasuringWork`."""
    made = measure(tools=tools, kept=block.replies)
    totals = Totals(made.options.worst)
    items: list[ItemFigures] = []
    for one in measure_groups(block.groups, made):
        totals.add(one)
        items.extend(one.items)
    return BlockMeasures(
        number=block.number,
        is_last=block.is_last,
        measures=UnitMeasures(
            sums=totals.sums,
            counts=dict(totals.counts),
            responses=totals.worst_responses,
            pairs=totals.worst_pairs,
            items=tuple(items),
        ),
    )


def in_order(found: Iterable[BlockMeasures]) -> Iterator[UnitMeasures]:
    """What all blocks add, by their numbers, each once. Raises AssessmentInputError where some did
    not come back."""
    waiting: dict[int, BlockMeasures] = {}
    number, is_over = 0, False
    for one in found:
        if one.number >= number:
            waiting[one.number] = one
        while number in waiting:
            block = waiting.pop(number)
            number, is_over = number + 1, block.is_last
            yield block.measures
    if not is_over:
        raise AssessmentInputError(
            f"block {number} of the input was not measured; assess again: nothing is asked twice"
        )
