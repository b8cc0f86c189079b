"""The examples of docs/python.md do what the page says, with objects of the OpenAI client."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from guard import Guard
from guard.records import Verdict
from guard.testing import Recorder
from tests.servers_openai import Upstream, says

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
INSULT = "You are a stupid idiot and everybody hates you."
KIND = "Thank you for asking, I am glad to help you with that."
FALLBACK = "I am not able to share that answer."
ASKED = [{"role": "user", "content": "How are you?"}]


def example(name: str) -> dict[str, Any]:
    """What the block of the page that defines `name` defines."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = (one for one in blocks if re.search(rf"(?:def|class) {name}\b", one))
    defined: dict[str, Any] = {}
    exec(block.partition("\nguard = ")[0], defined)
    return defined


@pytest.fixture(scope="module")
def seen() -> Recorder:
    return Recorder()


@pytest.fixture(scope="module")
def guard(seen: Recorder) -> Iterator[Guard]:
    with Guard.open(observers=[seen]) as opened:
        yield opened


def completion(message: dict[str, Any]) -> ChatCompletion:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    return ChatCompletion.model_validate(
        {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    )


def chunks(text: str) -> list[ChatCompletionChunk]:
    """The text word by word, then a chunk of usage without a choice."""
    deltas = [{"index": 0, "delta": {"content": f"{word} "}} for word in text.split()]
    about = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    made = [{**about, "choices": [one]} for one in deltas] + [{**about, "choices": []}]
    return [ChatCompletionChunk.model_validate(one) for one in made]


def client(whole: Any = None, streamed: Any = None) -> Any:
    """Answers like the client of OpenAI."""

    def create(*, stream: bool = False, **_: Any) -> Any:
        return iter(streamed) if stream else whole

    return SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))


def wrapped(guard: Guard, asked: Any) -> Any:
    return example("guarded_completions")["guarded_completions"](guard, asked, "m")


def test_a_whole_reply_keeps_its_type_and_loses_what_is_withheld(
    guard: Guard, seen: Recorder
) -> None:
    kind = completion({"content": KIND})
    assert wrapped(guard, client(kind))[0](ASKED) == kind
    blocked = wrapped(guard, client(completion({"content": INSULT})))[0](ASKED)
    assert isinstance(blocked, ChatCompletion)
    assert blocked.choices[0].message.content == FALLBACK
    assert blocked.choices[0].finish_reason == "content_filter"
    assert seen.outcomes[-1].verdict is Verdict.BLOCKED
    assert seen.outcomes[-1].call.prompt == "How are you?"


def test_arguments_of_tools_are_judged_too(guard: Guard) -> None:
    function = {"name": "send", "arguments": f'{{"body": "{INSULT}"}}'}
    call = {"id": "1", "type": "function", "function": function}
    reply = completion({"content": None, "tool_calls": [call]})
    blocked = wrapped(guard, client(reply))[0](ASKED)
    assert blocked.choices[0].message.tool_calls is None
    assert blocked.choices[0].message.content == FALLBACK


def test_a_stream_keeps_its_chunks_and_stops_before_what_is_withheld(guard: Guard) -> None:
    given = list(wrapped(guard, client(streamed=chunks(KIND)))[1](ASKED))
    assert given == chunks(KIND)
    cut = list(wrapped(guard, client(streamed=chunks(f"{KIND} {INSULT}")))[1](ASKED))
    assert all(isinstance(chunk, ChatCompletionChunk) for chunk in cut)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in cut)
    assert text.startswith(KIND)
    assert "stupid" not in text
    assert text.endswith(FALLBACK)


def test_other_objects_say_where_their_text_is(guard: Guard) -> None:
    defined = example("guarded_answer")
    answer = defined["Answer"](INSULT, ("https://example.org",))
    given = defined["guarded_answer"](guard, lambda _: answer)("How are you?")
    assert given == defined["Answer"](FALLBACK)


def test_the_official_client_is_wrapped_in_one_line(guard: Guard, upstream: Upstream) -> None:
    ask = example("answer")["answer"]
    options = {"base_url": upstream.base_url, "api_key": "k"}
    reply = ask(guard, upstream.plan(says(INSULT)), **options)
    assert reply.choices[0].message.content == FALLBACK


def test_an_observer_is_told_of_outcomes_and_failures(capsys: pytest.CaptureFixture[str]) -> None:
    observer = example("Printing")["Printing"]()
    with Guard.open(observers=[observer]) as opened:
        opened.check(INSULT, use_case="chat")
        with pytest.raises(ZeroDivisionError):
            opened.wrap(lambda: 1 / 0, use_case="chat")()  # type: ignore[arg-type, return-value]
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("chat blocked")
    assert printed[1] == "chat the model failed"
