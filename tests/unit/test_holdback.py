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


def test_what_is_not_shown_takes_no_room_in_the_window() -> None:
    filler = "We went to the market and had some coffee there. " * 4
    words = [f"{word} <template>{filler}</template> " for word in ("You", "are", "an", "idiot.")]
    made = Held(window_characters=600)
    for sentence in "".join(words).split("coffee"):
        made = made.grown(f"{sentence}coffee").checked(len(sentence) + len("coffee"))
    assert "".join(made.context).startswith("You <template>")
    assert made.begins


def test_long_style_sheets_take_room() -> None:
    style = "<style>" + "p { color: red; } " * 99 + "</style> "
    assert held(FIRST, style, SECOND).context == (SECOND,)
