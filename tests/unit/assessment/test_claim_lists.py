"""Claims that a model lists: what it is asked, and what its lists are read as."""

from __future__ import annotations

import pytest

from guard.assessment.claim_lists import MOST_CLAIMS, ClaimLists
from guard.assessment.generation import AskingCounts, AskingLimits
from guard.bootstrap.assessment import ModelToAsk
from guard.bootstrap.claims import ListedClaims, claim_labels
from guard.records import Ending, Generated, Undefined
from guard.scoring.claims import ClaimChecker
from tests.pair_models import pair_classifier

REPLY = "Hello! Someone should wait a year. Good luck?"
LIST = """Here are the claims:
1. Someone should wait a year.
- She could **ask** again later.
* She could **ask** again later.
What else?
none"""
FOOD = ("apple", "bread", "candy", "dates", "eggs", "flour", "grape", "honey")


class Kept(dict[bytes, Generated]):
    def put(self, key: bytes, reply: Generated) -> None:
        self[key] = reply


def lists(kept: Kept, **parameters: object) -> ClaimLists:
    return ClaimLists(model="http://m lister", parameters=parameters, kept=kept)


def listed(text: str, ending: Ending = Ending.ANSWERED) -> ClaimLists:
    """What a model listed of `REPLY`."""
    kept = Kept()
    (wanted,) = lists(kept).enquiries([REPLY])
    kept.put(wanted.key, Generated(text=text, ending=ending))
    return lists(kept)


def claims_in(text: str) -> list[str]:
    found = listed(text).claimed(REPLY)
    assert found is not None
    return [one.text for one in found.claims]


def test_a_list_is_read_line_by_line() -> None:
    assert claims_in(LIST) == [
        "The person should wait a year.",
        "The person could ask again later.",
    ]
    assert claims_in("none") == []
    many = "\n".join(f"The fee is {n} euros." for n in range(MOST_CLAIMS + 9))
    assert len(claims_in(many)) == MOST_CLAIMS


@pytest.mark.parametrize("ending", [Ending.REFUSED, Ending.FAILED, Ending.TIMED_OUT])
def test_what_is_no_list(ending: Ending) -> None:
    assert listed("The fee is due.", ending).claimed(REPLY) is None
    assert listed("I'm sorry, but I can't help with that.").claimed(REPLY) is None
    assert lists(Kept()).claimed(REPLY) is None


def test_the_evidence_are_all_sentences_of_the_reply() -> None:
    found = listed(LIST).claimed(REPLY)
    assert found is not None
    assert found.sentences == ("Hello!", "The person should wait a year.", "Good luck?")
    assert {(one.span.start, one.span.end) for one in found.claims} == {(0, len(REPLY))}


def test_equal_replies_are_asked_about_once_and_empty_ones_not_at_all() -> None:
    made = lists(Kept(), model="m", temperature=0.0)
    asked = list(made.enquiries([REPLY, "", REPLY, "  ", "Braces {reply} and {0}."]))
    assert len(asked) == 2
    assert asked[1].ask.turns[0].content.count("Braces {reply} and {0}.") == 1
    assert asked[0].ask.parameters == {"model": "m", "temperature": 0.0}
    nothing = made.claimed(" ")
    assert nothing is not None
    assert nothing.claims == ()


def test_a_list_that_the_budget_does_not_cover_is_a_reason_and_no_number() -> None:
    def lister(prompt: str) -> str:
        return "Apple bread candy." if "apple" in prompt else "Dates eggs flour."

    model = ModelToAsk(name="lister", fn=lister)
    asked = ListedClaims(lists=lists(Kept()), model=model, limits=AskingLimits(calls=2))
    label = claim_labels(ClaimChecker(pair_classifier(FOOD)), asked)
    assert label(["apple", "grape honey"]) == [
        [(0, 0, 0), (0, 1, 0)],
        [(0, 1, 0), (0, 0, 0)],
    ]
    missing = label(["apple", "flour"])
    assert isinstance(missing, Undefined)
    assert missing.reason == "no list of claims of 1 reply"
    assert (asked.asked.kept, asked.asked.asked, asked.asked.left) == (1, 2, 1)
    assert asked.used.name == "lister"
    assert isinstance(asked.asked, AskingCounts)
