"""What is written as code and is none is read as a text of its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.code_blocks import sentences_in_code
from guard.text.values import said_values

SAID = "You are a nice person."


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences_in_code(text)]


@pytest.mark.parametrize(
    "text",
    [
        f"Here:\n\n```\n{SAID}\n```\n\nBye.",
        f"Here:\n\n~~~text\n{SAID}\n~~~",
        f"```python\n{SAID}\n```",
        f"> ```\n{SAID}\n> ```",
        f"````\n{SAID}\n````\nBye.",
        f"Still going on:\n```\n{SAID}",
        f"Here ```{SAID}``` it is.",
        f"Here ``{SAID}`` it is.",
        f"Here:\n`{SAID}`\nBye.",
        f"- `{SAID}`\n2. no",
    ],
)
def test_a_sentence_is_found(text: str) -> None:
    assert found(text) == [SAID]


@pytest.mark.parametrize(
    "text",
    [
        SAID,
        f"Whoever says `{SAID}` is kind.",
        "```python\nperson = you(nice)\n```",
        f'```\nprint("{SAID}")\n```',
        f"```\n# {SAID}\nx\n```",
        "```\n$ kill it\n```",
        "```bash\nkill all children of process\n```",
        "- `kill the parent and the child`",
        "```\n```",
        "```",
        "``",
    ],
)
def test_code_and_what_a_sentence_quotes_is_not(text: str) -> None:
    assert not found(text)


def test_two_blocks_are_two_texts() -> None:
    assert found(f"```\n{SAID}\n```\nand\n```\nNo.\n```") == [SAID, "No."]


@pytest.mark.parametrize("sign", ["`", '"'])
def test_a_cell_is_read_without_what_is_around_it(sign: str) -> None:
    text = f"| 7 | {sign}{SAID}{sign} |\n"
    assert [text[start:end] for start, end in said_values(text)] == [SAID]


@given(st.text(alphabet="`~ab \n.", max_size=60))
def test_what_is_found_stands_in_the_text(text: str) -> None:
    for start, end in sentences_in_code(text):
        assert 0 <= start < end <= len(text)


@pytest.mark.parametrize("unit", ["```\n", "`", "~~~\n", "```a\n", "``a", "\n", " \n", "A", ";\t"])
def test_many_signs_are_read_in_linear_time(unit: str) -> None:
    """Or this does not end."""
    assert len(list(sentences_in_code("```\n" + unit * 100_000))) <= 100_000
