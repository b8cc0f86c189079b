"""What was asked, read from whatever arguments a function takes."""

from __future__ import annotations

import pytest

from guard.wrap.prompts import first_text, safely


@pytest.mark.parametrize(
    ("args", "kwargs", "prompt"),
    [
        (("hello",), {}, "hello"),
        ((3, "hello"), {}, "hello"),
        ((), {"model": None, "prompt": "hello"}, "hello"),
        (([{"role": "system", "content": "Be kind."}, {"content": "Hi"}],), {}, "Be kind.\nHi"),
        (([{"role": "user", "content": [{"type": "image"}]}], "text"), {}, "text"),
        ((object(), 3), {}, ""),
    ],
)
def test_the_first_text_or_list_of_messages(
    args: tuple[object, ...], kwargs: dict[str, object], prompt: str
) -> None:
    assert first_text(*args, **kwargs) == prompt


def test_a_reader_that_fails_costs_nobody_a_call() -> None:
    def fails(*args: object) -> str:
        raise KeyError(args)

    assert safely(fails, ("hello",), {}) == ""
