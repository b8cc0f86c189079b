"""Texts of cases that the live guard opened, as the worst responses and pairs of a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from guard.assessment.results import WorstPair, WorstResponse, WorstSide
from guard.assessment.totals import WorstCases
from guard.records import (
    Case,
    CaseKind,
    CaseRecord,
    CaseState,
    PairBody,
    decode_pair,
    decode_response,
)
from guard.records.case_bodies import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseTexts:
    """The texts with the highest scores and the largest differences. opened: how many cases there
    are; response_times: when those of single replies were opened, in Unix seconds."""

    opened: int = 0
    response_times: tuple[float, ...] = ()
    responses: tuple[WorstResponse, ...] = ()
    pairs: tuple[WorstPair, ...] = ()


def read_cases(records: Iterable[CaseRecord], *, worst: int) -> CaseTexts:
    """Those that speak of what was said; examples of a candidate policy are left out.

    worst: texts kept of each score and difference.
    """
    responses: WorstCases[WorstResponse] = WorstCases(worst)
    pairs: WorstCases[WorstPair] = WorstCases(worst)
    times = []
    opened = 0
    for record in records:
        case = record.case
        if record.state is CaseState.EXAMPLE:
            continue
        opened += 1
        if case.kind is CaseKind.PAIR:
            for pair in _pairs(case):
                pairs.add(pair.metric, pair)
            continue
        times.append(case.opened_at)
        for response in _responses(case):
            responses.add(response.score, response)
    return CaseTexts(
        opened=opened,
        response_times=tuple(times),
        responses=responses.kept(),
        pairs=pairs.kept(),
    )


def _responses(case: Case) -> Iterator[WorstResponse]:
    body = decode_response(case.body)
    if body is None:
        return
    made = ", said to the guard alone" if body.shadow else ""
    for fired in body.fired:
        if fired.value is not None:
            yield WorstResponse(
                score=fired.score,
                value=fired.value,
                prompt=body.prompt,
                response=body.reply,
                place=f"case {case.id}{made}",
            )


def _pairs(case: Case) -> Iterator[WorstPair]:
    body = decode_pair(case.body)
    if body is None:
        return
    first, second = _side(body, "first"), _side(body, "second")
    for metric, value in sorted(body.grounded_gaps.items()):
        if value is not None:
            yield WorstPair(
                metric=metric,
                value=value,
                attribute=case.attribute,
                first=first,
                second=second,
                place=f"case {case.id}",
            )


def _side(body: PairBody, name: Side) -> WorstSide:
    side, reply = body.side(name), body.shown_reply(name)
    scores = {} if reply is None else reply.grounded
    return WorstSide(
        group=side.group,
        prompt="\n\n".join(turn.content for turn in side.turns),
        response="" if reply is None else reply.text,
        scores={head: value for head, value in scores.items() if value is not None},
    )
