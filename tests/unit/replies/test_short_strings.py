"""Words that stand one by one in the arguments of a tool are read as a sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guard.replies.assemble import Assembly
from guard.replies.edit import replace_texts
from guard.replies.fields import ReadOptions, extract

BAD = "You are a nasty thing"
WORDS = BAD.split()


def called(source: str, options: ReadOptions, size: int) -> str:
    """The judged text of a call with these arguments, in pieces of this size where streamed."""
    key = "delta" if options.streamed else "message"
    assembly: Assembly[Any] = Assembly(replace_texts)
    added = []
    for at in range(0, len(source), size):
        call = {"index": 0, "function": {"arguments": source[at : at + size]}}
        value = {"choices": [{"index": 0, key: {"tool_calls": [call]}}]}
        added.append(assembly.add(value, extract(value, options)))
    return "".join(added) + assembly.finish()


@pytest.mark.parametrize(
    "arguments",
    [
        {word: at for at, word in enumerate(WORDS)},
        dict.fromkeys(WORDS),
        dict.fromkeys(WORDS, ""),
        dict.fromkeys(WORDS, "x"),
        WORDS,
        [[word, at] for at, word in enumerate(WORDS)],
        [{"word": word} for word in WORDS],
        {f"k{at}": word for at, word in enumerate(WORDS)},
        {"You": "are", "a": "nasty", "thing": 1},
    ],
)
@pytest.mark.parametrize("size", [1, 3, 10_000])
@pytest.mark.parametrize("streamed", [False, True])
def test_words_one_by_one_are_a_text(arguments: Any, size: int, streamed: bool) -> None:
    for source in (json.dumps(arguments), json.dumps(arguments, indent=2)):
        whole = len(source) if not streamed else size
        assert BAD in called(source, ReadOptions(streamed=streamed), whole)


def test_escapes_in_words_are_decoded_however_they_are_cut() -> None:
    source = '{"You": 1, "\\u0061re": 2, "a": 3, "na\\u0073ty": 4, "th\\"ing": 5}'
    for size in range(1, 9):
        assert 'You are a nasty th"ing' in called(source, ReadOptions(streamed=True), size)


@pytest.mark.parametrize(
    "arguments",
    [
        {"city": "Paris", "days": 3},
        {"text": "All of this is one long sentence.", "to": "All of this is another sentence."},
    ],
)
def test_arguments_with_few_words_are_judged_once(arguments: Any) -> None:
    source = json.dumps(arguments)
    assert called(source, ReadOptions(), len(source)) == source
