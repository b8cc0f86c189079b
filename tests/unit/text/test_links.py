"""What a line says is read without the addresses beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text import readings
from guard.text.escapes import NOTHING
from guard.text.links import without_links

HERE = "https://example.com/a/page.html?x=1"


def read(text: str) -> list[str]:
    return [one.replace(NOTHING, "") for one in without_links(text)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{HERE} You are kind.", ". You are kind."),
        (f"{HERE} {HERE} you are kind {HERE} {HERE}", ". . you are kind . ."),
        (f"Hello there.\nsee www.example.com you are kind\n{HERE}", "see . you are kind"),
        (f"[kind words]({HERE})", "[kind words](."),
    ],
)
def test_a_line_is_read_without_its_addresses(text: str, said: str) -> None:
    assert [one.strip() for one in read(text)[0].splitlines() if one.strip(" .")] == [said]
    assert any(reading.excerpt for reading in readings(text))


@pytest.mark.parametrize("text", ["", "You are kind.", HERE, f"{HERE}\n{HERE}\nYou are kind."])
def test_other_lines_are_not_read_again(text: str) -> None:
    assert read(text) == []


@given(st.lists(st.sampled_from([HERE, "www.a.bc", " you are", "\n", "\r\n", "://", "x"])))
def test_all_stays_where_it_is(parts: list[str]) -> None:
    text = "".join(parts)
    for one in without_links(text):
        assert len(one) == len(text)
        assert all(a == b for a, b in zip(one, text, strict=True) if a.isalnum())
