"""Texts of others: made visible, cut to the room there is, escaped."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from guard.render.markup import element, join
from guard.render.visible import short_name, visible_text


def test_invisible_characters_are_written_out() -> None:
    assert visible_text("a\x00b\u202ec\ud800\r\n\uffff") == "a[U+0000]b[U+202E]c[U+D800]\n[U+FFFF]"
    assert visible_text("\u0644\u200c\u0627 👩‍🚀 naïve") == "\u0644\u200c\u0627 👩‍🚀 naïve"


@given(st.text(max_size=60), st.integers(2, 20))
def test_a_short_name_has_no_more_columns_than_there_are(text: str, width: int) -> None:
    assert len(short_name(text, width)) <= 2 * width
    assert "\n" not in short_name(text, width)


def test_what_is_left_out_of_a_name_shows() -> None:
    assert short_name("women", 10) == "women"
    assert short_name("women\n and  men", 13) == "women and men"
    assert short_name("women and men", 10) == "women and…"
    assert short_name("女性と男性の間", 10) == "女性と男…"
    assert short_name("a" * 1_000_000, 10) == "aaaaaaaaa…"
    assert len(short_name("Z" + "\u0351" * 200, 10)) <= 20


def test_texts_and_attributes_are_escaped_and_markup_is_not() -> None:
    inner = element("b", "<i>&")
    made = element("p", inner, "\x00", class_='"><x>', data_x=1.25, open=True, id=None)
    assert made.text == (
        '<p class="&quot;&gt;&lt;x&gt;" data-x="1.2" open><b>&lt;i&gt;&amp;</b>[U+0000]</p>'
    )
    assert element("br").text == "<br>"
    assert join(["<", inner], ", ").text == "&lt;, <b>&lt;i&gt;&amp;</b>"
