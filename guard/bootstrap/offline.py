"""A guard for texts that exist already, for nobody who waits for them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from guard.bootstrap.runtime import Runtime, open_runtime
from guard.policy import Policy
from guard.settings import Settings, ShadowSettings, UseCase

BOUNDED_ELSEWHERE: Final = 1 << 40
"""Of tokens: the queue of the engine may hold what its caller has under way, which is bounded."""


def open_offline(settings: Settings) -> Runtime:
    """The response path of these settings, without deadlines; nothing is kept or shadowed.

    Raises SettingsError, ModelError.
    """
    scoring = {"max_open_tokens": BOUNDED_ELSEWHERE}
    use_cases = {name: _without_shadow(one) for name, one in settings.use_cases.items()}
    changed = {
        "scoring": settings.scoring.model_copy(update=scoring),
        "store": None,
        "use_cases": use_cases,
        "defaults": _without_shadow(settings.defaults),
    }
    runtime = open_runtime(settings.model_copy(update=changed))
    with_deadlines = runtime.flow.policy_of

    def policy_of(use_case: str) -> Policy:
        return replace(with_deadlines(use_case), deadline_seconds=None)

    return replace(runtime, flow=replace(runtime.flow, policy_of=policy_of))


def _without_shadow(use_case: UseCase) -> UseCase:
    return use_case.model_copy(update={"shadow": ShadowSettings()})
