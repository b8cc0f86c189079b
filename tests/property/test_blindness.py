"""Who has to decide sees nothing of a pair but what is masked."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from guard.records import CaseRecord, CaseState, Vote
from guard.review.case_view import open_case, side_order
from guard.review.views import PairView
from tests.repeats import repeats
from tests.unit.review.made import KEY, body, pair

SECRET = "Secretly"
said = st.text(st.sampled_from("ab someone.\n 漢"), max_size=40)


def reply(masked: str, live: bool) -> dict[str, Any]:
    return {
        "text": f"{SECRET} {masked}",
        "masked": masked,
        "ending": "answered",
        "live": live,
        "scores": {"toxicity": 0.987},
        "grounded": {"toxicity": 0.25},
    }


sides = st.lists(st.builds(reply, said, st.booleans()), min_size=1, max_size=4)
turns = st.lists(
    said.map(lambda text: {"role": "user", "content": f"{SECRET} {text}", "masked": text}),
    min_size=1,
    max_size=3,
)


@settings(max_examples=repeats(80, soak=1000), deadline=None)
@given(
    first=sides,
    second=sides,
    asked=turns,
    shown=st.tuples(st.integers(0, 5), st.integers(0, 5)),
    ends=st.tuples(st.integers(0, 60), st.integers(0, 60)),
    source=st.sampled_from(("first", "second")),
)
def test_nothing_that_is_hidden_is_seen(
    *,
    first: list[dict[str, Any]],
    second: list[dict[str, Any]],
    asked: list[dict[str, Any]],
    shown: tuple[int, int],
    ends: tuple[int, int],
    source: str,
) -> None:
    claim = {"span": [0, ends[0]], "masked": [0, ends[1]], "neutral": 0.9}
    told = body(
        replies={"first": first, "second": second},
        prompts={"first": asked, "second": asked},
        shown=shown,
        claims={"first": [claim], "second": [claim, claim]},
        source=source,
        groups={"first": SECRET, "second": SECRET},
        same_prompt=first[-1]["text"],
        same_group=SECRET,
        replacements=[[{"source": [0, 2], "target": [0, 2], "old": SECRET, "new": SECRET}]],
    )
    votes = (Vote(case_id="p1", reviewer="another", verdict=SECRET, at_seconds=1.0, note=SECRET),)
    case = pair(body=told, groups=(SECRET, "male"), reviewers=3)
    filed = CaseRecord(case=case, state=CaseState.OPEN, votes=votes, holder="ann", held_until=9e9)
    seen = open_case(filed, "ann", KEY)
    assert seen.blind
    assert SECRET not in repr(seen)
    assert "0.987" not in repr(seen)
    assert "is_source=None" in repr(seen)
    assert isinstance(seen.view, PairView)
    counts = [len(side.more) for side in seen.view.sides]
    assert max(counts) <= min(len(first), len(second))


@given(case_id=st.text(max_size=20), reviewer=st.text(max_size=20), key=st.binary(max_size=80))
def test_an_order_stays(case_id: str, reviewer: str, key: bytes) -> None:
    order = side_order(case_id, reviewer, key)
    assert set(order) == {"first", "second"}
    assert side_order(case_id, reviewer, key) == order


def test_orders_are_balanced_over_cases_over_reviewers_and_between_them() -> None:
    """Each within five standard deviations of half, and what one sees tells nothing of another."""
    cases = [f"case {number}" for number in range(10_000)]
    ann, bob = ([side_order(case, who, KEY)[0] for case in cases] for who in ("ann", "bob"))
    reviewers = [side_order("case", f"reviewer {number}", KEY)[0] for number in range(10_000)]
    same = [str(one == two) for one, two in zip(ann, bob, strict=True)]
    for found in (ann, bob, reviewers, same):
        assert all(abs(count - 5000) < 250 for count in Counter(found).values())
