"""What a certain person may see of a case: blind until they voted on a pair, then all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Final

from guard.records import CaseKind, CaseRecord, CaseState, Span, Vote
from guard.review.body import (
    Json,
    body_of,
    lists,
    number,
    numbers,
    part,
    parts,
    span,
    spans,
    text,
    texts,
)
from guard.review.segments import mark_masks, mark_pieces, mark_spans, plain_text
from guard.review.views import (
    OpenedCase,
    PairView,
    ResponseView,
    ScoreView,
    SegmentedText,
    SegmentKind,
    SideView,
    TurnView,
)
from guard.text.differences import Differences, differences


def open_case(record: CaseRecord, reviewer: str, key: bytes, *, reveal: bool = False) -> OpenedCase:
    """A case in front of `reviewer`. key: of the order of sides. reveal: all of it, whatever."""
    vote = vote_of(record, reviewer)
    undecided = vote is None and record.state is not CaseState.CLOSED and not reveal
    blind = undecided and record.case.kind is CaseKind.PAIR
    return OpenedCase(
        record=_hidden(record, undecided=undecided, blind=blind),
        view=_body_view(record, reviewer, key, blind=blind),
        held=record.holder == reviewer != "",
        blind=blind,
        verdict=vote.verdict if vote else "",
    )


def vote_of(record: CaseRecord, reviewer: str) -> Vote | None:
    """This person's vote."""
    return next((vote for vote in record.votes if vote.reviewer == reviewer), None)


def _hidden(record: CaseRecord, *, undecided: bool, blind: bool) -> CaseRecord:
    """Without what would sway who has yet to decide."""
    case = replace(record.case, body="", groups=() if blind else record.case.groups)
    return replace(record, case=case, votes=() if undecided else record.votes)


def _body_view(
    record: CaseRecord, reviewer: str, key: bytes, *, blind: bool
) -> PairView | ResponseView | None:
    body = body_of(record.case.body)
    if body is None:
        return None
    if record.case.kind is CaseKind.RESPONSE:
        return response_view(body)
    sides = side_order(record.case.id, reviewer, key)
    return pair_view(body, PairLook(attribute=record.case.attribute, sides=sides, blind=blind))


FIRST_LEFT = ("first", "second")
SECOND_LEFT = ("second", "first")


def side_order(case_id: str, reviewer: str, key: bytes) -> tuple[str, str]:
    """The sides of the body in the order in which this reviewer sees them.

    A keyed hash of both, so that nobody without the key can tell, and over many cases, and over
    many reviewers of one case, each order comes up half of the time. key: up to 64 bytes.
    """
    about = b"\0".join(one.encode("utf-8", "surrogatepass") for one in (case_id, reviewer))
    odd = blake2b(about, key=key[:64], digest_size=8).digest()[0] & 1
    return SECOND_LEFT if odd else FIRST_LEFT


LABELS: Final = ("A", "B")
SINGLE: Final = ("similarity_deficit", "corrected_p_value")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLook:
    """How a pair is shown. sides: `first` and `second`, the one on the left first."""

    attribute: str
    sides: tuple[str, str]
    blind: bool


def pair_view(body: Json, look: PairLook) -> PairView:
    """What to show of the body of a pair."""
    replies = [_shown_reply(body, side) for side in look.sides]
    found = differences(*(_reply_text(one, look) for one in replies))
    return PairView(
        blind=look.blind,
        attribute=look.attribute,
        turns=_turns(body, _source(body), look),
        sides=(_side(body, 0, found, look), _side(body, 1, found, look)),
        differences=found.quality,
        same_prompt=_same_prompt(body, look),
        same_group=None if look.blind else _plain_or_none(text(body, "same_group")),
        figures=_figures(body, look),
        versions=texts(body, "versions"),
        texts_kept=any(text(one, "content") for one in _prompt(body, _source(body))),
    )


def _side(body: Json, number_of_side: int, found: Differences, look: PairLook) -> SideView:
    name = look.sides[number_of_side]
    reply = _shown_reply(body, name)
    pieces = (found.first, found.second)[number_of_side]
    view = SideView(
        label=LABELS[number_of_side],
        reply=mark_pieces(pieces, masks=look.blind),
        ending=text(reply, "ending"),
        scores=numbers(reply, "grounded" if look.blind else "scores"),
        more=_more(body, name, reply, look),
    )
    return view if look.blind else _revealed(view, body, name, reply, look)


def _revealed(view: SideView, body: Json, name: str, reply: Json, look: PairLook) -> SideView:
    return SideView(
        label=view.label,
        reply=view.reply,
        ending=view.ending,
        scores=view.scores,
        more=view.more,
        group=text(part(body, "groups"), name),
        turns=_turns(body, name, look),
        is_source=name == _source(body),
        live=reply.get("live") is True,
    )


def _shown_reply(body: Json, side: str) -> Json:
    replies = _replies(body, side)
    shown = body.get("shown")
    match shown:
        case [int(first), int(second)]:
            at = first if side == "first" else second
            return replies[at] if 0 <= at < len(replies) else {}
    return replies[0] if replies else {}


