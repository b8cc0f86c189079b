"""An age of another group lies in that group, keeps its last digit, and is led back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from guard.counterfactual.english.ages import age_in, group_of_age, with_age_of

GROUPS = st.sampled_from(["young", "middle_aged", "old"])
ADULT = st.integers(18, 119)


@given(ADULT, GROUPS)
def test_an_age_moves_to_the_group_and_keeps_its_last_digit(age: int, group: str) -> None:
    moved = with_age_of(f"{age}-year-old", group)
    assert moved is not None
    new = age_in(moved)
    assert new is not None
    assert (group_of_age(new), new % 10) == (group, age % 10)
    assert with_age_of(moved, group) == moved


@given(ADULT, GROUPS, GROUPS)
def test_there_and_back_gives_one_age_for_a_group(age: int, there: str, back: str) -> None:
    moved = with_age_of(f"aged {age}", there)
    assert moved is not None
    assert with_age_of(moved, back) == with_age_of(f"aged {age}", back)


@given(st.integers(0, 17), GROUPS)
def test_what_is_said_of_a_child_fits_no_other_age(age: int, group: str) -> None:
    assert with_age_of(f"{age}-year-old", group) is None


@given(st.text(max_size=40), GROUPS)
def test_any_text_can_be_asked(text: str, group: str) -> None:
    with_age_of(text.lower(), group)
