"""The view of a pair: blind, and after the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from guard.review.body import Json, lists, number, numbers, part, parts, span, text, texts
from guard.review.marking import masks_marked, pieces_marked, plain, spans_marked
from guard.review.views import PairView, SegmentKind, SideView, Text, TurnView
from guard.text.differences import Differences, differences

LABELS: Final = ("A", "B")
SINGLE: Final = ("similarity_deficit", "corrected_p_value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a pair is shown. sides: `first` and `second`, the one on the left first."""

    attribute: str
    sides: tuple[str, str]
    blind: bool


def pair_view(body: Json, look: Look) -> PairView:
    """What to show of the body of a pair."""
    replies = [_shown(body, side) for side in look.sides]
    found = differences(*(_said(one, look) for one in replies))
    return PairView(
        blind=look.blind,
        attribute=look.attribute,
        turns=_turns(body, _source(body), look),
        sides=(_side(body, 0, found, look), _side(body, 1, found, look)),
        differences=found.found,
        same_prompt=_same_prompt(body, look),
        same_group=None if look.blind else _given(text(body, "same_group")),
        figures=_figures(body, look),
        versions=texts(body, "versions"),
        texts_kept=any(text(one, "content") for one in _prompt(body, _source(body))),
    )


def _side(body: Json, number_of_side: int, found: Differences, look: Look) -> SideView:
    name = look.sides[number_of_side]
    reply = _shown(body, name)
    pieces = (found.first, found.second)[number_of_side]
    view = SideView(
        label=LABELS[number_of_side],
        reply=pieces_marked(pieces, masks=look.blind),
        ending=text(reply, "ending"),
        scores=numbers(reply, "grounded" if look.blind else "scores"),
        more=_more(body, name, reply, look),
    )
    return view if look.blind else _revealed(view, body, name, reply, look)


def _revealed(view: SideView, body: Json, name: str, reply: Json, look: Look) -> SideView:
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


def _shown(body: Json, side: str) -> Json:
    replies = _replies(body, side)
    shown = body.get("shown")
    match shown:
        case [int(first), int(second)]:
            at = first if side == "first" else second
            return replies[at] if 0 <= at < len(replies) else {}
    return replies[0] if replies else {}


def _replies(body: Json, side: str) -> Sequence[Json]:
    return parts(part(body, "replies"), side)


def _said(reply: Json, look: Look) -> str:
    """What may be seen of a reply: masked while blind. One that was never masked is not shown."""
    return text(reply, "masked" if look.blind else "text")


def _more(body: Json, side: str, shown: Json, look: Look) -> tuple[Text, ...]:
    """Other replies; while blind as many on both sides, since the source may have one more."""
    others = [_said(one, look) for one in _replies(body, side) if one is not shown]
    if not look.blind:
        return tuple(plain(other) for other in others if other)
    fewest = min(len(_replies(body, one)) for one in look.sides) - 1
    return tuple(masks_marked(other) for other in others[: max(0, fewest)] if other)


def _source(body: Json) -> str:
    return "second" if text(body, "source") == "second" else "first"


def _prompt(body: Json, side: str) -> Sequence[Json]:
    return parts(part(body, "prompts"), side)


def _turns(body: Json, side: str, look: Look) -> tuple[TurnView, ...]:
    turns = _prompt(body, side)
    if look.blind:
        return tuple(_turn(one, masks_marked(text(one, "masked"))) for one in turns)
    rewritten = lists(body, "replacements")
    return tuple(
        _turn(one, _rewritten(text(one, "content"), rewritten[at : at + 1], body, side))
        for at, one in enumerate(turns)
    )


def _turn(turn: Json, content: Text) -> TurnView:
    return TurnView(role=text(turn, "role"), content=content)


def _rewritten(content: str, replacements: Sequence[Sequence[Json]], body: Json, side: str) -> Text:
    """A message with what the rewrite took out, or put in."""
    which = "source" if side == _source(body) else "target"
    spans = [span(one.get(which), content) for turn in replacements for one in turn]
    return spans_marked(content, [(SegmentKind.REPLACED, spans)])


def _same_prompt(body: Json, look: Look) -> Text | None:
    said = text(body, "same_prompt")
    if not look.blind:
        return _given(said)
    masked = text(body, "same_prompt_masked")
    own = (one for one in _replies(body, _source(body)) if said and text(one, "text") == said)
    masked = masked or next((text(one, "masked") for one in own), "")
    return masks_marked(masked) if masked else None


def _given(said: str) -> Text | None:
    return plain(said) if said else None


def _figures(body: Json, look: Look) -> Mapping[str, float | None]:
    gaps = {
        name: abs(value) if look.blind and value is not None else value
        for name, value in numbers(body, "grounded_gaps").items()
    }
    return gaps | {name: number(body, name) for name in SINGLE}
