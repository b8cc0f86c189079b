"""Bodies of cases: what is written is read again, also what version 0.1.0 wrote, and by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.records import (
    ClaimBody,
    ConfirmedDifference,
    ControlReply,
    FiredScore,
    LikenessFigures,
    PairBody,
    PairSide,
    Passage,
    ReplyBody,
    ResponseBody,
    Span,
    TextReplacement,
    TurnBody,
    body_fields,
    decode_pair,
    decode_response,
    encode_body,
)
from tests.stored_0_1 import contents

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(max_size=8)
FIGURES = st.dictionaries(TEXTS, st.none() | NUMBERS, max_size=3)
TURNS = st.builds(TurnBody, role=TEXTS, content=TEXTS, masked=TEXTS)
REPLIES = st.builds(
    ReplyBody,
    text=TEXTS,
    masked=TEXTS,
    ending=TEXTS,
    live=st.booleans(),
    scores=FIGURES,
    grounded=FIGURES,
)
SIDES = st.builds(
    PairSide,
    group=TEXTS,
    turns=st.lists(TURNS, max_size=3).map(tuple),
    replies=st.lists(REPLIES, max_size=3).map(tuple),
)
CONTROLS = st.builds(ControlReply, text=TEXTS.filter(bool), masked=TEXTS)
LISTS = st.lists(NUMBERS, max_size=3).map(tuple)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
NAMES = (
    *("source", "groups", "prompts", "replies", "replacements", "shown", "same_prompt", "gaps"),
    *("same_group", "grounded_gaps", "grounded_by", "similarity_deficit", "likeness", "p_values"),
    *("corrected_p_value", "versions", "prompt", "reply", "text", "verdict", "action", "scores"),
    *("observed_only", "fired", "passages", "withheld", "uncovered", "first", "second", "span"),
    *("second_look", "second_scores", "read_again", "claims", "masked", "entailed"),
)
NESTED = st.recursive(
    JSON,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=12,
)


def ranges(text: str, *, least: int = 0) -> st.SearchStrategy[Span]:
    """Spans of a text, of at least so many characters."""
    starts = st.integers(0, len(text) - least)
    return starts.flatmap(
        lambda start: st.builds(
            Span, start=st.just(start), end=st.integers(start + least, len(text))
        )
    )


@st.composite
def with_claims(draw: st.DrawFn, side: PairSide, shown: int) -> PairSide:
    """With claims of the reply that is shown."""
    if not 0 <= shown < len(side.replies):
        return side
    reply = side.replies[shown]
    claims = st.builds(
        ClaimBody,
        span=ranges(reply.text),
        masked=ranges(reply.masked),
        entailed=NUMBERS,
        neutral=NUMBERS,
        contradicted=NUMBERS,
    )
    return replace(side, claims=tuple(draw(st.lists(claims, max_size=2))))


@st.composite
def pairs(draw: st.DrawFn) -> PairBody:
    shown = draw(st.none() | st.tuples(st.integers(-1, 4), st.integers(-1, 4)))
    first, second = (
        draw(with_claims(draw(SIDES), at)) for at in ((0, 0) if shown is None else shown)
    )
    source = draw(st.sampled_from(["first", "second"]))
    sides = (first, second) if source == "first" else (second, first)
    messages = zip(*(side.turns for side in sides), strict=False)
    replacements = tuple(
        tuple(
            TextReplacement(
                source=draw(ranges(before.content)),
                target=draw(ranges(after.content)),
                old=draw(TEXTS),
                new=draw(TEXTS),
                why=draw(TEXTS),
            )
            for _ in range(draw(st.integers(0, 2)))
        )
        for before, after in messages
    )
    body = draw(
        st.builds(
            PairBody,
            shown=st.just(shown),
            same_prompt=st.none() | CONTROLS,
            same_group=st.none() | CONTROLS,
            gaps=FIGURES,
            grounded_gaps=FIGURES,
            grounded_by=TEXTS,
            similarity_deficit=st.none() | NUMBERS,
            likeness=st.dictionaries(
                TEXTS, st.builds(LikenessFigures, between=LISTS, control=LISTS), max_size=2
            ),
            p_values=FIGURES,
            corrected_p_value=st.none() | NUMBERS,
            confirmed=st.none()
            | st.builds(
                ConfirmedDifference,
                reason=TEXTS,
                size=NUMBERS,
                low=NUMBERS,
                unit=NUMBERS,
                p_value=NUMBERS,
                replies=LISTS,
            ),
            versions=st.dictionaries(TEXTS, TEXTS, max_size=2),
        )
    )
    most = max(len(first.turns), len(second.turns))
    padded = (*replacements, *[()] * (most - len(replacements)))
    return PairBody(
        **{name: getattr(body, name) for name in PairBody.__slots__}
        | {"source": source, "first": first, "second": second, "replacements": padded}
    )


@st.composite
def responses(draw: st.DrawFn) -> ResponseBody:
    reply = draw(st.text(min_size=1, max_size=12))
    spans = st.lists(ranges(reply, least=1), max_size=3).map(tuple)
    values = st.dictionaries(TEXTS, NUMBERS, max_size=2)
    passages = st.builds(Passage, span=ranges(reply), values=values)
    fired = st.builds(
        FiredScore, score=TEXTS, threshold=st.none() | NUMBERS, value=st.none() | NUMBERS
    )
    return draw(
        st.builds(
            ResponseBody,
            prompt=TEXTS,
            reply=st.just(reply),
            text=TEXTS,
            verdict=TEXTS,
            action=TEXTS,
            observed_only=st.booleans(),
            shadow=st.booleans(),
            scores=FIGURES,
            fired=st.lists(fired, max_size=2).map(tuple),
            passages=st.lists(passages, max_size=2).map(tuple),
            withheld=spans,
            uncovered=spans,
            second_look=TEXTS,
            second_scores=FIGURES,
            read_again=spans,
            versions=st.dictionaries(TEXTS, TEXTS, max_size=2),
        )
    )


@given(pairs())
def test_a_pair_that_is_written_is_read_again(body: PairBody) -> None:
    written = encode_body(body)
    assert written.isascii()
    assert decode_pair(written) == body


def test_claims_are_left_out_where_there_are_none_and_say_what_is_likeliest() -> None:
    assert "claims" not in json.loads(encode_body(PairBody()))
    here = Span(start=0, end=1)
    for stands, chances in (
        ("entailed", (0.4, 0.4, 0.2)),
        ("neutral", (0.2, 0.4, 0.4)),
        ("contradicted", (0.2, 0.3, 0.5)),
    ):
        named = dict(zip(("entailed", "neutral", "contradicted"), chances, strict=True))
        assert ClaimBody(span=here, masked=here, **named).likeliest == stands


def test_ranges_of_claims_that_are_none_of_the_reply_are_empty() -> None:
    body = decode_pair(
        '{"version": 1, "replies": {"first": [{"text": "She.", "masked": "someone."}]},'
        ' "claims": {"first": [{"span": [0, 99], "masked": [0, 8]}, 7], "second": [{}]}}'
    )
    assert body is not None
    (one,) = body.first.claims
    assert (one.span, one.masked) == (Span(start=0, end=0), Span(start=0, end=8))
    assert body.second.claims == ()


@given(responses())
def test_a_response_that_is_written_is_read_again(body: ResponseBody) -> None:
    written = encode_body(body)
    assert written.isascii()
    assert decode_response(written) == body


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_bodies_of_version_0_1_are_read_whole(kind: str) -> None:
    """Whatever that version wrote comes out again: nothing of it is lost in the records."""
    cases = [one["case"] for one in contents(kind)["cases"]]
    assert {case["kind"] for case in cases} == {"pair", "response"}
    for case in cases:
        body = (decode_pair if case["kind"] == "pair" else decode_response)(case["body"])
        assert body is not None
        if _has_texts(body):
            assert json.loads(encode_body(body)) == json.loads(case["body"])
        assert body.versions["classifier"] == "words-1"


def _has_texts(body: PairBody | ResponseBody) -> bool:
    """Where texts were not kept there is nothing their ranges could be ranges of."""
    return bool(body.reply if isinstance(body, ResponseBody) else body.first.turns[0].content)


@given(st.dictionaries(st.sampled_from(NAMES), NESTED))
def test_whatever_else_is_in_a_body_is_no_error(fields: dict[str, Any]) -> None:
    text = json.dumps(fields | {"version": 1})
    pair, response = decode_pair(text), decode_response(text)
    assert isinstance(pair, PairBody)
    assert isinstance(response, ResponseBody)
    for shown in (pair.shown_reply("first"), pair.shown_reply("second")):
        assert shown is None or isinstance(shown, ReplyBody)
    for span in (*response.withheld, *response.uncovered):
        assert 0 <= span.start < span.end <= len(response.reply)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "1", '{"version": 2}', "{}", "[" * 100_000, '{"version": "1"}'],
)
def test_what_is_no_body_of_this_version_is_none(text: str) -> None:
    assert body_fields(text) is None
    assert decode_pair(text) is None
    assert decode_response(text) is None


def test_a_number_that_is_none_is_read_as_0() -> None:
    body = body_fields('{"version": 1, "gaps": [NaN, Infinity, -Infinity]}')
    assert body == {"version": 1, "gaps": [0, 0, 0]}


def test_a_number_that_is_not_finite_is_not_written() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        encode_body(PairBody(similarity_deficit=float("nan")))


def test_a_number_that_no_float_can_hold_is_missing() -> None:
    body = decode_pair('{"version": 1, "similarity_deficit": 1' + "0" * 400 + "}")
    assert body is not None
    assert body.similarity_deficit is None


def test_the_reply_that_is_shown() -> None:
    side = PairSide(replies=(ReplyBody(text="one"), ReplyBody(text="two")))
    body = PairBody(first=side, second=side, shown=(1, 0))
    assert [body.shown_reply("first"), body.shown_reply("second")] == [*reversed(side.replies)]
    assert PairBody(first=side).shown_reply("first") == side.replies[0]
    assert PairBody(first=side).shown_reply("second") is None
    assert PairBody(first=side, shown=(2, -1)).shown_reply("first") is None
