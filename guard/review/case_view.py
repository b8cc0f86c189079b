"""What a reviewer sees of a case: a pair blind until the vote, then everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Final

from guard.records import (
    CaseKind,
    CaseRecord,
    ClaimBody,
    ControlReply,
    PairBody,
    Passage,
    ReplyBody,
    ResponseBody,
    Side,
    Vote,
    decode_pair,
    decode_response,
)
from guard.review.segments import mark_masks, mark_pieces, mark_spans, plain_text
from guard.review.views import (
    ClaimsView,
    ClaimView,
    OpenedCase,
    PairView,
    ResponseView,
    ScoreView,
    SegmentedText,
    SegmentKind,
    SideView,
    TurnView,
)
from guard.text.differences import TextRun, differences

LABELS: Final = ("A", "B")
FIRST_LEFT: Final[tuple[Side, Side]] = ("first", "second")
SECOND_LEFT: Final[tuple[Side, Side]] = ("second", "first")


def open_case(record: CaseRecord, reviewer: str, key: bytes, *, reveal: bool = False) -> OpenedCase:
    """A case in front of `reviewer`. key: of the order of sides. reveal: show all of it anyway."""
    vote = vote_of(record, reviewer)
    undecided = vote is None and record.state.waits and not reveal
    blind = undecided and record.case.kind is CaseKind.PAIR
    return OpenedCase(
        record=_redact(record, undecided=undecided, blind=blind),
        view=_body_view(record, reviewer, key, blind=blind),
        held=record.holder == reviewer != "",
        blind=blind,
        verdict=vote.verdict if vote else "",
    )


def vote_of(record: CaseRecord, reviewer: str) -> Vote | None:
    """The vote of this reviewer."""
    return next((vote for vote in record.votes if vote.reviewer == reviewer), None)


def side_order(case_id: str, reviewer: str, key: bytes) -> tuple[Side, Side]:
    """The sides of a pair in the order in which this reviewer sees them, left first.

    A keyed hash of case and reviewer: unpredictable without the key, and balanced over the cases
    of a reviewer and over the reviewers of a case. key: up to 64 bytes.
    """
    about = b"\0".join(one.encode("utf-8", "surrogatepass") for one in (case_id, reviewer))
    odd = blake2b(about, key=key[:64], digest_size=8).digest()[0] & 1
    return SECOND_LEFT if odd else FIRST_LEFT


def _redact(record: CaseRecord, *, undecided: bool, blind: bool) -> CaseRecord:
    """Without what could influence a reviewer who has not decided."""
    case = replace(record.case, body="", groups=() if blind else record.case.groups)
    return replace(record, case=case, votes=() if undecided else record.votes)


def _body_view(
    record: CaseRecord, reviewer: str, key: bytes, *, blind: bool
) -> PairView | ResponseView | None:
    case = record.case
    if case.kind is CaseKind.RESPONSE:
        response = decode_response(case.body)
        return response_view(response) if response else None
    sides = side_order(case.id, reviewer, key)
    pair = decode_pair(case.body)
    look = PairLook(attribute=case.attribute, sides=sides, blind=blind)
    return pair_view(pair, look) if pair else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLook:
    """How a pair is shown. sides: the one on the left first. blind: masked, groups hidden."""

    attribute: str
    sides: tuple[Side, Side]
    blind: bool


def pair_view(body: PairBody, look: PairLook) -> PairView:
    """What to show of a pair."""
    texts = [_visible_text(body.shown_reply(side), look) for side in look.sides]
    found = differences(*texts)
    return PairView(
        blind=look.blind,
        attribute=look.attribute,
        turns=_turns(body, body.source, look),
        sides=(_side_view(body, look, 0, found.first), _side_view(body, look, 1, found.second)),
        differences=found.quality,
        same_prompt=_same_prompt(body, look),
        same_group=None if look.blind else _control_text(body.same_group),
        figures=_figures(body, look),
        versions=body.versions,
        texts_kept=any(turn.content for turn in body.side(body.source).turns),
    )


def _side_view(body: PairBody, look: PairLook, place: int, pieces: tuple[TextRun, ...]) -> SideView:
    side = look.sides[place]
    shown = body.shown_reply(side) or ReplyBody(text="")
    view = SideView(
        label=LABELS[place],
        reply=mark_pieces(pieces, masks=look.blind),
        ending=shown.ending,
        scores=shown.grounded if look.blind else shown.scores,
        more=_other_replies(body, side, look),
        claims=_claims(body.side(side).claims, shown, look),
    )
    if look.blind:
        return view
    return replace(
        view,
        group=body.side(side).group,
        turns=_turns(body, side, look),
        is_source=side == body.source,
        live=shown.live,
    )


def _visible_text(reply: ReplyBody | None, look: PairLook) -> str:
    """The masked text while blind: a reply that was never masked is not shown then."""
    if reply is None:
        return ""
    return reply.masked if look.blind else reply.text


def _claims(claims: tuple[ClaimBody, ...], reply: ReplyBody, look: PairLook) -> ClaimsView | None:
    """Those that the other reply does not make; None where there are none at all."""
    apart = (_claim(one, reply, look) for one in claims if one.likeliest != "entailed")
    shown = tuple(one for one in apart if one.text)
    return ClaimsView(sentences=len(claims), apart=shown) if claims else None


def _claim(one: ClaimBody, reply: ReplyBody, look: PairLook) -> ClaimView:
    contradicted = one.likeliest == "contradicted"
    if look.blind:
        text = mark_masks(reply.masked[one.masked.start : one.masked.end])
    else:
        text = plain_text(reply.text[one.span.start : one.span.end])
    chance = one.contradicted if contradicted else one.neutral
    return ClaimView(text=text, contradicted=contradicted, chance=chance)


def _other_replies(body: PairBody, side: Side, look: PairLook) -> tuple[SegmentedText, ...]:
    """While blind as many on both sides, since the source may have one more."""
    shown = body.shown_reply(side)
    others = [_visible_text(one, look) for one in body.side(side).replies if one is not shown]
    if not look.blind:
        return tuple(plain_text(other) for other in others if other)
    fewest = min(len(body.first.replies), len(body.second.replies)) - 1
    return tuple(mark_masks(other) for other in others[: max(0, fewest)] if other)


def _turns(body: PairBody, side: Side, look: PairLook) -> tuple[TurnView, ...]:
    turns = body.side(side).turns
    if look.blind:
        return tuple(TurnView(role=one.role, content=mark_masks(one.masked)) for one in turns)
    return tuple(
        TurnView(role=one.role, content=_rewritten(body, side, at, one.content))
        for at, one in enumerate(turns)
    )


def _rewritten(body: PairBody, side: Side, turn: int, content: str) -> SegmentedText:
    """A message with what the rewrite took out of it, or put into it, marked."""
    replaced = body.replacements[turn] if turn < len(body.replacements) else ()
    spans = [one.source if side == body.source else one.target for one in replaced]
    return mark_spans(content, [(SegmentKind.REPLACED, spans)])


def _same_prompt(body: PairBody, look: PairLook) -> SegmentedText | None:
    control = body.same_prompt
    if control is None or not look.blind:
        return _control_text(control)
    same = (one for one in body.side(body.source).replies if one.text == control.text != "")
    masked = control.masked or next((one.masked for one in same), "")
    return mark_masks(masked) if masked else None


def _control_text(control: ControlReply | None) -> SegmentedText | None:
    return plain_text(control.text) if control and control.text else None


def _figures(body: PairBody, look: PairLook) -> Mapping[str, float | None]:
    gaps = {
        name: abs(value) if look.blind and value is not None else value
        for name, value in body.grounded_gaps.items()
    }
    confirmed = body.confirmed
    again = {
        "confirmed_difference": confirmed.size if confirmed else None,
        "confirmed_at_least": confirmed.low if confirmed else None,
    }
    return (
        again
        | gaps
        | {
            "similarity_deficit": body.similarity_deficit,
            "claims_deficit": body.claims_deficit,
            "corrected_p_value": body.corrected_p_value,
        }
    )


def response_view(body: ResponseBody) -> ResponseView:
    """What to show of a reply on which a rule fired."""
    thresholds = _thresholds(body)
    reached = [one.span for one in body.passages if _reaches(one, thresholds)]
    offending = reached or body.read_again
    marks = [(SegmentKind.OFFENDING, offending), (SegmentKind.WITHHELD, body.withheld)]
    return ResponseView(
        prompt=plain_text(body.prompt),
        reply=mark_spans(body.reply, marks),
        released=None if body.text == body.reply else plain_text(body.text),
        scores=_scores(body, thresholds),
        verdict=body.verdict,
        action=body.action,
        observed_only=body.observed_only,
        shadow=body.shadow,
        uncovered_characters=sum(one.end - one.start for one in body.uncovered),
        second_look=body.second_look,
        versions=body.versions,
        texts_kept=bool(body.reply or body.text),
    )


def _thresholds(body: ResponseBody) -> dict[str, float]:
    """Score to the lowest threshold that fired on it."""
    found: dict[str, float] = {}
    for one in body.fired:
        if one.threshold is not None:
            found[one.score] = min(one.threshold, found.get(one.score, one.threshold))
    return found


def _reaches(passage: Passage, thresholds: Mapping[str, float]) -> bool:
    return any(
        passage.values[score] >= threshold
        for score, threshold in thresholds.items()
        if score in passage.values
    )


def _scores(body: ResponseBody, thresholds: Mapping[str, float]) -> tuple[ScoreView, ...]:
    """Those that fired first, then by value."""
    second = body.second_scores
    scores = [
        ScoreView(name=name, value=value, threshold=thresholds.get(name), second=second.get(name))
        for name, value in body.scores.items()
    ]
    return tuple(
        sorted(scores, key=lambda one: (one.threshold is None, -(one.value or 0.0), one.name))
    )
