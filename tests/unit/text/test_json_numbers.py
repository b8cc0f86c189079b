"""Whole numbers of any length in what others have written."""

from __future__ import annotations

import json

import pytest

from guard.replies.json_text import JsonReader, NotJsonError, argument_texts
from guard.text import LongNumberError, whole_number
from guard.text.json_answers import answer_in_json
from guard.text.json_numbers import MOST_DIGITS
from guard.wrap.asgi.whole_body import texts_anywhere

LONGEST = "9" * MOST_DIGITS
TOO_LONG = LONGEST + "9"


@pytest.mark.parametrize("sign", ["", "-"])
def test_it_is_read_up_to_a_length(sign: str) -> None:
    assert whole_number(sign + LONGEST) == int(sign + LONGEST)
    with pytest.raises(LongNumberError, match=r"401 digits \(-?9{19,20}\.\.\.\); at most 400"):
        whole_number(sign + TOO_LONG)


def test_a_reply_with_a_longer_one_is_not_read() -> None:
    assert JsonReader().read(f"[{LONGEST}]") == [int(LONGEST)]
    with pytest.raises(NotJsonError, match="401 digits"):
        JsonReader().read(f"[{TOO_LONG}]")


def test_the_texts_beside_a_longer_one_are_read_all_the_same() -> None:
    source = json.dumps({"said": "So nasty."})[:-1] + f', "n": {TOO_LONG}}}'
    assert texts_anywhere(source.encode()) == ["So nasty."]
    assert any("So nasty." in text for text in argument_texts(source))
    assert answer_in_json(source) is None
