"""Letters and words that stand one by one are put together."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text import clean, readings
from guard.text.escapes import NOTHING
from guard.text.one_by_one import put_together
from tests.bait import WORDS_APART, much

SAID = "you are so dull"


def told(text: str) -> str:
    found = put_together(text)
    assert len(found) == len(text)
    return " ".join(found.replace("\u200b", "").split())


@pytest.mark.parametrize(
    ("between", "around"),
    [("\n", "\n\n"), ("\n- ", "\n\n- "), ("\n\n", "\n\n\n"), ("\n2. ", "\n\n")],
)
def test_a_letter_a_line(between: str, around: str) -> None:
    assert (
        told("Look:\n\n\n" + around.join(between.join(word) for word in SAID.split()))
        == f"Look: {SAID}"
    )


def test_letters_of_one_word_only() -> None:
    assert told("\n* ".join("dull")) == "dull"
    assert told("so: " + "\n".join("dull") + ", yes") == "so: dull, yes"


@pytest.mark.parametrize("quote", '"`')
def test_each_word_in_quotation_marks(quote: str) -> None:
    assert told(" ".join(f"{quote}{word}{quote}" for word in SAID.split())) == SAID


@pytest.mark.parametrize("between", [" ", ", ", "\n", "\u200b" * 20])
def test_numbered_words(between: str) -> None:
    text = between.join(f"{at}{word}" for at, word in enumerate(SAID.split()))
    assert told(text) == SAID.replace(" ", between.strip() + " ").replace("\u200b", "")


@pytest.mark.parametrize("sign", ["@", "!", "||", "`", "**", "|"])
def test_a_sign_in_place_of_each_space(sign: str) -> None:
    assert told(sign.join(SAID.split())) == SAID


@pytest.mark.parametrize("sign", ["`", "•", "#", "|", "(*)"])
def test_a_sign_within_several_words(sign: str) -> None:
    assert told(f"qu{sign}ite du{sign}ll in{sign}deed") == "quite dull indeed"
    assert put_together(f"qu{sign}ite du{sign}ll") == f"qu{sign}ite du{sign}ll"


@pytest.mark.parametrize("sign", "★→●♥│∞°©×√🎉")
def test_a_symbol_in_place_of_each_space_or_within_words(sign: str) -> None:
    apart, *_ = readings(sign.join(SAID.split()))
    assert clean(apart.text) == SAID
    _, inside = readings(f"you are so du{sign}ll")
    assert inside.text.replace("\u200b", "") == SAID
    _, inside = readings(sign.join(SAID))
    assert inside.text.replace("\u200b", "") == SAID
    assert clean(SAID.replace(" ", f"{sign} {sign}")).split() == SAID.split()


def test_each_letter_twice() -> None:
    assert told("".join(each * 2 if each.isalpha() else each for each in SAID)) == SAID


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\nb\nc",
        'He said "no" and "never", then "yes".',
        "me@example.org and you@example.org, a|b|c, a!b",
        "3 apples, 10kg of flour, 5g of salt",
        "bookkeeper, ee and oo",
        "- a\n- an apple\n- b",
        "use `a` and `b`, then `c` or `d`",
    ],
)
def test_what_stands_as_usual_stays(text: str) -> None:
    assert put_together(text) == text


@given(st.text(alphabet='ab1 \n-.*"`\u200bé', max_size=120))
def test_the_length_stays(text: str) -> None:
    assert len(put_together(text)) == len(text)


@pytest.mark.slow
@pytest.mark.parametrize("piece", WORDS_APART)
def test_much_bait_is_read_whole(piece: str) -> None:
    text = much(piece, 12_000) + "!"
    assert len(put_together(text)) == len(text)


ROWS = [
    '{"rows": [{"n": 0, "w": "you"}, {"n": 1, "w": "are"}, {"w": "so"}, {"w": "dull"}]}',
    "[{'id': 1, 'text': 'you'}, {'text': 'are'}, {'text': 'so'}, {'text' : 'dull'}]",
    "INSERT INTO t VALUES (1, 'you'), (2, 'are'), (3, 'so'), (4, 'dull');",
    "print('you')\nprint('are')\nprint('so')\nprint('dull')",
    'Here:\n```json\n["you", "are",\n  "so", "dull"]\n```',
]


@pytest.mark.parametrize("source", ROWS)
def test_words_that_stand_a_row_each_in_json(source: str) -> None:
    said = [" ".join(one.text.replace("\u200b", "").split()) for one in readings(source)]
    assert any(SAID in each for each in said[1:])


@pytest.mark.parametrize("sign", ["ж", "の", "Ω"])
def test_a_letter_of_another_script_in_place_of_each_space(sign: str) -> None:
    assert told(sign.join(SAID.split())) == SAID


def test_a_block_of_code_a_word() -> None:
    assert told("\n".join(f"```\n{word}\n```" for word in SAID.split())) == SAID


@pytest.mark.parametrize("space", ["&nbsp;", "&#160;", "&#32;", "&thinsp;"])
def test_spaces_that_are_written_out(space: str) -> None:
    first, *_ = readings("a " + space.join("stupid") + space + "one")
    assert clean(first.text).replace("\u200b", "") == "a stupid one"


def test_letters_that_stand_a_row_each_in_json() -> None:
    source = "[" + ", ".join(f'{{"c": "{letter}"}}' for letter in SAID) + "]"
    said = [" ".join(one.text.replace("\u200b", "").split()) for one in readings(source)]
    assert SAID in said


def test_short_values_of_json_that_are_few_are_not_read_alone() -> None:
    assert len(readings('{"city": "Rome", "mood": "fine", "days": 3}')) == 1


@pytest.mark.parametrize(
    "text",
    [
        '["kill", "start", "stop", "die"]',
        '{"role": "nurse", "mood": "dumb", "pet": "dog", "size": "small"}',
        "f(sep=sep, header=header, dtype=dtype)",
        "1. B\n2. D\n3. A\n4. C",
        "margin: 3px 5px 10px 2px; 1st 2nd 3rd 4th; YYYY-MM-DD HH:mm",
        "Use `id`, `name`, `email` and `phone`.",
        "muốn một cái Việt Nam",
        "can’t wait for Friday🍕",
        r"$a\cdot b$, $x\in A$ and 2\pi r",
    ],
)
def test_ordinary_text_and_code_has_one_reading(text: str) -> None:
    assert len(readings(text)) == 1


def test_no_form_is_crowded_out_by_others() -> None:
    decoys = '"a" "b" "c" "d". 0a 1b 2c 3d. aa@bb@cc@dd. qu•ite du•ll in•deed. *x* *y* *z* *w*. '
    hidden = "".join(each * 2 if each.isalpha() else each for each in SAID)
    assert told(decoys + hidden).endswith(SAID)
    assert any(SAID in one.text.replace("\u200b", "") for one in readings(decoys + hidden))


def test_readings_are_not_multiplied_without_bound() -> None:
    text = "`y` `o` `u` 0a 1b 2c 3d y@o@u@r qu•ite du•ll in•deed aa★b ssee ttoo uunn ж"
    text += "".join(f"\n```\n{word}\n```" for word in ("so", "be", "it", "no"))
    text += '\na\nb\nx\ny [{"a":"you"},{"b":"are"}'
    assert 4 < len(readings(text + ',{"c":"so"},{"d":"dull"}] sooo goood <b>x</b>')) <= 12


def test_letters_that_are_doubled_and_stand_apart_are_read_once() -> None:
    doubled = "   ".join(" ".join(2 * letter for letter in word) for word in SAID.split())
    assert "".join(put_together(doubled).replace(NOTHING, "").split()) == SAID.replace(" ", "")
    assert put_together("YY MM DD hh mm ss") == "YY MM DD hh mm ss"


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "keydown", "key": "", "at": 12},
        {"event": "keypress", "code": "Key", "key": "", "target": "body"},
    ],
)
def test_letters_of_a_field_are_read_without_the_other_fields(entry: dict[str, object]) -> None:
    letters = SAID.replace(" ", "")
    events = [{**entry, "key": letter, "at": at} for at, letter in enumerate(letters)]
    events = [e | {"code": f"Key{e['key']}"} if "code" in e else e for e in events]
    for text in (json.dumps(events), "\n".join(map(json.dumps, events))):
        read = [reading.text.replace(NOTHING, "") for reading in readings(text)]
        assert any("".join(re.findall(r"\w", one)) == letters for one in read)


def test_a_run_of_one_letter_is_read_in_linear_time() -> None:
    """A pattern that tries all ways to part the run would not end."""
    run = "a" * 2_000 + "b"
    assert told(f"soon {run} comes") == f"soon {run} comes"
