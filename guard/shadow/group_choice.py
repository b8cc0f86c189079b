"""Which other groups a call is asked about: drawn by a keyed hash, the suspected ones more often.

A group is drawn with a weight: the largest of the e-values that its tests have so far. A difference
of one group among ten would otherwise be looked at in a few of all comparisons. As soon as there is
some evidence of it, nearly every call is asked about that group as well, and the other variants go
on as before. The weights come from earlier calls alone, so that the tests stay valid: whatever was
chosen, under the null hypothesis the sign of the next difference is a fair coin. A test whose alarm
stands has no weight: it has been found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from math import log1p
from types import MappingProxyType

from guard.fairness import Published
from guard.fairness.group_tests import is_group_test
from guard.fairness.tally import Measured

GroupWeights = Mapping[str, Mapping[str, float]]
"""Attribute, then group, to how often it is drawn; 1 where nothing is said."""
EVEN: GroupWeights = MappingProxyType({})
LEAST, MOST = -1.0, 9.0
"""Bounds of log10 of a weight: no group is ever left out for good."""


def group_weights(published: Iterable[Published]) -> GroupWeights:
    """From the state of the tests of a use case."""
    found: dict[str, dict[str, float]] = {}
    for one in published:
        if is_group_test(one.test) and not one.epoch.alarmed:
            measured = Measured.parse(one.test)
            weight = 10.0 ** min(max(one.log10_e, LEAST), MOST)
            of_attribute = found.setdefault(measured.attribute, {})
            of_attribute[measured.groups] = max(weight, of_attribute.get(measured.groups, 0.0))
    return found


def ranked(
    groups: Iterable[str], call_id: str, attribute: str, *, key: bytes, weights: GroupWeights
) -> list[str]:
    """The groups in the order in which they are drawn without putting back, by these weights.

    The first one is each group with a chance in proportion to its weight (Efraimidis and Spirakis
    2006). key: of the hash, secret, at most 64 bytes.
    """
    weight = weights.get(attribute, {})
    turns = {
        group: -log1p(-_uniform(call_id, attribute, group, key)) / weight.get(group, 1.0)
        for group in groups
    }
    return sorted(turns, key=turns.__getitem__)


def _uniform(call_id: str, attribute: str, group: str, key: bytes) -> float:
    """In [0, 1), the same for the same words."""
    what = "\0".join((call_id, attribute, group)).encode("utf-8", "surrogatepass")
    digest = blake2b(what, digest_size=8, key=key).digest()
    return (int.from_bytes(digest) >> 11) / 2.0**53
