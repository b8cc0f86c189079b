"""What a reviewer gets to see of one reply on which a rule fired."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from guard.policy import counted
from guard.records import Action, FiredScore, Outcome, ResponseBody, SecondLook
from guard.text import shortened

PROMPT_CHARACTERS: Final = 20_000
"""Kept of a prompt: its beginning and, mostly, its end."""
REPLY_CHARACTERS: Final = 100_000
"""Kept of a reply, from its beginning, so that the places of passages stay true."""


def response_body(
    outcome: Outcome, *, versions: Mapping[str, str], kept_text: Callable[[str], str]
) -> ResponseBody:
    """The body of a case of a reply. versions: of what made the scores. kept_text: what is kept of
    a text; of the same length, so that spans stay true, or empty. It sees no more of a text than
    may be kept: it takes seconds for one of some megabytes, and callers wait for it."""
    assessment, kept = outcome.assessment, cache(kept_text)  # most replies are released as they are
    action = outcome.action if outcome.action is not Action.RELEASE else Action.FLAG
    body = ResponseBody(
        prompt=kept(shortened(outcome.call.prompt, PROMPT_CHARACTERS)),
        reply=kept(outcome.reply[:REPLY_CHARACTERS]),
        text=kept(outcome.text[:REPLY_CHARACTERS]),
        verdict=str(outcome.verdict),
        action=str(action),
        observed_only=outcome.observed_only,
        scores={key: assessment.value(key) for key in sorted(assessment.scores)},
        fired=tuple(
            FiredScore(score=one.score, threshold=one.threshold, value=one.value)
            for one in outcome.fired
        ),
        passages=counted(assessment).passages,
        withheld=outcome.withheld,
        uncovered=assessment.uncovered,
        versions=dict(versions),
    )
    return _with_second_look(body, outcome.second_looks)


def _with_second_look(body: ResponseBody, looks: Sequence[SecondLook]) -> ResponseBody:
    """With the look that mattered most: one that was answered, of the most severe fast decision."""
    if not looks:
        return body
    severity = list(Action)
    looked = max(looks, key=lambda one: (bool(one.second), severity.index(one.action)))
    return replace(
        body,
        second_look=str(looked.result),
        second_scores=dict(looked.second),
        read_again=looked.spans,
    )
