"""What is shown where the direction of letters is overridden, worked by hand from UAX #9."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.records import Span
from guard.text.bidi import in_visual_order, without_marks

LRE, RLE, PDF, LRO, RLO = "\u202a", "\u202b", "\u202c", "\u202d", "\u202e"
LRI, RLI, FSI, PDI = "\u2066", "\u2067", "\u2068", "\u2069"
SHOWN = {
    f"a {RLO}diputs{PDF} one": "a stupid one",
    f"{RLO}{LRO}stupid": "stupid",
    f"{RLO}{LRI}stupid": "stupid",
    f"{RLO}{FSI}stupid": "stupid",
    f"{RLO}{LRE}stupid": "stupid",
    f"{RLO}{FSI}\u05d0b": "b\u05d0",
    f"{RLO}{PDF}stupid": "stupid",
    f"{RLO}{PDI}diputs": "stupid",
    f"{RLO}{LRI}{PDI}diputs": "stupid",
    f"{RLI}{RLO}diputs{PDI} one": "stupid one",
    f"{RLI}{RLO}diputs{PDI}{PDF} one": "stupid one",
    f"{LRI}{RLO}{PDI}stupid": "stupid",
    f"{RLO}dna{LRO}one{PDF} ": " oneand",
    f"{RLO}{RLE}stupid": "stupid",
    f"{RLO}\nstupid": "\nstupid",
    f"{RLO}\rstupid": "\rstupid",
    f"{RLO}\x85stupid": "\x85stupid",
    f"{RLO}\u2029stupid": "\u2029stupid",
    f"{RLO}eno\u2028diputs": "one\u2028stupid",
    f"{RLO}eno\tdiputs": "one\tstupid",
    f"{RLE}{LRE}" * 70 + f"{RLO}stupid": "stupid",
    f"{RLO}" * 70 + "diputs": "stupid",
    f"{RLI}{LRI}" * 70 + f"{PDI}" * 141 + f"{RLO}diputs": "stupid",
    f"{RLI}kind are you": "kind are you",
    f"{RLI}a {LRI}b{PDI} c": "a b c",
    f"{RLI}are{RLE} {PDF}you": "are you",
    f"{RLI}are \u05d0 you, 1 \u05d0 2": "2 \u05d0 you, 1 \u05d0 are",
    "no mark": "no mark",
}


@pytest.mark.parametrize(("raw", "shown"), SHOWN.items())
def test_what_is_shown(raw: str, shown: str) -> None:
    found, _ = in_visual_order(raw)
    assert found.replace("\u200b", "") == shown
    assert len(found) == len(raw)


def test_paragraphs_may_begin_from_right_to_left() -> None:
    shown, _ = in_visual_order("\u200fkind \u200fare \u200fYou\na b", leftward=True)
    assert shown.replace("\u200b", "") == "You are kind\na b"


def test_it_is_said_which_paragraphs_are_turned() -> None:
    text = f"one\n{RLO}owt\nthree {RLO}{LRO}four\n"
    assert in_visual_order(text)[1] == (Span(start=4, end=8),)


@given(st.text(alphabet=f"ab \u05d0\n\t{LRE}{RLE}{PDF}{LRO}{RLO}{LRI}{RLI}{FSI}{PDI}"))
def test_every_character_is_shown_once(text: str) -> None:
    assert sorted(in_visual_order(text)[0]) == sorted(without_marks(text))


def test_isolates_within_one_from_right_to_left_stand_in_that_order() -> None:
    said = "You are kind"
    written = "\u2067" + "".join(f"\u2066{one}\u2069" for one in reversed(said)) + "\u2069"
    shown, turned = in_visual_order(written)
    assert shown.replace("\u200b", "") == said
    assert turned == (Span(start=0, end=len(written)),)
