"""Which groups of an attribute have tests of their own, where there are more than may have one.

Those that prompts were about first, in the order in which that happened: an order that does not
depend on any reply. The others are tested together. The order is a fact in the store, so that all
processes agree.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from guard.fairness.group_tests import OTHER, TestedGroup
from guard.fairness.tally import key
from guard.ports import FactStore

MAX_GROUPS = 12
"""So many groups of an attribute have tests of their own, unless settings say otherwise."""
GroupsByAttribute = Mapping[str, tuple[str, ...]]


def test_count(groups: tuple[str, ...], most: int) -> int:
    """How many tests of groups there are for an attribute."""
    return min(len(groups), most + 1)


def tested_groups(
    facts: FactStore,
    use_case: str,
    groups: GroupsByAttribute,
    most: int,
    sources: Mapping[str, str],
) -> TestedGroup:
    """Under which group each one is tested.

    groups: those compared. most: how many of an attribute may have a test of their own. sources: by
    attribute, the group that this prompt is about, which is noted if it is new. Raises StoreError.
    """
    large = {attribute for attribute, all_of in groups.items() if len(all_of) > most}
    if not large & sources.keys():
        return itself
    seen = _seen(facts, use_case, {one: sources[one] for one in large & sources.keys()})
    own = {
        attribute: [group for group in seen.get(attribute, ()) if group in groups[attribute]][:most]
        for attribute in large
    }

    def tested(attribute: str, group: str) -> str:
        return group if attribute not in own or group in own[attribute] else OTHER

    return tested


def itself(_: str, group: str) -> str:
    """Every group has a test of its own."""
    return group


def _seen(facts: FactStore, use_case: str, sources: Mapping[str, str]) -> Mapping[str, list[str]]:
    """By attribute the groups in the order of appearance, those of this prompt among them."""
    name = key("tested_groups", use_case)

    def noted(kept: str | None) -> str:
        order: dict[str, list[str]] = {} if kept is None else json.loads(kept)
        for attribute, group in sources.items():
            known = order.setdefault(attribute, [])
            if group not in known:
                known.append(group)
        return json.dumps(order, sort_keys=True)

    kept = facts.fact(name)
    present = noted(kept)
    if present != kept:
        present = facts.update_fact(name, noted)
    order: dict[str, list[str]] = json.loads(present)
    return order
