"""What of a window was judged before with its neighbours, and what is judged again."""

from __future__ import annotations

from guard.holdback import Held

FIRST, SECOND, THIRD = "One is here. ", "Two is there. ", "Three is away. "


def held(*checked: str, window_characters: int = 1000) -> Held:
    """After these sentences were checked one by one, with one more that waits."""
    made = Held(window_characters=window_characters)
    for sentence in checked:
        made = made.grown(sentence).checked(len(sentence))
    return made.grown(THIRD)


def test_what_was_checked_last_is_judged_again_with_what_follows() -> None:
    assert held(FIRST, SECOND).settled(len(THIRD)) == len(FIRST)
    assert held(FIRST).settled(len(THIRD)) == 0


def test_where_the_window_has_lost_what_came_before_it_the_last_one_stands() -> None:
    room = len(SECOND) + len(THIRD)
    assert held(FIRST, SECOND, window_characters=room).settled(len(THIRD)) == len(SECOND)
