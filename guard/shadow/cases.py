"""What a reviewer gets to see: a flagged pair, or a flagged reply, as a case with all its texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import product
from typing import Final

from guard.counterfactual import Replacement
from guard.fairness import MeasuredReply, holm
from guard.fairness.live import Replies
from guard.records import (
    Call,
    Case,
    CaseKind,
    ClaimBody,
    ControlReply,
    Fired,
    LikenessFigures,
    Outcome,
    PairBody,
    PairSide,
    ReplyBody,
    TextReplacement,
    Turn,
    TurnBody,
    Verdict,
    decode_pair,
    encode_body,
)
from guard.shadow.case_claims import claim_bodies
from guard.shadow.comparison import ComparedPair, Instruments, controls_of
from guard.shadow.confirmation import (
    FlaggedDifference,
    PersistingDifference,
    flagged_differences,
)
from guard.shadow.options import P_VALUE
from guard.shadow.pair_masks import PairMasks, pair_masks
from guard.shadow.response_body import REPLY_CHARACTERS, response_body

Reasons = tuple[str, ...]
WORDING_LEVEL: Final = 0.05
"""Up to this p-value of its control, not corrected, a pair is not flagged by its own."""


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
    """The pairs that raise flags, with these sorted. Controls are not flagged, and a difference
    without a direction is one only beyond theirs."""
    wanted = [pair for pair in pairs if not pair.replies.is_control]
    corrected = corrected_p_values(wanted)
    thresholds = tools.options.flags
    highest = thresholds.get(P_VALUE)
    controls = controls_of(pairs)
    for number, pair in enumerate(wanted):
        control = controls.get((pair.replies.attribute, pair.replies.source))
        usual = None if control is None else control.seen
        reasons = set(tools.catalogue.flagged(pair.seen, thresholds, usual))
        is_low = highest is not None and corrected.get(number, 2.0) <= highest
        if is_low and not _shows_wording(control):
            reasons.add(P_VALUE)
        if reasons:
            yield pair, tuple(sorted(reasons))


def _shows_wording(control: ComparedPair | None) -> bool:
    """Whether a rewrite for the same group changes replies as well."""
    return control is not None and min(control.p_values.values(), default=1.0) <= WORDING_LEVEL


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


@dataclass(frozen=True, slots=True, kw_only=True)
class FlaggedPair:
    """A pair that was flagged, what was flagged, strongest first, and the case it would be.

    slips: cases of single replies, for when the pair is none.
    """

    pair: ComparedPair
    differences: tuple[FlaggedDifference, ...]
    case: Case
    slips: tuple[Case, ...]


def flagged_pairs(
    pairs: Sequence[ComparedPair], tools: Instruments, context: CaseContext
) -> tuple[FlaggedPair, ...]:
    """One for each attribute and pair of groups that was flagged.

    Two pairs of one call with the same groups make one case, of the one with more reasons.
    """
    found: dict[str, FlaggedPair] = {}
    for pair, reasons in sorted(flagged(pairs, tools), key=lambda one: -len(one[1])):
        case = _pair_case(pair, reasons, pairs, writer_of(pair, tools, context))
        seen = flagged_differences(pair, reasons, tools.catalogue, tools.options.flags)
        slips = slip_cases(pair, tools, context)
        found.setdefault(case.id, FlaggedPair(pair=pair, differences=seen, case=case, slips=slips))
    return tuple(found.values())


def writer_of(pair: ComparedPair, tools: Instruments, context: CaseContext) -> PairWriter:
    """How the texts of this pair are put down."""
    return PairWriter(pair, tools, context, pair_masks(pair, tools.lexicons))


def pair_cases(
    pairs: Sequence[ComparedPair], tools: Instruments, context: CaseContext
) -> tuple[Case, ...]:
    """The cases of all flagged pairs."""
    return tuple(one.case for one in flagged_pairs(pairs, tools, context))


def confirmed_case(case: Case, found: PersistingDifference, writer: PairWriter) -> Case:
    """The case of a pair whose difference persisted.

    The replies that confirmed it stand behind those that were flagged, and a typical one of each
    side is shown: the first look was picked for being unusual. writer: of the pair asked again.
    """
    body = decode_pair(case.body) or PairBody()
    before = len(body.first.replies), len(body.second.replies)
    more = writer.sides(found.typical)
    confirmed = replace(
        body,
        first=_with_more(body.first, more[0]),
        second=_with_more(body.second, more[1]),
        shown=(before[0] + found.typical[0], before[1] + found.typical[1]),
        confirmed=found.confirmed,
    )
    return replace(case, body=encode_body(confirmed), priority=found.confirmed.priority)


def _with_more(side: PairSide, again: PairSide) -> PairSide:
    """With the replies that were asked for again, of which one is shown, and its claims."""
    return replace(side, replies=side.replies + again.replies, claims=again.claims)


def slip_cases(pair: ComparedPair, tools: Instruments, context: CaseContext) -> tuple[Case, ...]:
    """A case for each reply of a pair that was asked for and on which a rule of the policy fires.

    A model that slips now and then says it to either group: that is a matter of the reply and not
    of the pair. The live reply has its own case.
    """
    sides = zip(
        (pair.first_turns, pair.second_turns), pair.replies.fresh.answers.sides, strict=True
    )
    about = Call(id=pair.replies.call_id, use_case=context.use_case)
    said = (
        _judged(replace(about, prompt="\n\n".join(turn.content for turn in turns)), reply, tools)
        for turns, replies in sides
        for reply in replies
    )
    cases = (response_case(outcome, context, shadow=True) for outcome in said)
    return tuple(case for case in cases if case is not None)


def _judged(call: Call, reply: MeasuredReply, tools: Instruments) -> Outcome:
    """What the policy would have said of a reply that no caller received."""
    assessment, decision = tools.judge(reply.text)
    return Outcome(
        call=call,
        verdict=Verdict.FLAGGED,
        text="",
        reply=reply.text,
        assessment=assessment,
        action=decision.action,
        fired=decision.fired,
        observed_only=True,
    )


def response_case(outcome: Outcome, context: CaseContext, *, shadow: bool = False) -> Case | None:
    """A case for a reply on which a rule fired; None where none did.

    shadow: of one that was asked for, which no caller received; a call can have several.
    """
    if not outcome.fired:
        return None
    which = (outcome.call.prompt, outcome.reply) if shadow else ()
    body = response_body(outcome, versions=context.versions, kept_text=context.kept_text)
    return Case(
        id=case_id("response", outcome.call.id, *which),
        kind=CaseKind.RESPONSE,
        use_case=context.use_case,
        call_id=outcome.call.id,
        reasons=tuple(sorted({one.score for one in outcome.fired})),
        opened_at=context.at_seconds,
        body=encode_body(replace(body, shadow=shadow)),
        reviewers=context.reviewers,
        priority=max(map(_excess, outcome.fired)),
    )


def _excess(fired: Fired) -> float:
    """How far a score lies above the threshold, as a share of the way to 1."""
    room = 1.0 - fired.threshold
    return max(0.0, fired.value - fired.threshold) / room if room > 0 else 1.0


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
        return self.context.kept_text(text[:REPLY_CHARACTERS])

    def masked(self, text: str) -> str:
        """The same with every person masked by a number."""
        return self.kept(self.masks.masked(text[:REPLY_CHARACTERS]))

    def control(self, text: str | None) -> ControlReply | None:
        """A reply to compare with."""
        if text is None:
            return None
        return ControlReply(text=self.kept(text), masked=self.masked(text))

    def sides(self, shown: tuple[int, int] | None) -> tuple[PairSide, PairSide]:
        """Both conversations and all replies to them. shown: whose claims are kept, by place."""
        pair, about = self.pair, self.pair.replies
        first = self._side(about.first, pair.first_turns, about.first_replies)
        second = self._side(about.second, pair.second_turns, about.second_replies)
        if shown is None:
            return first, second
        one, two = (side[place] for side, place in zip(about.sides, shown, strict=True))
        return (
            replace(first, claims=self._claims(one, two)),
            replace(second, claims=self._claims(two, one)),
        )

    def _side(self, group: str, turns: Sequence[Turn], replies: Replies) -> PairSide:
        return PairSide(
            group=group,
            turns=tuple(map(self._turn, turns)),
            replies=tuple(map(self._reply, replies)),
        )

    def _claims(self, one: MeasuredReply, other: MeasuredReply) -> tuple[ClaimBody, ...]:
        """Of a reply, in ranges of what is kept of it; none where nothing is."""
        text, masked = one.text[:REPLY_CHARACTERS], self.masks.masked(one.text[:REPLY_CHARACTERS])
        is_kept = bool(self.context.kept_text(text))
        return claim_bodies(one, other, text=text, masked=masked) if is_kept else ()

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
    at = shown(pair)
    first, second = writer.sides(at)
    return PairBody(
        source="first" if about.source == about.first else "second",
        first=first,
        second=second,
        replacements=tuple(tuple(map(writer.replacement, turn)) for turn in pair.replacements),
        shown=at,
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
    control = controls_of(pairs).get((pair.replies.attribute, pair.replies.source))
    replies = () if control is None else control.replies.second_replies
    return next((one.text for one in replies if one.text), None)


def _correct_gap(pair: ComparedPair, pairs: Sequence[ComparedPair]) -> float | None:
    wanted = [one for one in pairs if not one.replies.is_control]
    return corrected_p_values(wanted).get(wanted.index(pair))