def _replies(body: Json, side: str) -> Sequence[Json]:
    return parts(part(body, "replies"), side)


def _reply_text(reply: Json, look: PairLook) -> str:
    """What may be seen of a reply: masked while blind. One that was never masked is not shown."""
    return text(reply, "masked" if look.blind else "text")


def _more(body: Json, side: str, shown: Json, look: PairLook) -> tuple[SegmentedText, ...]:
    """Other replies; while blind as many on both sides, since the source may have one more."""
    others = [_reply_text(one, look) for one in _replies(body, side) if one is not shown]
    if not look.blind:
        return tuple(plain_text(other) for other in others if other)
    fewest = min(len(_replies(body, one)) for one in look.sides) - 1
    return tuple(mark_masks(other) for other in others[: max(0, fewest)] if other)


def _source(body: Json) -> str:
    return "second" if text(body, "source") == "second" else "first"


def _prompt(body: Json, side: str) -> Sequence[Json]:
    return parts(part(body, "prompts"), side)


def _turns(body: Json, side: str, look: PairLook) -> tuple[TurnView, ...]:
    turns = _prompt(body, side)
    if look.blind:
        return tuple(_turn(one, mark_masks(text(one, "masked"))) for one in turns)
    rewritten = lists(body, "replacements")
    return tuple(
        _turn(one, _rewritten(text(one, "content"), rewritten[at : at + 1], body, side))
        for at, one in enumerate(turns)
    )


def _turn(turn: Json, content: SegmentedText) -> TurnView:
    return TurnView(role=text(turn, "role"), content=content)


def _rewritten(
    content: str, replacements: Sequence[Sequence[Json]], body: Json, side: str
) -> SegmentedText:
    """A message with what the rewrite took out, or put in."""
    which = "source" if side == _source(body) else "target"
    spans = [span(one.get(which), content) for turn in replacements for one in turn]
    return mark_spans(content, [(SegmentKind.REPLACED, spans)])


def _same_prompt(body: Json, look: PairLook) -> SegmentedText | None:
    said = text(body, "same_prompt")
    if not look.blind:
        return _plain_or_none(said)
    masked = text(body, "same_prompt_masked")
    own = (one for one in _replies(body, _source(body)) if said and text(one, "text") == said)
    masked = masked or next((text(one, "masked") for one in own), "")
    return mark_masks(masked) if masked else None


def _plain_or_none(said: str) -> SegmentedText | None:
    return plain_text(said) if said else None


def _figures(body: Json, look: PairLook) -> Mapping[str, float | None]:
    gaps = {
        name: abs(value) if look.blind and value is not None else value
        for name, value in numbers(body, "grounded_gaps").items()
    }
    return gaps | {name: number(body, name) for name in SINGLE}


def response_view(body: Json) -> ResponseView:
    """What to show of the body of a response."""
    reply, released = text(body, "reply"), text(body, "text")
    thresholds = _thresholds(body)
    marks = [
        (SegmentKind.OFFENDING, _offending(body, thresholds, reply)),
        (SegmentKind.WITHHELD, spans(body, "withheld", reply)),
    ]
    return ResponseView(
        prompt=plain_text(text(body, "prompt")),
        reply=mark_spans(reply, marks),
        released=None if released == reply else plain_text(released),
        scores=_scores(numbers(body, "scores"), thresholds),
        verdict=text(body, "verdict"),
        action=text(body, "action"),
        observed_only=body.get("observed_only") is True,
        uncovered_characters=sum(one.end - one.start for one in spans(body, "uncovered", reply)),
        versions=texts(body, "versions"),
        texts_kept=bool(reply or released),
    )


def _thresholds(body: Json) -> dict[str, float]:
    """Score to the lowest threshold that fired on it."""
    fired = [(text(one, "score"), number(one, "threshold")) for one in parts(body, "fired")]
    known = [(score, threshold) for score, threshold in fired if threshold is not None]
    return dict(sorted(known, key=lambda one: -one[1]))


def _offending(body: Json, thresholds: Mapping[str, float], reply: str) -> list[Span]:
    return [
        span(one.get("span"), reply)
        for one in parts(body, "passages")
        if _reaches(part(one, "scores"), thresholds)
    ]


def _reaches(scores: Json, thresholds: Mapping[str, float]) -> bool:
    values = ((number(scores, score), threshold) for score, threshold in thresholds.items())
    return any(value is not None and value >= threshold for value, threshold in values)


def _scores(
    values: Mapping[str, float | None], thresholds: Mapping[str, float]
) -> tuple[ScoreView, ...]:
    """Those that fired first, then by value."""
    scores = [
        ScoreView(name=name, value=value, threshold=thresholds.get(name))
        for name, value in values.items()
    ]
    return tuple(sorted(scores, key=_rank))


def _rank(score: ScoreView) -> tuple[bool, float, str]:
    return score.threshold is None, -(score.value or 0.0), score.name
