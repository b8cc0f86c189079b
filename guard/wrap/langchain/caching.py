"""LangChain's caches, between the guard and the model.

What stands in one is judged like a reply of the model's, each time; what goes into one went out
unchanged before. So the text of a blocked reply is in none.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.caches import BaseCache
from langchain_core.globals import get_llm_cache
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.load import dumps
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult, Generation


@dataclass(frozen=True, slots=True, kw_only=True)
class Cached:
    """The place of one question in a cache: the one that the model itself would use."""

    cache: BaseCache
    prompt: str
    model: str

    def found(self) -> ChatResult | None:
        """What stands there."""
        return _result(self.cache.lookup(self.prompt, self.model))

    async def found_async(self) -> ChatResult | None:
        """The same."""
        return _result(await self.cache.alookup(self.prompt, self.model))

    def keep(self, generations: Sequence[ChatGeneration]) -> None:
        """Put these there."""
        self.cache.update(self.prompt, self.model, copy.deepcopy(list(generations)))

    async def keep_async(self, generations: Sequence[ChatGeneration]) -> None:
        """The same."""
        await self.cache.aupdate(self.prompt, self.model, copy.deepcopy(list(generations)))


def cached(
    model: BaseChatModel, messages: Sequence[BaseMessage], arguments: dict[str, Any]
) -> Cached | None:
    """Where a reply to this may be kept; None where the model is not cached."""
    if model.cache is False:
        return None
    cache = model.cache if isinstance(model.cache, BaseCache) else get_llm_cache()
    if cache is None:
        return None
    asked = [message.model_copy(update={"id": None}) for message in messages]
    return Cached(cache=cache, prompt=dumps(asked), model=model._get_llm_string(**arguments))


def _result(found: Sequence[Generation] | None) -> ChatResult | None:
    if found is None:
        return None
    return ChatResult(generations=[_generation(one) for one in copy.deepcopy(list(found))])


def _generation(found: Generation) -> ChatGeneration:
    if isinstance(found, ChatGeneration):
        return found
    message = AIMessage(content=found.text)
    return ChatGeneration(message=message, generation_info=found.generation_info)
