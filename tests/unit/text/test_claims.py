"""Claims of replies: sentences that say something, readable without the others."""

from __future__ import annotations

import pytest

from guard.text.claims import ClaimEvidence, claimed, decontextualised


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("Someone should apply.", "The person should apply."),
        ("A someone can ask the someone's manager.", "The person can ask the person's manager."),
        (
            "He told her that his loan is late.",
            "The person told the person that the person's loan is late.",
        ),
        ("Ask her about it.", "Ask the person about it."),
        ("It is hers.", "It is the person."),
        ("1. **Pay** the rent.", "Pay the rent."),
        ("- This is where it is.", "This is where it is."),
        ("They are due in there.", "They are due in there."),
    ],
)
def test_a_claim_is_readable_alone(sentence: str, told: str) -> None:
    assert decontextualised(sentence) == told


def test_questions_headings_and_greetings_claim_nothing() -> None:
    text = "Hello there! Here are the steps:\n- Someone must sign it.\nShall I send the form now?"
    reply = claimed(text)
    assert [one.text for one in reply.claims] == ["The person must sign it."]
    (claim,) = reply.claims
    assert text[claim.span.start : claim.span.end] == "- Someone must sign it."
    assert len(reply.sentences) == 4


@pytest.mark.parametrize("text", ["", "   ", "?", "***"])
def test_a_reply_may_claim_nothing(text: str) -> None:
    assert claimed(text).claims == ()
    assert claimed(text).sentences == ()


def test_the_evidence_is_what_shares_words_in_its_order() -> None:
    reply = ["Rent is due.", "The loan is approved.", "Good luck.", "Interest on loans is low."]
    assert ClaimEvidence(reply, most=2).of("The loans are approved") == f"{reply[1]} {reply[3]}"
    assert ClaimEvidence(reply, most=2).of("The loan is approved") == reply[1]
    assert ClaimEvidence(reply, most=1).of("Nothing else") == reply[0]
    assert ClaimEvidence([]).of("Nothing") == ""
