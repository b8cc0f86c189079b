"""How withheld replies look to clients: each parses what it gets, and none sees the secret."""

from __future__ import annotations

import json

import openai
import pytest
from pydantic import ValidationError

from tests.integration.gateway_cases import (
    BEFORE,
    FALLBACK,
    SECRET,
    Pair,
    leaks,
)
from tests.integration.gateway_ways import (
    LANGCHAIN,
    OFFICIAL,
    City,
    Said,
    langchain,
)
from tests.servers_openai import Choice, Tool, says

PATIENCE_SECONDS = 20.0
MIXED = f"{BEFORE} {SECRET}"
TALKS = Choice(tools=(Tool(name="weather", arguments=json.dumps({"city": SECRET, "days": 1})),))
CITY = Choice(text=json.dumps({"name": SECRET, "people": 1}))
PARSED = {"chat parsed": CITY, "chat tools parsed": TALKS, "response parsed": CITY}
WAYS = {
    name: (said, choices)
    for name, (said, choices) in OFFICIAL.items()
    if name not in {"models", *PARSED} and "two" not in name
}


@pytest.mark.parametrize("use_case", ["chat", "full", "redact", "again"])
@pytest.mark.parametrize("said", [said for said, _ in WAYS.values()], ids=WAYS)
def test_the_official_client(pair: Pair, said: Said, use_case: str) -> None:
    prompt = pair.upstream.plan(says(SECRET), says(MIXED))
    try:
        shown = json.dumps(said(pair.gateway.base_url(use_case), prompt), default=str)
    except openai.ContentFilterFinishReasonError as error:  # what its parsing helpers make of it
        assert said is OFFICIAL["chat helper"][0]
        shown = f"{error} {FALLBACK}"
    assert FALLBACK in shown or "[removed]" in shown
    assert not leaks(shown.encode())


@pytest.mark.parametrize("name", PARSED)
def test_a_blocked_reply_is_not_parsed(pair: Pair, name: str) -> None:
    said, _ = OFFICIAL[name]
    prompt = pair.upstream.plan(says(PARSED[name]))
    kind = ValidationError if "response" in name else openai.ContentFilterFinishReasonError
    with pytest.raises(kind) as caught:
        said(pair.gateway.base_url("chat"), prompt)
    assert not leaks(str(caught.value).encode())


@pytest.mark.parametrize("name", ["chat", "completion", "response"])
def test_blocks_that_are_errors(pair: Pair, name: str) -> None:
    said, _ = OFFICIAL[name]
    with pytest.raises(openai.BadRequestError) as caught:
        said(pair.gateway.base_url("raise"), pair.upstream.plan(says(SECRET)))
    assert caught.value.code == "content_filter"
    assert not leaks(str(caught.value).encode())


@pytest.mark.parametrize("name", ["chat stream", "chat helper", "completion stream"])
def test_blocks_that_are_errors_of_a_stream(pair: Pair, name: str) -> None:
    said, _ = OFFICIAL[name]
    with pytest.raises(openai.APIError) as caught:
        said(pair.gateway.base_url("raise"), pair.upstream.plan(says(MIXED)))
    assert caught.value.code == "content_filter"
    assert not leaks(str(caught.value).encode())


@pytest.mark.parametrize("responses", [False, True], ids=["chat", "responses"])
@pytest.mark.parametrize("name", ["invoke", "stream", "batch"])
@pytest.mark.parametrize("use_case", ["chat", "full", "redact", "again"])
def test_langchain(pair: Pair, name: str, use_case: str, responses: bool) -> None:
    said, _ = LANGCHAIN[name]
    prompt = pair.upstream.plan(says(SECRET))
    with langchain(pair.gateway.base_url(use_case), responses=responses) as model:
        shown = json.dumps(said(model, prompt), default=str)
    assert FALLBACK in shown or "[removed]" in shown
    assert not leaks(shown.encode())


def test_langchain_is_told_why_it_ended(pair: Pair) -> None:
    prompt = pair.upstream.plan(says(SECRET))
    with langchain(pair.gateway.base_url("chat"), responses=False) as model:
        assert model.invoke(prompt).response_metadata["finish_reason"] == "content_filter"
        with pytest.raises(openai.ContentFilterFinishReasonError):
            model.with_structured_output(City, method="json_schema").invoke(prompt)
    with langchain(pair.gateway.base_url("raise"), responses=False) as model:
        with pytest.raises(openai.BadRequestError, match="withheld") as caught:
            model.invoke(prompt)
        assert caught.value.code == "content_filter"
        with pytest.raises(openai.APIError):
            list(model.stream(prompt))
