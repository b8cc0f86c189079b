"""The scripted model as an application would call it: four kinds of functions that take time."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Final

from guard.cli.demo import chat, dialogues

TOKEN_SECONDS: Final = 0.012
SUMMARY_SECONDS: Final = 0.3
_TOKEN: Final = re.compile(r"\s*\S+")


class Model:
    """Answers prompts; which of many answers is the next number in `draws`.

    So that a prompt asked again is answered differently, and every run the same.
    pause, pause_async: how it takes its time.
    """

    def __init__(
        self,
        seed: int,
        *,
        pause: Callable[[float], object],
        pause_async: Callable[[float], Awaitable[object]],
    ) -> None:
        self._seed = seed
        self._pause = pause
        self._pause_async = pause_async

    def chat(self, prompt: str, draws: Iterator[int]) -> Iterator[str]:
        """Tokens of a reply, one by one."""
        for token in tokens(chat.reply(prompt, seed=self._seed, draw=next(draws))):
            self._pause(TOKEN_SECONDS)
            yield token

    async def chat_async(self, prompt: str, draws: Iterator[int]) -> AsyncIterator[str]:
        """The same without blocking."""
        for token in tokens(chat.reply(prompt, seed=self._seed, draw=next(draws))):
            await self._pause_async(TOKEN_SECONDS)
            yield token

    def chat_again(self, prompt: str, draws: Iterator[int]) -> str:
        """The whole reply at once, for the shadow path."""
        return chat.reply(prompt, seed=self._seed, draw=next(draws))

    def summarize_again(self, prompt: str, draws: Iterator[int]) -> str:
        """A summary at once, for the shadow path."""
        return dialogues.summary(prompt, seed=self._seed, draw=next(draws))

    def summarize(self, prompt: str, draws: Iterator[int]) -> str:
        """A summary of the dialogue in the prompt."""
        self._pause(SUMMARY_SECONDS)
        return dialogues.summary(prompt, seed=self._seed, draw=next(draws))

    async def summarize_async(self, prompt: str, draws: Iterator[int]) -> str:
        """The same without blocking."""
        await self._pause_async(SUMMARY_SECONDS)
        return dialogues.summary(prompt, seed=self._seed, draw=next(draws))


def tokens(text: str) -> list[str]:
    """Words with the space before them, as models stream them."""
    return _TOKEN.findall(text)
