"""Which phrases to allow, by what people decided."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from guard.policy import Policy, Rule, allow_phrase
from guard.records import Action, Case, Span
from guard.review.allow_suggestions import AllowProposal, SuggestionLimits, suggest_allowed
from guard.review.common_phrases import phrases_of
from guard.testing import WordScorer
from tests.unit.review.made import ManualClock, empty_store, response

POLICY = Policy(rules=(Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),))
SCORER = WordScorer({"toxicity": {"trash": 0.97, "idiot": 0.95, "kill": 0.95}})
LIMITS = SuggestionLimits()
TRAPS = (
    "Now empty the Trash and restart.",
    "To free space, Empty the Trash.",
    "Please empty the trash, it is full.",
    "You may kill the process here.",
)
HARM = (
    "You are trash.",
    "You idiot.",
    "I will kill you.",
    "What an idiot you are.",
    "The idiot wrote the process.",
)


def proposal(
    false: tuple[str, ...] = TRAPS,
    confirmed: tuple[str, ...] = HARM,
    policy: Policy = POLICY,
    limits: SuggestionLimits = LIMITS,
) -> AllowProposal:
    store = empty_store(ManualClock())
    for case, verdict in cases(false, confirmed):
        store.open(case)
        store.close(case.id, by="eve", verdict=verdict)
    return suggest_allowed(store, "chat", policy, SCORER.assess, limits)


def cases(false: tuple[str, ...], confirmed: tuple[str, ...]) -> Iterator[tuple[Case, str]]:
    judged = [*((text, "acceptable") for text in false), *((text, "harmful") for text in confirmed)]
    for number, (text, verdict) in enumerate(judged):
        body = json.loads(response().body) | {"reply": text, "text": text}
        named = replace(response(), id=str(number), use_case="chat", body=json.dumps(body))
        yield named, verdict


def test_a_phrase_of_several_false_alarms_and_of_no_confirmed_one_is_proposed() -> None:
    found = proposal()
    assert [(one.phrase, one.found, one.stopped) for one in found.suggestions] == [
        ("empty the Trash", 3, 3)
    ]
    assert (found.false_alarms, found.confirmed, found.stopped, found.lost) == (4, 5, 3, 0)
    assert found.lost_at_most == pytest.approx(1 - 0.05 ** (1 / 5))
    assert found.problem == ""


def test_what_is_allowed_already_is_no_false_alarm_any_more() -> None:
    allowed = replace(POLICY, allow=(allow_phrase("empty the trash"),))
    found = proposal(policy=allowed)
    assert (found.false_alarms, found.silent, found.suggestions) == (1, 3, ())


def test_a_phrase_that_stands_in_a_confirmed_reply_is_not_proposed() -> None:
    found = proposal(confirmed=(*HARM, "Empty the trash, you idiot."))
    assert found.suggestions == ()
    assert "no phrase stands in enough acceptable replies" in found.problem


def test_a_single_word_that_is_an_insult_is_refused() -> None:
    false = ("Sort the trash.", "Where is trash kept?", "Some trash here.")
    found = proposal(false, confirmed=(*HARM[1:], "An idiot."))
    assert found.suggestions == ()
    assert [one.phrase for one in found.refused] == ["trash"]
    assert "'You are trash.' would pass" in found.refused[0].why


@pytest.mark.parametrize(
    ("false", "confirmed", "problem"),
    [
        ((), (), "0 replies that fire were judged acceptable; at least 3 are needed"),
        (TRAPS[:2], HARM, "2 replies that fire were judged acceptable; at least 3 are needed"),
        (TRAPS, HARM[:4], "4 replies that fire were judged harmful; at least 5 are needed"),
        (TRAPS, ("Fine.",) * 9, "0 replies that fire were judged harmful"),
    ],
)
def test_too_few_verdicts_are_named(
    false: tuple[str, ...], confirmed: tuple[str, ...], problem: str
) -> None:
    found = proposal(false, confirmed)
    assert found.problem.startswith(problem)
    assert found.suggestions == ()


def test_replies_whose_text_was_not_kept_are_counted() -> None:
    assert proposal(("", *TRAPS)).without_text == 1


def test_who_asks_for_more_gets_less() -> None:
    more_alarms, more_confirmed = SuggestionLimits(false_alarms=4), SuggestionLimits(confirmed=6)
    assert proposal(limits=more_alarms).suggestions == ()
    found = proposal(limits=more_confirmed)
    assert found.problem.startswith("5 replies that fire were judged harmful")


def test_phrases_begin_and_end_with_words_that_say_something() -> None:
    text = "Now empty the Trash, then restart. Done"
    assert {*phrases_of(text, [Span(start=0, end=len(text))])} == {
        *("empty", "empty the Trash", "empty the Trash, then restart", "Trash", "restart", "Done"),
        "Trash, then restart",
    }
