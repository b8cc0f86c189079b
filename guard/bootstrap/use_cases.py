"""What settings say of each use case: its policy, its upstream, how it is shadowed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches

from guard.errors import SettingsError, UnknownUseCase
from guard.policy import Policy, Rule, SecondOpinion, prompt_policy
from guard.records import Action, Head, Lane, LaneKind
from guard.settings import (
    BUILT_IN,
    ModelSettings,
    Rules,
    Settings,
    ShadowSettings,
    UseCase,
    use_case_name,
)

UNDECLARED = "default"
"""The use case of a gateway request that names none, where none is declared."""


def policies(
    settings: Settings,
    heads: Mapping[str, Head],
    second: Mapping[str, Head] | None = None,
    *,
    reads_alone: bool = False,
) -> Callable[[str], Policy]:
    """The policy of each use case, thresholds filled in. Raises SettingsError.

    heads, second: what the scorer makes, and the one that takes a second look, if there is one.
    reads_alone: whether that one reads passages alone too, as in `SecondOpinion`.
    The function that is returned raises UnknownUseCase.
    """

    shared = {key: head for key, head in (second or {}).items() if key in heads and head.harm}

    def policy(path: str, use_case: UseCase) -> Policy:
        made = _policy(path, use_case, heads)
        opinion = _second_opinion(settings.scoring, use_case, shared)
        whole = replace(made, second=opinion and replace(opinion, reads_alone=reads_alone))
        given = use_case.prompt
        return replace(whole, prompt=prompt_policy(whole, given.mode, given.fallback))

    declared = {name: policy(f"use_cases.{name}", one) for name, one in settings.use_cases.items()}
    if not declared:
        return _policy_for_any(policy("defaults", settings.defaults))

    def policy_of(use_case: str) -> Policy:
        try:
            return declared[use_case]
        except (KeyError, TypeError):
            names = ", ".join(sorted(declared))
            raise UnknownUseCase(
                f"use case {use_case!r} is not declared; add it under `use_cases` in the settings "
                f"(declared: {names})"
            ) from None

    return policy_of


def shadowed(settings: Settings) -> dict[str, ShadowSettings]:
    """The use cases that are shadowed. Raises SettingsError."""
    if settings.defaults.shadow.share > 0 and not settings.use_cases:
        raise SettingsError(
            "defaults.shadow.share: is above 0, but no use case is declared; name those that are"
            " shadowed under `use_cases`"
        )
    found = {name: one.shadow for name, one in settings.use_cases.items() if one.shadow.share > 0}
    for name, shadow in found.items():
        if shadow.upstream is not None and shadow.upstream not in settings.upstreams:
            setting = f"use_cases.{name}.shadow.upstream"
            raise _undeclared_upstream(settings, setting, shadow.upstream)
    return found


def http_lane(upstream: str, use_case: str = "") -> Lane:
    """The lane of jobs whose shadow requests go to an upstream over HTTP; without a use case, that
    of all of them, which a worker serves."""
    return Lane(kind=LaneKind.HTTP, name=f"{upstream}/{use_case}" if use_case else upstream)


def upstreams_of(settings: Settings) -> Mapping[str, str]:
    """The name of the upstream that the gateway asks for each use case. Raises SettingsError."""
    if not settings.use_cases:
        return {UNDECLARED: _upstream_of(settings, "defaults", settings.defaults)}
    return {
        name: _upstream_of(settings, f"use_cases.{name}", use_case)
        for name, use_case in settings.use_cases.items()
    }


def check_upstream_names(settings: Settings) -> None:
    """Raises SettingsError for an upstream that is named and not declared, used or not."""
    named = {f"use_cases.{name}.upstream": one.upstream for name, one in settings.use_cases.items()}
    named |= {
        "defaults.upstream": settings.defaults.upstream,
        "gateway.upstream": settings.gateway.upstream,
    }
    for setting, name in named.items():
        if name is not None and name not in settings.upstreams:
            raise _undeclared_upstream(settings, setting, name)


def _undeclared_upstream(settings: Settings, setting: str, name: str) -> SettingsError:
    known = ", ".join(sorted(settings.upstreams)) or "none"
    return SettingsError(
        f"{setting}: {name!r} is not declared under `upstreams` (declared: {known})"
    )


def shadow_lane(settings: Settings, use_case: str, upstream: str) -> Lane | None:
    """The lane for shadow requests of calls that came through the gateway; None for none.

    It is that of `shadow.upstream`, or else of the upstream that answered the call. Keys of clients
    are never kept, so an upstream that is asked with those cannot be asked again.
    """
    shadow = shadowed(settings).get(use_case)
    if shadow is None:
        return None
    if shadow.upstream is not None:
        return http_lane(shadow.upstream, use_case)
    return http_lane(upstream, use_case) if _has_own_key(settings, upstream) else None


def shadow_upstreams(settings: Settings) -> Mapping[str, str]:
    """By shadowed use case, the upstream that shadow requests go to. Raises SettingsError.

    A use case whose upstream cannot be decided is left out: it is wrapped with a callable.
    """
    found: dict[str, str] = {}
    for name, shadow in shadowed(settings).items():
        upstream = shadow.upstream or _upstream_name(settings, settings.use_cases[name])
        if upstream in settings.upstreams and (shadow.upstream or _has_own_key(settings, upstream)):
            found[name] = upstream
    return found


def _has_own_key(settings: Settings, upstream: str) -> bool:
    return not settings.upstreams[upstream].pass_key


def _upstream_name(settings: Settings, use_case: UseCase) -> str | None:
    """The upstream a use case names, or the one for all, or the only one."""
    return use_case.upstream or settings.gateway.upstream or _only(settings.upstreams)


def _upstream_of(settings: Settings, path: str, use_case: UseCase) -> str:
    known = ", ".join(sorted(settings.upstreams))
    if not known:
        raise SettingsError(
            "upstreams: the gateway has nobody to ask: declare one, as in"
            " upstreams: {main: {base_url: https://api.example.com/v1, api_key_env: MAIN_KEY}}"
        )
    name = _upstream_name(settings, use_case)
    if name is None:
        raise SettingsError(
            f"{path}.upstream: several are declared ({known}); say here, or for all under"
            " gateway.upstream, which one is asked"
        )
    if name not in settings.upstreams:
        setting = f"{path}.upstream" if use_case.upstream else "gateway.upstream"
        raise _undeclared_upstream(settings, setting, name)
    return name


def _only(names: Iterable[str]) -> str | None:
    found = list(names)
    return found[0] if len(found) == 1 else None


def _policy_for_any(default: Policy) -> Callable[[str], Policy]:
    def policy_of(use_case: str) -> Policy:
        try:
            use_case_name(use_case)
        except (TypeError, ValueError) as error:
            raise UnknownUseCase(f"use case {use_case!r:.80}: {error}") from None
        return default

    return policy_of


def _second_opinion(
    scoring: ModelSettings, use_case: UseCase, heads: Mapping[str, Head]
) -> SecondOpinion | None:
    """By the rules for scores that both scorers make, which are `heads`: a threshold that is a
    number holds for both, a shipped one is each one's own."""
    rules = tuple(
        Rule(score=score, action=Action(action), threshold=number)
        for score, actions in _present(use_case, heads).items()
        for action, given in actions.items()
        if score in heads
        if (number := heads[score].threshold if given == "shipped" else given) is not None
    )
    return SecondOpinion(rules=rules, margin=scoring.second_look_margin) if rules else None


def _present(use_case: UseCase, heads: Mapping[str, Head]) -> Rules:
    """The rules in force; the built-in ones as far as the classifier has their scores."""
    built_in = {score: actions for score, actions in BUILT_IN.items() if score in heads}
    return {**built_in, **use_case.policy}


def _policy(path: str, use_case: UseCase, heads: Mapping[str, Head]) -> Policy:
    present = _present(use_case, heads)
    candidate = use_case.candidate
    return Policy(
        rules=_rules(f"{path}.policy", present, heads),
        allow=tuple(use_case.allow),
        candidate=None
        if candidate is None
        else _rules(f"{path}.candidate", {**present, **candidate}, heads),
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


def _rules(path: str, rules: Rules, heads: Mapping[str, Head]) -> tuple[Rule, ...]:
    return tuple(
        Rule(
            score=score,
            action=Action(action),
            threshold=_threshold(f"{path}.{score}", heads, score, given),
        )
        for score, actions in rules.items()
        for action, given in actions.items()
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
