"""One request to a chat model over HTTP, and how it ended."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from guard.errors import Broken, TimedOut, TooLarge, UpstreamBusy, UpstreamError
from guard.records import Ask, Ending, Generated
from guard.replies.large import run_beside
from guard.upstream.answers import read_completion, retry_after_seconds
from guard.upstream.client import Answer, HttpClient

_PATH = "/chat/completions"
_NOT_PASSED = {"messages", "stream", "stream_options", "seed", "n"}


class HttpUpstream:
    """Asks the model behind a client, by the chat completions of the OpenAI API.

    clock: Unix seconds, against which a date in `Retry-After` is read. For one event loop.
    """

    def __init__(self, client: HttpClient, *, clock: Callable[[], float]) -> None:
        self._client = client
        self._clock = clock

    async def generate(self, ask: Ask) -> Generated:
        """The model's reply. A request that may have been answered is never sent again."""
        content = self._content(ask)
        headers = {"content-type": "application/json"}
        try:
            async with self._client.send("POST", _PATH, content=content, headers=headers) as answer:
                return await self._end(answer)
        except TimedOut as error:
            return Generated(text="", ending=Ending.TIMED_OUT, detail=str(error))
        except (Broken, TooLarge) as error:
            return Generated(text="", ending=Ending.FAILED, detail=str(error))

    def _content(self, ask: Ask) -> bytes:
        passed = {name: value for name, value in ask.parameters.items() if name not in _NOT_PASSED}
        seed = {} if ask.seed is None else {"seed": ask.seed}
        messages = [{"role": turn.role, "content": turn.content} for turn in ask.turns]
        try:
            body = json.dumps(
                {**passed, **seed, "messages": messages, "stream": False}, allow_nan=False
            )
        except (TypeError, ValueError) as error:
            raise UpstreamError(
                f"{self._client.where}: the parameters of a call are no JSON: {error}"
            ) from error
        return body.encode("ascii")

    async def _end(self, answer: Answer) -> Generated:
        if answer.status in {429, 503}:
            after = retry_after_seconds(answer.headers.get("retry-after"), self._clock)
            raise UpstreamBusy(
                f"{self._client.where}: HTTP {answer.status}, asked to wait",
                retry_after_seconds=after,
            )
        if remedy := self._remedy(answer.status):
            raise UpstreamError(f"{self._client.where}: HTTP {answer.status}; {remedy}")
        body = await answer.body()
        ended = await run_beside(len(body), read_completion, answer.status, body)
        return replace(ended, detail=self._without_key(ended.detail))

    def _remedy(self, status: int) -> str:
        """What to change where asking again is of no use; empty where it may be."""
        setting = self._client.endpoint.setting
        if status in {401, 403}:
            return f"set {setting}.api_key_env to a variable that holds a valid key"
        if status == 404:
            return f"look at {setting}.base_url and at the model: there is no such one"
        if 300 <= status < 400:
            return f"it answers with a redirect; set {setting}.base_url to the final address"
        return ""

    def _without_key(self, detail: str) -> str:
        key = self._client.endpoint.api_key
        return detail.replace(key, "***") if key else detail
