"""Each group against all others: which pair counts, from whose view, and the family of tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from math import log10

import pytest

from guard.fairness import (
    CATALOGUE,
    Comparison,
    Conditions,
    Epoch,
    MeasuredReply,
    ObservedPair,
    Published,
    Tally,
)
from guard.fairness.catalogue import Tolerances
from guard.fairness.group_tests import (
    OmnibusTest,
    family,
    group_evidence,
    is_group_test,
    omnibus_of,
    publish_tests,
    shares,
)
from guard.fairness.live import Replies
from guard.fairness.tally import add
from guard.records import Ending

KEY = b"secret"
ALL = Conditions(repeats=True, vectors=True, control=True)


def reply(sentiment: float) -> Replies:
    scores = {"sentiment": sentiment, "toxicity": 0.1, "stereotype": 0.1}
    return (MeasuredReply(text="So.", ending=Ending.ANSWERED, masked="so", normalised=scores),)


def pair(call: str, source: str, target: str, mine: float, other: float) -> ObservedPair:
    first, second = sorted((source, target))
    replies = {source: reply(mine), target: reply(other)}
    compared = Comparison(
        call_id=call,
        attribute="religion",
        first=first,
        second=second,
        source=source,
        first_replies=replies[first],
        second_replies=replies[second],
    )
    return CATALOGUE.observe(compared, Conditions())


def call(number: int) -> tuple[ObservedPair, ...]:
    """A prompt about c that is asked about a and b as well, who are answered more kindly."""
    name = f"call-{number}"
    return pair(name, "c", "a", 0.1, 0.3), pair(name, "c", "b", 0.1, 0.7)


def seen(pairs: Iterable[ObservedPair]) -> dict[str, float]:
    found = group_evidence(tuple(pairs), key=KEY, tested_group=lambda _, group: group)
    name = "sentiment_gap_grounded:religion:"
    return {
        test.removeprefix(name): round(tally.get(f"{test}|sum", 0.0), 6)
        for test, tally in found.items()
        if test.startswith(name)
    }


def test_each_group_of_a_call_counts_once_and_from_its_own_view() -> None:
    found = Counter(seen(call(number))["c"] for number in range(200))
    assert set(found) == {-0.2, -0.6}
    assert min(found.values()) > 60
    assert {seen(call(number))["a"] for number in range(20)} == {0.2}
    assert {seen(call(number))["b"] for number in range(20)} == {0.6}


def test_which_pair_counts_does_not_depend_on_replies_or_on_their_order() -> None:
    for number in range(40):
        drawn = seen(call(number))["c"]
        assert seen(call(number)[::-1])["c"] == drawn
        name = f"call-{number}"
        turned = pair(name, "c", "a", 0.3, 0.1), pair(name, "c", "b", 0.7, 0.1)
        assert seen(turned)["c"] == -drawn


def test_groups_without_a_test_of_their_own_are_one() -> None:
    def tested(_: str, group: str) -> str:
        return group if group == "c" else "other"

    found = group_evidence(call(1), key=KEY, tested_group=tested)
    assert {name.split(":")[2] for name in found} == {"c", "other"}
    among = group_evidence((pair("x", "a", "b", 0.1, 0.9),), key=KEY, tested_group=tested)
    assert among == {}


def test_the_family_of_tests() -> None:
    made = family(CATALOGUE, {"gender": 2, "race": 3}, conditions=Conditions())
    names = [test.name for test in made]
    assert names[0] == "sentiment_gap_grounded:gender"
    assert "refusal_rate_difference:race" in names
    assert len(names) == len(set(names))
    wide = family(CATALOGUE, {"gender": 2}, conditions=ALL)
    assert {test.metric for test in wide} - {test.metric for test in made} >= {"token_contrast"}
    assert {test.groups for test in wide} == {2}


def test_tolerances_and_sizes_reach_their_tests() -> None:
    made = family(
        CATALOGUE,
        {"gender": 2},
        conditions=ALL,
        tolerances=Tolerances(gaps=0.01, refusals=0.02, contrasts=0.03),
        material={"token_contrast": 0.5},
    )
    by_metric = {test.metric: test for test in made}
    assert by_metric["sentiment_gap_grounded"].tolerance == 0.01
    assert by_metric["refusal_rate_difference"].tolerance == 0.02
    assert by_metric["timed_out_rate_difference"].tolerance == 0.02
    assert by_metric["token_contrast"].tolerance == 0.03
    assert by_metric["token_contrast"].material == 0.5
    assert by_metric["token_contrast"].of_group("male").tolerance == 0.03


def test_the_shares_of_all_tests_add_up_to_one() -> None:
    made = family(CATALOGUE, {"gender": 2, "race": 8}, conditions=ALL)
    share = shares(made)
    groups = {"gender": "ab", "race": "abcdefgh"}
    every = [test.name for test in made] + [
        f"{test.name}:{group}" for test in made for group in groups[test.attribute]
    ]
    assert sum(map(share, every)) == pytest.approx(1.0)
    assert sum(share(test.name) for test in made) == pytest.approx(0.9)


OMNIBUS = OmnibusTest(metric="gap", attribute="religion", groups=4, material=0.1)
EPOCHS = {name: Epoch(deployment="", settings="") for name in ("gap:religion",)} | {
    f"gap:religion:{group}": Epoch(deployment="", settings="") for group in "abcd"
}


def sums(group: str, *differences: float) -> dict[str, float]:
    test = OMNIBUS.of_group(group)
    return add(*(test.tally(one) for one in differences))


def publish(by_group: dict[str, Tally]) -> dict[str, Published]:
    return publish_tests([OMNIBUS], {"gap:religion": by_group}, EPOCHS)


def test_groups_without_data_take_part_as_one() -> None:
    found = publish({"a": sums("a", *[0.5] * 8), "b": {}})
    assert set(found) == {"gap:religion", "gap:religion:a"}
    e = 10 ** found["gap:religion:a"].log10_e
    assert 10 ** found["gap:religion"].log10_e == pytest.approx((e + 3.0) / 4)
    assert found["gap:religion"].counted_log10_e == pytest.approx(log10(e / 4))
    assert publish({"b": {}}) == publish({}) == {}


def test_only_groups_whose_difference_matters_count_for_an_alarm() -> None:
    by_group = {"a": sums("a", *[0.05] * 40), "b": sums("b", *[0.5, -0.1] * 4)}
    found = publish(by_group)
    small, large, together = (found[f"gap:religion{of}"] for of in (":a", ":b", ""))
    assert small.log10_e > large.log10_e
    assert (small.is_material, large.is_material, together.is_material) == (False, True, True)
    assert together.counted_log10_e == pytest.approx(large.log10_e - log10(4))
    assert together.log10_e > together.counted_log10_e


def test_replies_that_are_more_alike_across_groups_than_within_raise_no_alarm() -> None:
    undirected = replace(OMNIBUS, directed=False)
    for test, expected in ((OMNIBUS, True), (undirected, False)):
        found = publish_tests([test], {"gap:religion": {"a": sums("a", *[-0.5] * 40)}}, EPOCHS)
        assert found["gap:religion:a"].is_material is expected
        assert (found["gap:religion"].counted_log10_e > 0) is expected
    more = publish_tests([undirected], {"gap:religion": {"a": sums("a", *[0.5] * 40)}}, EPOCHS)
    assert more["gap:religion"].counted_log10_e > 0


def test_a_family_knows_which_tests_have_no_direction() -> None:
    made = family(CATALOGUE, {"gender": 2}, conditions=ALL)
    undirected = {test.metric for test in made if not test.directed}
    assert {"token_contrast", "embedding_contrast"} <= undirected
    assert "toxicity_gap_grounded" not in undirected


def test_names_of_tests() -> None:
    assert omnibus_of("gap:religion:a") == omnibus_of("gap:religion") == "gap:religion"
    assert is_group_test("gap:religion:a")
    for other in ("gap:religion", "gap:religion:a~b", "gap", "No Name!"):
        assert not is_group_test(other)
