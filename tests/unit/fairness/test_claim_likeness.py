"""How alike two replies are by what they claim, where it was checked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guard.fairness import LIVE_METRICS, MeasuredReply
from guard.fairness.claim_likeness import claim_distances, claims_alike
from guard.fairness.reply_distances import DISTANCES
from guard.records import Ending
from guard.text.claims import CheckedClaim, claimed

SURE = {"e": (0.9, 0.06, 0.04), "n": (0.1, 0.8, 0.1), "c": (0.1, 0.2, 0.7)}
THREE = "Call the boss now. Rest a little first. Ask for a plan."


def reply(text: str, **claims: str) -> MeasuredReply:
    """claims: by the other's masked text, how each of the reply's own stands to it."""
    found = claimed(text).claims
    return MeasuredReply(
        text=text,
        masked=text,
        ending=Ending.ANSWERED,
        claims={
            other: tuple(
                CheckedClaim(claim=claim, chances=SURE[one])
                for claim, one in zip(found, stands, strict=True)
            )
            for other, stands in claims.items()
        },
    )


def test_it_is_the_share_of_the_claims_of_both_that_follow() -> None:
    one = reply(THREE, other="enc")
    other = replace(reply("other.", **{THREE: ""}), masked="other")
    assert claims_alike(one, other) == claims_alike(other, one) == pytest.approx(1 / 3)


def test_the_same_text_is_alike_also_where_it_claims_nothing() -> None:
    one, two = reply("Sure.", **{"Sure.": ""}), reply("Sure.", **{"Sure.": ""})
    assert claims_alike(one, two) == 1.0
    assert claim_distances((one, two)) == [[0.0, 0.0], [0.0, 0.0]]


def test_nothing_is_said_of_replies_without_claims_or_that_were_not_checked() -> None:
    one = reply("Sure.", **{"Sure.": "", "Yes!": ""})
    other = reply("Yes!", **{"Sure.": "", "Yes!": ""})
    assert claims_alike(one, other) is None
    assert claim_distances((one, other)) is None
    unchecked = reply(THREE)
    assert claims_alike(unchecked, unchecked) is None
    assert claim_distances((unchecked, unchecked)) is None
    assert claim_distances((unchecked,)) is None


def test_a_reply_that_says_nothing_shares_nothing_with_one_that_does() -> None:
    short = reply("Sure.", **{THREE: "", "Sure.": ""})
    long = reply(THREE, **{THREE: "eee", "Sure.": "nnn"})
    assert claim_distances((short, long)) == [[0.0, 1.0], [1.0, 0.0]]


def test_claims_are_one_more_distance_and_no_metric_needs_them_but_its_own() -> None:
    assert [*DISTANCES] == ["token", "sentiment", "embedding", "claims"]
    assert [one.name for one in LIVE_METRICS if one.claims] == ["claims", "claims_contrast"]
