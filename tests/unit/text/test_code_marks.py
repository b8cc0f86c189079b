"""Prose between pieces of code is not quoted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text import readings
from guard.text.code_blocks import prose_alone
from guard.text.code_marks import without_code_marks

SAID = "You are a nice person."


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"```js\nx\n```\n{SAID}", f"   js\nx\n   \n{SAID}"),
        (f"- `--a`: {SAID} (default `1`)", f"-  --a : {SAID} (default  1 )"),
        (f"`a` {SAID}", f" a  {SAID}"),
        (f"`` {SAID} ``", f"   {SAID}   "),
    ],
)
def test_marks_of_code_are_blanks(text: str, read: str) -> None:
    assert without_code_marks(text) == read


@pytest.mark.parametrize(
    "text",
    [
        f"Whoever says `{SAID}` is kind.",
        f"`{SAID}` and `{SAID}`",
        "He said `you go now` and `I am in`",
        "Set `ulimit -u` before you start.",
        "typeof e==`object`&&f===`x`",
        "wor`th`y",
    ],
)
def test_other_backticks_stay(text: str) -> None:
    assert without_code_marks(text) == text


def test_prose_is_read_without_blocks_of_code() -> None:
    text = f"To install:\n\n```bash\npip install foo\n```\n\n{SAID}\n\n~~~\nfoo --help\n~~~\nBye."
    assert prose_alone(text).split() == f"To install: {SAID} Bye.".split()
    assert any("pip" not in one.text and SAID in one.text for one in readings(text))


@pytest.mark.parametrize("text", [SAID, f"```\n{SAID}\n```", "```", "~~~\n~~~"])
def test_texts_without_a_program_are_as_they_are(text: str) -> None:
    assert prose_alone(text) == text


@given(
    st.lists(st.sampled_from(["```", "`", "~~~", "\n", " ", "a", "you", "{}", "b c"])).map("".join)
)
def test_all_stays_where_it_is(text: str) -> None:
    for made in (without_code_marks(text), prose_alone(text)):
        assert len(made) == len(text)
        assert all(one in (sign, " ") for sign, one in zip(text, made, strict=True))
