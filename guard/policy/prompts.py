"""How the policy of a use case is applied to what the user sends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum

from guard.policy.decision import Hold, OnUnscored, Policy, Rule
from guard.records import Action


class PromptMode(StrEnum):
    """What is done about a prompt in which a rule fires."""

    OFF = "off"
    OBSERVE = "observe"
    FLAG = "flag"
    BLOCK = "block"


_MILD = frozenset({PromptMode.OBSERVE, PromptMode.FLAG})


def prompt_policy(policy: Policy, mode: PromptMode, fallback: str) -> Policy | None:
    """The policy for prompts that goes with the one for replies; None where they are not judged.

    The scores and thresholds are the same. A prompt cannot be redacted or asked for again: rules
    for these block it. fallback: what is said in place of a reply to a blocked prompt.
    """
    if mode is PromptMode.OFF or policy.off:
        return None
    most = Action.FLAG if mode is PromptMode.FLAG else Action.BLOCK
    second = policy.second and replace(policy.second, rules=_rules(policy.second.rules, most))
    return replace(
        policy,
        rules=_rules(policy.rules, most),
        second=second,
        enforce=policy.enforce and mode is not PromptMode.OBSERVE,
        on_unscored=OnUnscored.RELEASE if mode in _MILD else policy.on_unscored,
        fallback=fallback,
        regenerations=0,
        raises=False,
        hold=Hold.FULL,
        candidate=None,
        prompt=None,
    )


def _rules(rules: Iterable[Rule], most: Action) -> tuple[Rule, ...]:
    return tuple(
        rule if rule.action is Action.FLAG else replace(rule, action=most) for rule in rules
    )
