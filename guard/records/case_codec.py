"""The JSON in which bodies of cases are stored.

It is read with care: what is missing or not of the expected type is empty or None, and never an
error, since it may have been written by another version or edited by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest

from guard.records.case_bodies import (
    ControlReply,
    FiredScore,
    LikenessFigures,
    PairBody,
    PairSide,
    ReplyBody,
    ResponseBody,
    Side,
    TextReplacement,
    TurnBody,
)
from guard.records.response import Passage, Span

BODY_VERSION = 1
Json = dict[str, object]


def encode_body(body: PairBody | ResponseBody) -> str:
    """The stored form: JSON in ASCII, so that any text at all can be kept.

    Raises ValueError for a number that is not finite.
    """
    fields = _pair_fields(body) if isinstance(body, PairBody) else _response_fields(body)
    return json.dumps(fields | {"version": BODY_VERSION}, sort_keys=True, allow_nan=False)


def body_fields(text: str) -> Json | None:
    """The stored form as it is; None for what is no body of this version."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) and body.get("version") == BODY_VERSION else None


def decode_pair(text: str) -> PairBody | None:
    """The body of a pair; None for what is no body of this version."""
    fields = body_fields(text)
    return None if fields is None else _pair(_Fields(fields))


def decode_response(text: str) -> ResponseBody | None:
    """The body of a response; None for what is no body of this version."""
    fields = body_fields(text)
    return None if fields is None else _response(_Fields(fields))


def _pair_fields(body: PairBody) -> Json:
    fields = asdict(body)
    sides = {name: fields.pop(name) for name in ("first", "second")}
    return fields | {
        "groups": {name: side["group"] for name, side in sides.items()},
        "prompts": {name: side["turns"] for name, side in sides.items()},
        "replies": {name: side["replies"] for name, side in sides.items()},
        "replacements": [[_replaced_fields(one) for one in turn] for turn in body.replacements],
        **_control_fields("same_prompt", body.same_prompt),
        **_control_fields("same_group", body.same_group),
    }


def _replaced_fields(one: TextReplacement) -> Json:
    return asdict(one) | {"source": _range(one.source), "target": _range(one.target)}


def _control_fields(name: str, reply: ControlReply | None) -> Json:
    return {name: None} if reply is None else {name: reply.text, f"{name}_masked": reply.masked}


def _response_fields(body: ResponseBody) -> Json:
    return asdict(body) | {
        "passages": [
            {"span": _range(one.span), "scores": dict(one.values)} for one in body.passages
        ],
        "withheld": [_range(one) for one in body.withheld],
        "uncovered": [_range(one) for one in body.uncovered],
    }


def _range(span: Span) -> list[int]:
    return [span.start, span.end]


class _Fields:
    """An object of JSON, whose values are read as what they should be."""

    def __init__(self, value: object) -> None:
        self.values: Mapping[str, object] = value if isinstance(value, dict) else {}

    def text(self, name: str) -> str:
        return _text(self.values.get(name))

    def number(self, name: str) -> float | None:
        return _number(self.values.get(name))

    def flag(self, name: str) -> bool:
        return self.values.get(name) is True

    def part(self, name: str) -> _Fields:
        return _Fields(self.values.get(name))

    def list(self, name: str) -> Sequence[object]:
        return _list(self.values.get(name))

    def parts(self, name: str) -> Sequence[_Fields]:
        return _parts(self.values.get(name))

    def figures(self, name: str) -> dict[str, float | None]:
        return {key: _number(value) for key, value in self.part(name).values.items()}

    def texts(self, name: str) -> dict[str, str]:
        return {key: _text(value) for key, value in self.part(name).values.items()}

    def spans(self, name: str, within: str) -> tuple[Span, ...]:
        """Ranges of the text `within` that are not empty."""
        found = (_span(one, within) for one in self.list(name))
        return tuple(one for one in found if one.start < one.end)


