"""A scripted chat model, a guard with a scripted scorer, and listeners at every place to listen."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackHandler
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.utils.function_calling import convert_to_openai_tool
from langsmith import Client

from guard import Guard
from guard.bootstrap import Runtime
from guard.flow import Flow, Untraced
from guard.policy import Policy, Rule
from guard.ports import CallTracer, Scorer
from guard.records import Action
from guard.settings import Settings
from guard.testing import Recorder, WordScorer

SECRET = ("grum", "blefish")
"""The two halves of what must never be seen; the model gives them in two chunks."""
BAD = "".join(SECRET)
FALLBACK = "I am not able to share that answer."
USAGE = {"input_tokens": 3, "output_tokens": 5, "total_tokens": 8}
PATIENCE_SECONDS = 20.0


def policy(action: Action, **kwargs: Any) -> Policy:
    """One rule: a text with the secret in it has this action coming."""
    rules = (Rule(score="toxicity", action=action, threshold=0.5),)
    return Policy(rules=rules, **{"deadline_seconds": None, **kwargs})


def scripted_guard(
    policy: Policy,
    seen: Recorder | None = None,
    scorer: Scorer | None = None,
    tracer: CallTracer | None = None,
) -> Guard:
    """A guard without a classifier: the secret scores 1, all else 0."""
    flow = Flow(
        scorer=scorer or WordScorer({"toxicity": {BAD: 1.0}}),
        observer=seen or Recorder(),
        policy_of=lambda _: policy,
        clock=lambda: 0.0,
        new_id=lambda: "call",
        tracer=tracer or Untraced(),
    )
    nothing: Any = None
    return Guard(Runtime(settings=Settings(), engine=nothing, metrics=nothing, flow=flow))


def words(text: str) -> list[AIMessageChunk]:
    """`text` in small chunks, the secret in halves, and the usage at the end."""
    pieces: list[str] = []
    for word in text.replace(BAD, " ".join((*SECRET[:1], "\0" + SECRET[1]))).split(" "):
        pieces.append(word[1:] if word.startswith("\0") else (" " if pieces else "") + word)
    about = {"finish_reason": "stop", "model_name": "scripted-1"}
    last = AIMessageChunk(content="", usage_metadata=cast("Any", USAGE), response_metadata=about)
    return [AIMessageChunk(content=piece) for piece in pieces] + [last]


def calling(name: str, arguments: str) -> list[AIMessageChunk]:
    """A call of a tool, its arguments in small chunks, after a few words."""
    pieces = [arguments[start : start + 4] for start in range(0, len(arguments), 4)]
    first = {"name": name, "args": "", "id": "call-1", "index": 0, "type": "tool_call_chunk"}
    rest = [{**first, "name": None, "id": None, "args": piece} for piece in pieces]
    calls = [AIMessageChunk(content="", tool_call_chunks=[one]) for one in (first, *rest)]
    return [AIMessageChunk(content="Let me look. "), *calls]


class ScriptedModel(BaseChatModel):
    """Says what it was told to: one script after the other, the last one for ever.

    gate: called before the chunk with index `gate_at`, when it is streamed. quotes: what it tells
    of a whole reply quotes it. What it says is no
    setting of its, and so stands in no description of it.
    """

    model_name: str = "scripted-1"
    temperature: float = 0.5
    api_key: str = "sk-very-private"
    gate_at: int = -1
    choices: int = 1
    quotes: bool = True
    _scripts: list[list[AIMessageChunk]]
    _gate: Callable[[], None]
    _asked: list[dict[str, Any]]
    _closed: list[bool]
    _listeners: list[int]

    def __init__(
        self,
        scripts: Sequence[list[AIMessageChunk]],
        gate: Callable[[], None] = lambda: None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._scripts, self._gate = list(scripts), gate
        self._asked, self._closed, self._listeners = [], [], []

    @property
    def asked(self) -> list[dict[str, Any]]:
        """With which arguments it was asked."""
        return self._asked

    @property
    def closed(self) -> list[bool]:
        """Of each stream that ended: whether it was left half-way."""
        return self._closed

    @property
    def listeners(self) -> list[int]:
        """How many could hear it, each time it was asked."""
        return self._listeners

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": self.model_name}

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _script(self, kwargs: dict[str, Any]) -> list[AIMessageChunk]:
        config = var_child_runnable_config.get() or {}
        handlers = config.get("callbacks") or []
        handlers = handlers if isinstance(handlers, list) else handlers.handlers
        self.listeners.append(sum(not getattr(one, "ignore_llm", False) for one in handlers))
        self.asked.append(kwargs)
        script = self._scripts[min(len(self.asked), len(self._scripts)) - 1]
        return [chunk.model_copy(deep=True) for chunk in script]

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        script = self._script({"stop": stop, **kwargs})
        whole = script[0] + script[1:] if script[1:] else script[0]
        fields = whole.model_dump(exclude={"type", "tool_call_chunks", "chunk_position"})
        made = [ChatGeneration(message=AIMessage(**fields)) for _ in range(self.choices)]
        quoted = {"quoted": whole.text} if self.quotes else {}
        return ChatResult(generations=made, llm_output={"token_usage": USAGE, **quoted})


class StreamingModel(ScriptedModel):
    """The same, in chunks."""

    def _stream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        try:
            for index, chunk in enumerate(self._script({"stop": stop, **kwargs})):
                if index == self.gate_at:
                    self._gate()
                yield ChatGenerationChunk(message=chunk)
            self.closed.append(False)
        except GeneratorExit:
            self.closed.append(True)
            raise

    async def _astream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        try:
            for index, chunk in enumerate(self._script({"stop": stop, **kwargs})):
                if index == self.gate_at:
                    await asyncio.to_thread(self._gate)
                await asyncio.sleep(0)
                yield ChatGenerationChunk(message=chunk)
            self.closed.append(False)
        except (GeneratorExit, asyncio.CancelledError):
            self.closed.append(True)
            raise


def model(*texts: str | list[AIMessageChunk], **kwargs: Any) -> StreamingModel:
    """A streaming model with these scripts."""
    scripts = [words(text) if isinstance(text, str) else text for text in texts]
    return StreamingModel(scripts, **kwargs)


EVENTS = [name for name in dir(BaseCallbackHandler) if name.startswith("on_")]


class Listener(BaseCallbackHandler):
    """Keeps all it hears."""

    def __init__(self) -> None:
        self.heard: list[str] = []


class AsyncListener(AsyncCallbackHandler):
    """The same, called on an event loop."""

    def __init__(self) -> None:
        self.heard: list[str] = []


def _hears(name: str) -> Callable[..., None]:
    def on_event(self: Listener, *args: object, **kwargs: object) -> None:
        self.heard.append(f"{name} {everything((args, kwargs))}")

    return on_event


def _hears_async(name: str) -> Callable[..., Awaitable[None]]:
    async def on_event(self: AsyncListener, *args: object, **kwargs: object) -> None:
        self.heard.append(f"{name} {everything((args, kwargs))}")

    return on_event


for _name in EVENTS:
    setattr(Listener, _name, _hears(_name))
    setattr(AsyncListener, _name, _hears_async(_name))


class Traces(Client):
    """A client of LangSmith that keeps what it would send."""

    def __init__(self) -> None:
        super().__init__(api_url="http://127.0.0.1:9", api_key="none", auto_batch_tracing=False)
        self.sent: list[str] = []

    def create_run(self, *args: Any, **kwargs: Any) -> None:
        """A run begins."""
        self.sent.append(everything((args, kwargs)))

    def update_run(self, *args: Any, **kwargs: Any) -> None:
        """A run ends."""
        self.sent.append(everything((args, kwargs)))


def everything(value: object) -> str:
    """All there is to read in `value`, and in what it is made of."""
    if isinstance(value, dict):
        return " ".join(f"{key}={everything(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple | set):
        return " ".join(map(everything, value))
    if isinstance(value, BaseException):
        return f"{value!r} {everything(vars(value))} {everything(value.__context__)}"
    return repr(value)


class Gate:
    """Opened by who has received something; a model waits at it before it says the rest."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.in_time: bool | None = None

    def open(self) -> None:
        """Something was received."""
        self._event.set()

    def __call__(self) -> None:
        self.in_time = self._event.wait(PATIENCE_SECONDS)
