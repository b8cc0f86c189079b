"""The policy of each use case, from its settings and what the classifier can say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches

from guard.errors import SettingsError, UnknownUseCase
from guard.policy import Policy, Rule
from guard.records import Action, Head
from guard.settings import BUILT_IN, Settings, UseCase, use_case_name


def policies(settings: Settings, heads: Mapping[str, Head]) -> Callable[[str], Policy]:
    """The policy of each use case, thresholds filled in. Raises SettingsError."""
    declared = {
        name: _policy(f"use_cases.{name}", use_case, heads)
        for name, use_case in settings.use_cases.items()
    }
    if not declared:
        return _for_any(_policy("defaults", settings.defaults, heads))

    def policy_of(use_case: str) -> Policy:
        if use_case not in declared:
            names = ", ".join(sorted(declared))
            raise UnknownUseCase(
                f"use case {use_case!r} is not declared; add it under `use_cases` in the settings "
                f"(declared: {names})"
            )
        return declared[use_case]

    return policy_of


def _for_any(default: Policy) -> Callable[[str], Policy]:
    def policy_of(use_case: str) -> Policy:
        try:
            use_case_name(use_case)
        except (TypeError, ValueError) as error:
            raise UnknownUseCase(f"use case {use_case!r:.80}: {error}") from None
        return default

    return policy_of


def _policy(path: str, use_case: UseCase, heads: Mapping[str, Head]) -> Policy:
    built_in = {score: actions for score, actions in BUILT_IN.items() if score in heads}
    rules = [
        Rule(
            score=score,
            action=Action(action),
            threshold=_threshold(f"{path}.policy.{score}", heads, score, given),
        )
        for score, actions in {**built_in, **use_case.policy}.items()
        for action, given in actions.items()
    ]
    return Policy(
        rules=tuple(rules),
        enforce=use_case.mode == "enforce",
        off=use_case.mode == "off",
        on_unscored=use_case.on_unscored,
        deadline_seconds=use_case.deadline_ms / 1000,
        fallback=use_case.fallback,
        redaction=use_case.redaction,
        regenerations=use_case.regenerate,
        raises=use_case.on_block == "raise",
        hold=use_case.stream.hold,
        reads_reasoning=use_case.reasoning == "judge",
        reads_tool_calls=use_case.tool_calls == "judge",
    )


def _threshold(path: str, heads: Mapping[str, Head], score: str, given: float | str) -> float:
    harms = sorted(key for key, head in heads.items() if head.harm)
    if score not in harms:
        close = get_close_matches(score, harms, n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"known scores: {', '.join(harms)}"
        raise SettingsError(f"{path}: not a harm score of this classifier; {hint}")
    shipped = heads[score].threshold
    if isinstance(given, float):
        return given
    if shipped is None:
        raise SettingsError(f"{path}: this classifier ships no threshold; give one in (0, 1]")
    return shipped
