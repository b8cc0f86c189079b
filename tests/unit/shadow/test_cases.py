"""Cases carry every text that a reviewer needs, and the same case is opened once."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from guard.records import (
    Action,
    Assessment,
    Call,
    CaseKind,
    Ending,
    Fired,
    Generated,
    Outcome,
    Passage,
    Score,
    Span,
    Verdict,
)
from guard.shadow.cases import CaseContext, pair_cases, response_case
from guard.shadow.measurement import Measurements
from tests.unit.shadow.made import measured, speaks, tools

CONTEXT = CaseContext(use_case="chat", at_seconds=100.0, versions={"classifier": "v1"}, reviewers=2)
TEXT = "Emily is late. What do I tell her?"


def biased(**changes: Any) -> Measurements:
    return measured(
        lambda prompt, *_: speaks(prompt, "She is awful.", "He is great."),
        text=TEXT,
        live="Emily is awful.",
        **changes,
    )


def body_of(found: Measurements) -> dict[str, Any]:
    (case,) = pair_cases(found.pairs, tools(), CONTEXT)
    body: dict[str, Any] = json.loads(case.body)
    return body


def test_a_pair_becomes_a_case() -> None:
    (case,) = pair_cases(biased().pairs, tools(), CONTEXT)
    assert (case.kind, case.call_id, case.use_case) == (CaseKind.PAIR, "c1", "chat")
    assert (case.attribute, case.groups, case.reviewers) == ("gender", ("female", "male"), 2)
    assert case.reasons == ("sentiment_gap", "toxicity_gap")
    assert case.opened_at == 100.0


def test_its_body_has_all_texts() -> None:
    body = body_of(biased(control=True))
    assert body["source"] == "first"
    assert body["prompts"]["first"][0]["content"] == TEXT
    assert body["prompts"]["second"][0]["masked"] == "Person_1 is late. What do I tell Person_1?"
    assert [one["text"] for one in body["replies"]["first"]] == ["Emily is awful.", "She is awful."]
    assert [one["live"] for one in body["replies"]["first"]] == [True, False]
    assert body["replies"]["second"][0]["masked"] == "Person_1 is great."
    assert body["same_prompt"] in {"Emily is awful.", "She is awful."}
    assert body["same_group"] == "She is awful."
    assert body["versions"] == {"classifier": "v1"}


def test_spans_lead_to_the_words_that_changed() -> None:
    body = body_of(biased())
    first, second = (body["prompts"][side][0]["content"] for side in ("first", "second"))
    for one in body["replacements"][0]:
        assert first[slice(*one["source"])] == one["old"]
        assert second[slice(*one["target"])] == one["new"]


def test_a_long_reply_is_kept_up_to_a_bound() -> None:
    long = measured(
        lambda prompt, *_: speaks(prompt, "She is awful. ", "He is great. ") + "a" * 300_000,
        text=TEXT,
        live="Emily is awful.",
    )
    replies = [one for side in body_of(long)["replies"].values() for one in side]
    assert {max(len(one["text"]), len(one["masked"])) <= 100_100 for one in replies} == {True}
    assert max(len(one["text"]) for one in replies) == 100_000


def test_the_replies_shown_differ_most() -> None:
    said = ["Fine.", "An awful idea.", "Fine."]
    found = measured(
        lambda _, side, number: "Great!" if side else said[number], text=TEXT, generations=3
    )
    body = body_of(found)
    assert body["shown"][0] == 1
    assert body["same_prompt"] == "Fine."


def test_a_pair_without_a_reply_shows_the_refusal() -> None:
    found = measured(
        lambda _, side, __: Generated(text="", ending=Ending.FILTERED) if side else "Great!",
        text=TEXT,
    )
    body = body_of(found)
    assert body["shown"] == [0, 0]
    assert body["same_prompt"] is body["same_group"] is None


def test_the_same_pair_is_one_case_for_ever() -> None:
    assert {case.id for _ in range(2) for case in pair_cases(biased().pairs, tools(), CONTEXT)} == {
        pair_cases(biased().pairs, tools(), CONTEXT)[0].id
    }


def test_two_pairs_with_the_same_groups_make_one_case() -> None:
    found = measured(
        lambda _, side, __: "Awful." if side else "Great!",
        text="Emily met David.",
    )
    assert len(found.pairs) == 2
    assert len(pair_cases(found.pairs, tools(), CONTEXT)) == 1


def test_controls_and_refusals_are_kept_masked_too() -> None:
    def said(prompt: str, side: int, number: int) -> str | Generated:
        if side:
            return Generated(text="I cannot say that of her.", ending=Ending.REFUSED)
        return ("Great!", "She is great.")[number]

    body = body_of(measured(said, text=TEXT, generations=2))
    [refusal, *_] = body["replies"]["second"]
    assert (refusal["ending"], refusal["masked"]) == ("refused", "I cannot say that of Person_1.")
    assert body["same_prompt_masked"] == body["same_prompt"].replace("She", "Person_1")


def texts_in(body: object) -> list[str]:
    """All texts of a body but names of metrics, endings and versions."""
    if isinstance(body, dict):
        left_out = {"ending", "role", "why", "versions", "groups", "source", "grounded_by"}
        kept = [value for name, value in body.items() if name not in left_out]
        return [text for value in kept for text in texts_in(value)]
    if isinstance(body, list):
        return [text for value in body for text in texts_in(value)]
    return [body] if isinstance(body, str) else []


def test_what_is_kept_of_texts_is_for_the_settings_to_say() -> None:
    context = replace(CONTEXT, kept_text=lambda text: "•" * len(text))
    (case,) = pair_cases(biased(control=True).pairs, tools(), context)
    texts = texts_in(json.loads(case.body))
    assert len(texts) > 15
    assert {*"".join(texts)} == {"•"}
    (nothing,) = pair_cases(biased().pairs, tools(), replace(CONTEXT, kept_text=lambda _: ""))
    assert {*texts_in(json.loads(nothing.body))} == {""}


def test_what_does_not_differ_is_no_case() -> None:
    found = measured(lambda *_: "She is awful.", text=TEXT)
    assert pair_cases(found.pairs, tools(), CONTEXT) == ()


def test_any_text_can_be_kept() -> None:
    found = measured(
        lambda _, side, __: "Great! \ud800\x00" if side else "Awful. \ud800\x00", text=TEXT
    )
    (case,) = pair_cases(found.pairs, tools(), CONTEXT)
    assert case.body.isascii()


def outcome(*fired: Fired) -> Outcome:
    return Outcome(
        call=Call(id="c9", use_case="chat", prompt="Who?"),
        verdict=Verdict.FLAGGED,
        text="An awful idea.",
        reply="An awful idea.",
        assessment=Assessment(
            scores={"toxicity": Score(value=0.9), "sentiment": Score(value=None)},
            passages=(Passage(span=Span(start=3, end=8), values={"toxicity": 0.9}),),
        ),
        action=Action.FLAG,
        fired=fired,
    )


def test_a_flagged_reply_becomes_a_case() -> None:
    fired = Fired(score="toxicity", action=Action.FLAG, threshold=0.5, value=0.9)
    case = response_case(outcome(fired, fired), CONTEXT)
    assert case is not None
    assert (case.kind, case.reasons, case.call_id) == (CaseKind.RESPONSE, ("toxicity",), "c9")
    body = json.loads(case.body)
    assert body["scores"] == {"toxicity": 0.9, "sentiment": None}
    assert body["reply"][slice(*body["passages"][0]["span"])] == "awful"
    assert body["prompt"] == "Who?"


def test_a_reply_on_which_no_rule_fired_is_no_case() -> None:
    assert response_case(outcome(), CONTEXT) is None


QUARREL = "Emily was awful to Laura."


def test_different_people_have_different_masks_the_same_on_both_sides() -> None:
    found = measured(
        lambda prompt, *_: QUARREL if "Emily" in prompt else "It was great.",
        text="Emily and Laura quarrel. Who is right, Laura or Emily?",
    )
    body = body_of(found)
    masked = {body["prompts"][side][0]["masked"] for side in ("first", "second")}
    assert masked == {"Person_1 and Person_2 quarrel. Who is right, Person_2 or Person_1?"}
    replies = {one["masked"] for side in ("first", "second") for one in body["replies"][side]}
    assert "Person_1 was awful to Person_2." in replies
