"""The candidate policies of the settings: how each is counted, and what it changes."""

from __future__ import annotations

import json
from functools import partial
from hashlib import blake2b

from guard.ports import Clock, Store
from guard.review.candidates import CandidatePolicy, CandidateReader, RuleChange
from guard.settings import BUILT_IN, Rules, Settings


def candidate_policy(settings: Settings, use_case: str) -> CandidatePolicy | None:
    """The candidate of a use case; None where it has none.

    Its epoch is another one as soon as the candidate, the policy or the classifier is another one.
    """
    section = settings.use_cases.get(use_case, settings.defaults)
    if section.candidate is None:
        return None
    present: Rules = {**BUILT_IN, **section.policy}
    candidate: Rules = {**present, **section.candidate}
    scoring = settings.scoring
    models = [scoring.model, scoring.heads] if scoring.heads else scoring.model
    made_of = json.dumps([present, candidate, models], sort_keys=True)
    digest = blake2b(made_of.encode(), digest_size=8).hexdigest()
    return CandidatePolicy(
        epoch=f"candidate/{digest}",
        rules=tuple(
            RuleChange(score=score, present=_written(present, score), candidate=written)
            for score in candidate
            if (written := _written(candidate, score)) != _written(present, score)
        ),
    )


def open_candidates(store: Store, settings: Settings, clock: Clock) -> CandidateReader:
    """Reports about the candidates of a store's use cases. clock: Unix seconds."""
    return CandidateReader(
        store=store,
        policy_of=partial(candidate_policy, settings),
        declared=settings.use_cases,
        clock=clock,
    )


def _written(rules: Rules, score: str) -> str:
    actions = rules.get(score, {})
    return ", ".join(f"{action} {threshold}" for action, threshold in actions.items()) or "no rule"
