"""The JSON in which bodies of cases are stored.

It is read with care: what is missing or not of the expected type is empty or None, and never an
error, since it may have been written by another version or edited by hand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import cache
from itertools import zip_longest
from typing import Any

from guard.records.case_bodies import (
    ClaimBody,
    ConfirmedDifference,
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
_SPAN = tuple(field.name for field in fields(Span))
_RARE = ("candidate", "shadow", "second_look", "second_scores", "read_again")
"""Fields of a response that are left out where they are empty."""


def encode_body(body: PairBody | ResponseBody) -> str:
    """The stored form: JSON in ASCII, so that any text at all can be kept.

    Raises ValueError for a number that is not finite.
    """
    values = _pair_fields(body) if isinstance(body, PairBody) else _response_fields(body)
    return json.dumps(values | {"version": BODY_VERSION}, sort_keys=True, allow_nan=False)


def body_fields(text: str) -> Json | None:
    """The stored form as it is, 0 for a number that is none; None for what is no body of this
    version."""
    try:
        body = json.loads(text, parse_constant=lambda _: 0)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) and body.get("version") == BODY_VERSION else None


def decode_pair(text: str) -> PairBody | None:
    """The body of a pair; None for what is no body of this version."""
    body = body_fields(text)
    return None if body is None else _pair(_Fields(body))


def decode_response(text: str) -> ResponseBody | None:
    """The body of a response; None for what is no body of this version."""
    body = body_fields(text)
    return None if body is None else _response(_Fields(body))


def _pair_fields(body: PairBody) -> Json:
    values: dict[str, Any] = asdict(body, dict_factory=_plain_json)
    confirmed = values.pop("confirmed")
    sides = {name: values.pop(name) for name in ("first", "second")}
    claims = {name: side["claims"] for name, side in sides.items() if side["claims"]}
    return values | {
        "groups": {name: side["group"] for name, side in sides.items()},
        "prompts": {name: side["turns"] for name, side in sides.items()},
        "replies": {name: side["replies"] for name, side in sides.items()},
        **_control_fields("same_prompt", body.same_prompt),
        **_control_fields("same_group", body.same_group),
        **({"confirmed": confirmed} if confirmed else {}),
        **({"claims": claims} if claims else {}),
    }


def _control_fields(name: str, reply: ControlReply | None) -> Json:
    return {name: None} if reply is None else {name: reply.text, f"{name}_masked": reply.masked}


def _response_fields(body: ResponseBody) -> Json:
    values: dict[str, Any] = asdict(body, dict_factory=_plain_json)
    passages = [{"span": one["span"], "scores": one["values"]} for one in values["passages"]]
    rare = {name: values.pop(name) for name in _RARE}
    return values | {"passages": passages} | {name: one for name, one in rare.items() if one}


def _plain_json(values: list[tuple[str, Any]]) -> Any:
    """A record as an object; a span as the list of its two ends."""
    record = dict(values)
    return [*record.values()] if tuple(record) == _SPAN else record


class _Fields:
    """An object of JSON, whose values are read as what they should be."""

    def __init__(self, value: object) -> None:
        self.values = _object(value)

    def text(self, name: str) -> str:
        return _text(self.values.get(name))

    def part(self, name: str) -> _Fields:
        return _Fields(self.values.get(name))

    def list(self, name: str) -> Sequence[object]:
        return _list(self.values.get(name))

    def parts(self, name: str) -> Sequence[_Fields]:
        return _parts(self.values.get(name))

    def spans(self, name: str, within: str) -> tuple[Span, ...]:
        """Ranges of the text `within` that are not empty."""
        found = (_span(one, within) for one in self.list(name))
        return tuple(one for one in found if one.start < one.end)

    def values_for(self, record: type) -> dict[str, Any]:
        """The values for those fields of a dataclass that are read by their type alone."""
        return {name: read(self.values.get(name)) for name, read in _readers_for(record)}


def _pair(body: _Fields) -> PairBody:
    source: Side = "second" if body.text("source") == "second" else "first"
    sides = {name: _side(body, name, at) for at, name in enumerate(("first", "second"))}
    from_turns = sides[source].turns
    to_turns = sides["first" if source == "second" else "second"].turns
    texts = zip_longest(from_turns, to_turns, fillvalue=TurnBody(role="", content=""))
    turns = zip_longest(body.list("replacements"), texts)
    return PairBody(
        source=source,
        first=sides["first"],
        second=sides["second"],
        replacements=tuple(_read_replacements(turn, *both) for turn, both in turns if both),
        shown=_read_range(body.list("shown")),
        same_prompt=_control(body, "same_prompt"),
        same_group=_control(body, "same_group"),
        likeness={
            metric: LikenessFigures(**_Fields(one).values_for(LikenessFigures))
            for metric, one in body.part("likeness").values.items()
        },
        confirmed=_confirmed(body),
        **body.values_for(PairBody),
    )


def _side(body: _Fields, name: str, place: int) -> PairSide:
    side = _texts_of_side(body, name)
    shown = _read_range(body.list("shown")) or (0, 0)
    replies = side.replies[shown[place] : shown[place] + 1] if shown[place] >= 0 else ()
    claims = (_claim(one, *replies) for one in body.part("claims").parts(name) if replies)
    return replace(side, claims=tuple(claims))


def _claim(one: _Fields, reply: ReplyBody) -> ClaimBody:
    return ClaimBody(
        span=_span(one.values.get("span"), reply.text),
        masked=_span(one.values.get("masked"), reply.masked),
        **one.values_for(ClaimBody),
    )


def _texts_of_side(body: _Fields, name: str) -> PairSide:
    return PairSide(
        group=body.part("groups").text(name),
        turns=tuple(
            TurnBody(**one.values_for(TurnBody)) for one in body.part("prompts").parts(name)
        ),
        replies=tuple(
            ReplyBody(**one.values_for(ReplyBody)) for one in body.part("replies").parts(name)
        ),
    )


def _read_replacements(
    turn: object, source: TurnBody, target: TurnBody
) -> tuple[TextReplacement, ...]:
    return tuple(
        TextReplacement(
            source=_span(one.values.get("source"), source.content),
            target=_span(one.values.get("target"), target.content),
            **one.values_for(TextReplacement),
        )
        for one in _parts(turn)
    )


def _read_range(value: Sequence[object]) -> tuple[int, int] | None:
    match value:
        case [int(first), int(second)]:
            return first, second
    return None


def _control(body: _Fields, name: str) -> ControlReply | None:
    text, masked = body.text(name), body.text(f"{name}_masked")
    return ControlReply(text=text, masked=masked) if text or masked else None


def _confirmed(body: _Fields) -> ConfirmedDifference | None:
    values = body.part("confirmed")
    return ConfirmedDifference(**values.values_for(ConfirmedDifference)) if values.values else None


def _response(body: _Fields) -> ResponseBody:
    reply = body.text("reply")
    return ResponseBody(
        fired=tuple(FiredScore(**one.values_for(FiredScore)) for one in body.parts("fired")),
        passages=tuple(
            Passage(
                span=_span(one.values.get("span"), reply),
                values={
                    k: v for k, v in _figures(one.values.get("scores")).items() if v is not None
                },
            )
            for one in body.parts("passages")
        ),
        withheld=body.spans("withheld", reply),
        uncovered=body.spans("uncovered", reply),
        read_again=body.spans("read_again", reply),
        **body.values_for(ResponseBody),
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


def _figure(value: object) -> float:
    return _number(value) or 0.0


def _is_true(value: object) -> bool:
    return value is True


def _numbers(value: object) -> tuple[float, ...]:
    return tuple(number for one in _list(value) if (number := _number(one)) is not None)


def _figures(value: object) -> dict[str, float | None]:
    return {key: _number(one) for key, one in _object(value).items()}


def _texts(value: object) -> dict[str, str]:
    return {key: _text(one) for key, one in _object(value).items()}


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


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


_READERS: Mapping[str, Callable[[object], object]] = {
    "str": _text,
    "float": _figure,
    "float | None": _number,
    "bool": _is_true,
    "tuple[float, ...]": _numbers,
    "Figures": _figures,
    "Mapping[str, str]": _texts,
}
"""By the type of a field, as it is written in `case_bodies`."""


@cache
def _readers_for(record: type) -> Sequence[tuple[str, Callable[[object], object]]]:
    typed = [(field.name, str(field.type)) for field in fields(record)]
    return [(name, _READERS[kind]) for name, kind in typed if kind in _READERS]
