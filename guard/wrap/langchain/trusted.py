"""The raw run, for tracers that were given explicitly and for nobody else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from langchain_core.callbacks import BaseCallbackHandler, CallbackManager, CallbackManagerForLLMRun
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, LLMResult

from guard.wrap.langchain.chunks import merged


class RawRun:
    """What comes from the model in one run."""

    def __init__(self, run: CallbackManagerForLLMRun | None) -> None:
        self._run = run
        self._whole: list[ChatGeneration] = []

    def chunk(self, chunk: ChatGenerationChunk) -> None:
        """A chunk of a stream."""
        if self._run is not None:
            self._run.on_llm_new_token(chunk.text, chunk=chunk)
            self._whole.append(chunk)

    def choices(self, generations: Sequence[ChatGeneration]) -> None:
        """Whole replies."""
        self._whole = list(generations)

    def result(self) -> LLMResult:
        """All that came."""
        chunks = [one for one in self._whole if isinstance(one, ChatGenerationChunk)]
        whole = [merged(chunks)] if chunks else self._whole
        return LLMResult(generations=[cast("list[Any]", whole)])


@contextmanager
def raw_run(
    handlers: Sequence[BaseCallbackHandler],
    serialized: Mapping[str, Any],
    messages: Sequence[BaseMessage],
    parameters: Mapping[str, Any],
) -> Iterator[RawRun]:
    """A run that only these handlers hear of."""
    if not handlers:
        yield RawRun(None)
        return
    manager = CallbackManager(handlers=list(handlers), metadata={"guard.raw": True})
    started = manager.on_chat_model_start(
        dict(serialized), [list(messages)], invocation_params=dict(parameters)
    )
    heard = RawRun(started[0])
    try:
        yield heard
    except BaseException as error:
        started[0].on_llm_error(error, response=heard.result())
        raise
    started[0].on_llm_end(heard.result())
