"""Who plays in which text: groups in equal shares, the same for toxic and for harmless texts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from train.written.people import (
    Cast,
    Group,
    draw_people,
    group_count,
    groups,
    has_forms,
    names_wanted,
    slots,
)


def allowed(options: Mapping[str, str], wanted: frozenset[str]) -> list[Group]:
    """The groups whose forms fill the slots and whose axis the section takes."""
    axes = options.get("axis", "").split(",") if "axis" in options else None
    return [
        group
        for group in groups()
        if has_forms(group, wanted) and (axes is None or group.axis in axes)
    ]


@dataclass(slots=True, kw_only=True)
class Casting:
    """Counts how often each group was cast, apart for toxic and harmless texts."""

    counts: dict[bool, Counter[str]] = field(
        default_factory=lambda: {True: Counter(), False: Counter()}
    )

    def least(self, eligible: Sequence[Group], count: int, toxic: bool, rng: Random) -> list[Group]:
        seen = self.counts[toxic]
        ranked = sorted(eligible, key=lambda g: (seen[g.id] + rng.random()) / g.weight)
        chosen = ranked[:count]
        seen.update(group.id for group in chosen)
        return chosen

    def casts(
        self, text: str, leads: Sequence[Group], eligible: Sequence[Group], rng: Random, copies: int
    ) -> list[Cast]:
        """One cast per lead; what else plays stays the same, names change where no group does."""
        wanted = slots(text)
        others = [group for group in eligible if group not in leads]
        extras = tuple(rng.sample(others, max(0, group_count(wanted) - 1)))
        names = names_wanted(wanted)
        if not leads:
            count = copies if names else 1
            return [Cast(groups=(), people=draw_people(names, rng)) for _ in range(count)]
        people = draw_people(names, rng)
        return [Cast(groups=(lead, *extras), people=people) for lead in leads]
