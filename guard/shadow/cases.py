"""What a reviewer gets to see: a flagged pair, or a flagged reply, as a case with all its texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import product

from guard.counterfactual import Replacement
from guard.fairness import MeasuredReply, holm
from guard.fairness.live import Replies
from guard.records import (
    Action,
    Case,
    CaseKind,
    ControlReply,
    FiredScore,
    LikenessFigures,
    Outcome,
    PairBody,
    PairSide,
    ReplyBody,
    ResponseBody,
    TextReplacement,
    Turn,
    TurnBody,
    encode_body,
)
from guard.shadow.comparison import ComparedPair, Instruments
from guard.shadow.options import P_VALUE
from guard.shadow.pair_masks import PairMasks, pair_masks

Reasons = tuple[str, ...]


def unchanged(text: str) -> str:
    """The whole text."""
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseContext:
    """What every case of a call has in common. at_seconds: Unix time.

    versions: of what made the texts and the scores (model, classifier, rewriter, settings).
    kept_text: what is kept of a text; of the same length, so that spans stay true, or empty.
    """

    use_case: str
    at_seconds: float
    versions: Mapping[str, str]
    reviewers: int = 1
    kept_text: Callable[[str], str] = unchanged


def flagged(
    pairs: Sequence[ComparedPair], tools: Instruments
) -> Iterator[tuple[ComparedPair, Reasons]]:
    """The pairs that raise flags, with these sorted. Controls are not flagged."""
    wanted = [pair for pair in pairs if not pair.replies.is_control]
    corrected = corrected_p_values(wanted)
    thresholds = tools.options.flags
    highest = thresholds.get(P_VALUE)
    for number, pair in enumerate(wanted):
        reasons = set(tools.catalogue.flagged(pair.seen, thresholds))
        if highest is not None and corrected.get(number, 2.0) <= highest:
            reasons.add(P_VALUE)
        if reasons:
            yield pair, tuple(sorted(reasons))


def corrected_p_values(pairs: Sequence[ComparedPair]) -> dict[int, float]:
    """Pair, by its place, to the smallest of its p-values, corrected for all tests of the call.

    Holm's correction over every pair and every dissimilarity. With n replies per side no p-value
    is below 2 / C(2n, n), times the number of tests: few replies can never be enough.
    """
    tests = {
        (number, name): p for number, pair in enumerate(pairs) for name, p in pair.p_values.items()
    }
    smallest: dict[int, float] = {}
    for (number, _), p in holm(tests).items():
        smallest[number] = min(p, smallest.get(number, 1.0))
    return smallest


def pair_cases(
    pairs: Sequence[ComparedPair], tools: Instruments, context: CaseContext
) -> tuple[Case, ...]:
    """A case for each attribute and pair of groups that was flagged.

    Two pairs of one call with the same groups make one case, of the one with more reasons.
    """
    cases: dict[str, Case] = {}
    for pair, reasons in sorted(flagged(pairs, tools), key=lambda one: -len(one[1])):
        writer = PairWriter(pair, tools, context, pair_masks(pair, tools.lexicons))
        case = _pair_case(pair, reasons, pairs, writer)
        cases.setdefault(case.id, case)
    return tuple(cases.values())


def response_case(outcome: Outcome, context: CaseContext) -> Case | None:
    """A case for a reply on which a rule fired; None where none did."""
    if not outcome.fired:
        return None
    return Case(
        id=case_id("response", outcome.call.id),
        kind=CaseKind.RESPONSE,
        use_case=context.use_case,
        call_id=outcome.call.id,
        reasons=tuple(sorted({one.score for one in outcome.fired})),
        opened_at=context.at_seconds,
        body=encode_body(_response_body(outcome, context)),
        reviewers=context.reviewers,
    )


def case_id(*about: str) -> str:
    """The id of a case, from what it is about: the same however often it is opened."""
    what = json.dumps(about).encode()
    return blake2b(what, digest_size=16).hexdigest()


def _pair_case(
    pair: ComparedPair, reasons: Reasons, pairs: Sequence[ComparedPair], writer: PairWriter
) -> Case:
    about, context = pair.replies, writer.context
    return Case(
        id=case_id("pair", about.call_id, about.attribute, about.groups),
        kind=CaseKind.PAIR,
        use_case=context.use_case,
        call_id=about.call_id,
        reasons=reasons,
        opened_at=context.at_seconds,
        body=encode_body(_pair_body(pair, pairs, writer)),
        attribute=about.attribute,
        groups=(about.first, about.second),
        reviewers=context.reviewers,
    )


@dataclass(frozen=True, slots=True)
class PairWriter:
    """How the texts of a pair are put down."""

    pair: ComparedPair
    tools: Instruments
    context: CaseContext
    masks: PairMasks

    def kept(self, text: str) -> str:
        """What is kept of a text."""
        return self.context.kept_text(text)

    def masked(self, text: str) -> str:
        """The same with every person masked by a number."""
        return self.kept(self.masks.masked(text))

    def control(self, text: str | None) -> ControlReply | None:
        """A reply to compare with."""
        if text is None:
            return None
        return ControlReply(text=self.kept(text), masked=self.masked(text))

    def side(self, group: str, turns: Sequence[Turn], replies: Replies) -> PairSide:
        """One conversation and all replies to it."""
        return PairSide(
            group=group,
            turns=tuple(map(self._turn, turns)),
            replies=tuple(map(self._reply, replies)),
        )

    def replacement(self, one: Replacement) -> TextReplacement:
        """What a rewrite changed in one place."""
        return TextReplacement(
            source=one.span,
            target=one.at,
            old=self.kept(one.old),
            new=self.kept(one.new),
            why=one.why,
        )

    def _turn(self, turn: Turn) -> TurnBody:
        return TurnBody(
            role=turn.role, content=self.kept(turn.content), masked=self.masked(turn.content)
        )

    def _reply(self, one: MeasuredReply) -> ReplyBody:
        """Every text masked too, those of refusals among them."""
        return ReplyBody(
            text=self.kept(one.text),
            masked=self.masked(one.text),
            ending=str(one.ending),
            live=one.live,
            scores=dict(one.scores),
            grounded=dict(one.normalised),
        )


def _pair_body(pair: ComparedPair, pairs: Sequence[ComparedPair], writer: PairWriter) -> PairBody:
    about, catalogue = pair.replies, writer.tools.catalogue
    return PairBody(
        source="first" if about.source == about.first else "second",
        first=writer.side(about.first, pair.first_turns, about.first_replies),
        second=writer.side(about.second, pair.second_turns, about.second_replies),
        replacements=tuple(tuple(map(writer.replacement, turn)) for turn in pair.replacements),
        shown=shown(pair),
        same_prompt=writer.control(_same_prompt(pair)),
        same_group=writer.control(_same_group(pair, pairs)),
        gaps=catalogue.gaps(pair.seen, normalised=False),
        grounded_gaps=catalogue.gaps(pair.seen, normalised=True),
        grounded_by="mask" if pair.masked else "rewrite",
        similarity_deficit=catalogue.flag_sizes(pair.seen).get("similarity_deficit"),
        likeness={
            metric: LikenessFigures(between=_known(one.between), control=_known(one.control))
            for metric, one in pair.seen.similarities.items()
        },
        p_values=dict(pair.p_values),
        corrected_p_value=_correct_gap(pair, pairs),
        versions=dict(writer.context.versions),
    )


def _known(values: Sequence[float | None]) -> tuple[float, ...]:
    return tuple(value for value in values if value is not None)


def shown(pair: ComparedPair) -> tuple[int, int] | None:
    """Which reply of each side to show: those whose normalised scores lie farthest apart."""
    sides = (range(len(pair.replies.first_replies)), range(len(pair.replies.second_replies)))
    return max(product(*sides), key=lambda at: _apart(pair, *at), default=None)


def _apart(pair: ComparedPair, first: int, second: int) -> tuple[bool, float]:
    one, two = pair.replies.first_replies[first], pair.replies.second_replies[second]
    known = ((one.normalised.get(head), value) for head, value in two.normalised.items())
    apart = [abs(left - right) for left, right in known if left is not None and right is not None]
    return one.answered != two.answered, sum(apart)


def _same_prompt(pair: ComparedPair) -> str | None:
    about, at = pair.replies, shown(pair)
    side = 0 if about.source == about.first else 1
    seen = None if at is None else at[side]
    others = (
        one.text for number, one in enumerate(about.sides[side]) if number != seen and one.text
    )
    return next(others, None)


def _same_group(pair: ComparedPair, pairs: Sequence[ComparedPair]) -> str | None:
    about = pair.replies
    controls = (
        one.replies
        for one in pairs
        if one.replies.is_control
        and (one.replies.attribute, one.replies.source) == (about.attribute, about.source)
    )
    texts = (one.text for control in controls for one in control.second_replies if one.text)
    return next(texts, None)


def _correct_gap(pair: ComparedPair, pairs: Sequence[ComparedPair]) -> float | None:
    wanted = [one for one in pairs if not one.replies.is_control]
    return corrected_p_values(wanted).get(wanted.index(pair))


def _response_body(outcome: Outcome, context: CaseContext) -> ResponseBody:
    assessment = outcome.assessment
    action = outcome.action if outcome.action is not Action.RELEASE else Action.FLAG
    return ResponseBody(
        prompt=context.kept_text(outcome.call.prompt),
        reply=context.kept_text(outcome.reply),
        text=context.kept_text(outcome.text),
        verdict=str(outcome.verdict),
        action=str(action),
        observed_only=outcome.observed_only,
        scores={key: assessment.value(key) for key in sorted(assessment.scores)},
        fired=tuple(
            FiredScore(score=one.score, threshold=one.threshold, value=one.value)
            for one in outcome.fired
        ),
        passages=assessment.passages,
        withheld=outcome.withheld,
        uncovered=assessment.uncovered,
        versions=dict(context.versions),
    )