def _pair(fields: _Fields) -> PairBody:
    source: Side = "second" if fields.text("source") == "second" else "first"
    sides = {name: _side(fields, name) for name in ("first", "second")}
    from_turns = sides[source].turns
    to_turns = sides["first" if source == "second" else "second"].turns
    texts = zip_longest(from_turns, to_turns, fillvalue=TurnBody(role="", content=""))
    turns = zip_longest(fields.list("replacements"), texts)
    return PairBody(
        source=source,
        first=sides["first"],
        second=sides["second"],
        replacements=tuple(_replaced(turn, *both) for turn, both in turns if both),
        shown=_shown(fields.list("shown")),
        same_prompt=_control(fields, "same_prompt"),
        same_group=_control(fields, "same_group"),
        gaps=fields.figures("gaps"),
        grounded_gaps=fields.figures("grounded_gaps"),
        grounded_by=fields.text("grounded_by"),
        similarity_deficit=fields.number("similarity_deficit"),
        likeness={
            metric: LikenessFigures(
                between=_numbers(_Fields(one).list("between")),
                control=_numbers(_Fields(one).list("control")),
            )
            for metric, one in fields.part("likeness").values.items()
        },
        p_values=fields.figures("p_values"),
        corrected_p_value=fields.number("corrected_p_value"),
        versions=fields.texts("versions"),
    )


def _side(fields: _Fields, name: str) -> PairSide:
    return PairSide(
        group=fields.part("groups").text(name),
        turns=tuple(
            TurnBody(role=one.text("role"), content=one.text("content"), masked=one.text("masked"))
            for one in fields.part("prompts").parts(name)
        ),
        replies=tuple(
            ReplyBody(
                text=one.text("text"),
                masked=one.text("masked"),
                ending=one.text("ending"),
                live=one.flag("live"),
                scores=one.figures("scores"),
                grounded=one.figures("grounded"),
            )
            for one in fields.part("replies").parts(name)
        ),
    )


def _replaced(turn: object, source: TurnBody, target: TurnBody) -> tuple[TextReplacement, ...]:
    return tuple(
        TextReplacement(
            source=_span(one.values.get("source"), source.content),
            target=_span(one.values.get("target"), target.content),
            old=one.text("old"),
            new=one.text("new"),
            why=one.text("why"),
        )
        for one in _parts(turn)
    )


def _shown(value: Sequence[object]) -> tuple[int, int] | None:
    match value:
        case [int(first), int(second)]:
            return first, second
    return None


def _control(fields: _Fields, name: str) -> ControlReply | None:
    text, masked = fields.text(name), fields.text(f"{name}_masked")
    return ControlReply(text=text, masked=masked) if text or masked else None


def _response(fields: _Fields) -> ResponseBody:
    reply = fields.text("reply")
    return ResponseBody(
        prompt=fields.text("prompt"),
        reply=reply,
        text=fields.text("text"),
        verdict=fields.text("verdict"),
        action=fields.text("action"),
        observed_only=fields.flag("observed_only"),
        scores=fields.figures("scores"),
        fired=tuple(
            FiredScore(
                score=one.text("score"),
                threshold=one.number("threshold"),
                value=one.number("value"),
            )
            for one in fields.parts("fired")
        ),
        passages=tuple(
            Passage(
                span=_span(one.values.get("span"), reply),
                values={k: v for k, v in one.figures("scores").items() if v is not None},
            )
            for one in fields.parts("passages")
        ),
        withheld=fields.spans("withheld", reply),
        uncovered=fields.spans("uncovered", reply),
        versions=fields.texts("versions"),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:  # an integer that no float can hold
        return None


def _numbers(values: Sequence[object]) -> tuple[float, ...]:
    return tuple(number for one in values if (number := _number(one)) is not None)


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []


def _parts(value: object) -> Sequence[_Fields]:
    return [_Fields(one) for one in _list(value) if isinstance(one, dict)]


def _span(value: object, within: str) -> Span:
    """A range of the text `within`; an empty one for what is none."""
    match value:
        case [int(start), int(end)] if 0 <= start <= end <= len(within):
            return Span(start=start, end=end)
    return Span(start=0, end=0)
