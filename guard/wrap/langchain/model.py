"""A chat model that releases nothing of another one's replies before it was judged."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from langchain_core.language_models.base import LangSmithParams, LanguageModelInput
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from guard.errors import may_be_signal
from guard.flow.blocking import iterate_blocking, run_blocking
from guard.wrap.langchain.drivers import AsyncDriver, BlockingDriver, ChatRequest, Driver
from guard.wrap.langchain.exchange import ChatExchange, GuardOptions
from guard.wrap.langchain.runnables import replace_models

_TAKEN_OVER = (
    "callbacks", "verbose", "tags", "metadata", "disable_streaming", "output_version", "profile",
    "custom_get_token_ids",
)  # fmt: skip
T = TypeVar("T")
_PLAIN = str | int | float | bool | None


class GuardedChatModel(BaseChatModel):
    """`model` with every reply guarded; made by `guard_model` and `GuardMiddleware`.

    It calls the model itself, below its callbacks and caches. Its callbacks are those of this one
    now, and hear what was released. Of the model's attributes those with plain values can be read
    here (`model_name`, `temperature`); keys and clients cannot.
    """

    streaming: bool | None = None
    _inner: BaseChatModel
    _options: GuardOptions
    _asked: list[None]

    def __init__(self, model: BaseChatModel, options: GuardOptions) -> None:
        """options: how it is guarded."""
        known = type(self).model_fields
        given = {name: getattr(model, name) for name in _TAKEN_OVER if name in known}
        if "streaming" in model.model_fields_set:
            given["streaming"] = getattr(model, "streaming", None)
        super().__init__(name=model.name or type(model).__name__, cache=False, **given)
        self._inner = model
        self._options = options
        self._asked = []

    @property
    def guarded(self) -> tuple[BaseChatModel, GuardOptions]:
        """The model that is asked, and how it is guarded."""
        return self._inner, self._options

    @property
    def asked(self) -> int:
        """How often it was asked."""
        return len(self._asked)

    def counting(self) -> GuardedChatModel:
        """A copy that was not asked yet."""
        copy = self.model_copy()
        copy._asked = []
        return copy

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """What the model makes of these tools, guarded."""
        return self._again(self._inner.bind_tools(tools, **kwargs))

    def with_structured_output(
        self, schema: dict[str, Any] | type, **kwargs: Any
    ) -> Runnable[LanguageModelInput, Any]:
        """What the model makes of this schema, guarded."""
        return self._again(self._inner.with_structured_output(schema, **kwargs))

    def get_token_ids(self, text: str) -> list[int]:
        """As the model counts."""
        return self._inner.get_token_ids(text)

    def get_num_tokens(self, text: str) -> int:
        """As the model counts."""
        return self._inner.get_num_tokens(text)

    def get_num_tokens_from_messages(
        self, messages: list[BaseMessage], *args: Any, **kw: Any
    ) -> int:
        """As the model counts."""
        return self._inner.get_num_tokens_from_messages(messages, *args, **kw)

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, *_: Any, **kwargs: Any
    ) -> ChatResult:
        exchange = self._exchange(messages, {**kwargs, "stop": stop}, BlockingDriver())
        return run_blocking(exchange.generate())

    async def _agenerate(
        self, messages: list[BaseMessage], stop: Any = None, *_: Any, **kwargs: Any
    ) -> ChatResult:
        exchange = self._exchange(messages, {**kwargs, "stop": stop}, AsyncDriver())
        return await exchange.generate()

    def _stream(
        self, messages: list[BaseMessage], stop: Any = None, *_: Any, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        exchange = self._exchange(messages, {**kwargs, "stop": stop}, BlockingDriver())
        return cast("Iterator[ChatGenerationChunk]", iterate_blocking(exchange.stream()))

    def _astream(
        self, messages: list[BaseMessage], stop: Any = None, *_: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        exchange = self._exchange(messages, {**kwargs, "stop": stop}, AsyncDriver())
        return cast("AsyncIterator[ChatGenerationChunk]", exchange.stream())

    def _should_stream(self, *, async_api: bool, **kwargs: Any) -> bool:
        """Not where the model itself cannot, so that a whole reply comes as it would from it."""
        driver: Driver = AsyncDriver() if async_api else BlockingDriver()
        able = driver.can_stream(self._inner)
        return able and super()._should_stream(async_api=async_api, **kwargs)

    def _exchange(
        self, messages: list[BaseMessage], arguments: dict[str, Any], driver: Driver
    ) -> ChatExchange:
        self._asked.append(None)
        arguments.pop("run_manager", None)  # of the run that hears only what is released
        request = ChatRequest(model=self._inner, messages=messages, arguments=arguments)
        return ChatExchange(request, self._options, driver)

    def _again(self, made: Runnable[LanguageModelInput, T]) -> Runnable[LanguageModelInput, T]:
        """What the model made of itself, with this one in its place."""

        def place(model: BaseChatModel) -> BaseChatModel:
            return self if model is self._inner else GuardedChatModel(model, self._options)

        return replace_models(made, place)

    def _combine_llm_outputs(self, llm_outputs: list[dict[str, Any] | None], /) -> dict[str, Any]:
        try:
            return self._inner._combine_llm_outputs(llm_outputs)
        except Exception as error:  # it misses what was left out since it could quote a reply
            if may_be_signal(error):
                raise
            return {}

    def _get_invocation_params(self, stop: Any = None, **kwargs: Any) -> dict[str, Any]:
        return self._inner._get_invocation_params(stop=stop, **kwargs)

    def _get_ls_params(self, stop: Any = None, **kwargs: Any) -> LangSmithParams:
        return self._inner._get_ls_params(stop=stop, **kwargs)

    @property
    def _llm_type(self) -> str:
        return self._inner._llm_type

    @property
    def _identifying_params(self) -> Mapping[str, Any]:
        return {**self._inner._identifying_params, "guard.use_case": self._options.use_case}

    def __repr_args__(self) -> Any:
        yield "model", type(self._inner).__name__
        yield "use_case", self._options.use_case

    def __str__(self) -> str:
        return repr(self)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)  # type: ignore[misc]
        except AttributeError:
            if name.startswith("_") or not _is_plain(value := getattr(self._inner, name, self)):
                raise
            return value


def _is_plain(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_plain, value.values()))
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN)
