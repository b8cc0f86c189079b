"""The one object an application needs."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from guard.bootstrap import Runtime, open_runtime
from guard.errors import SettingsError
from guard.flow import Codec, Flow, Piece, judge_text, wait_on_loop
from guard.flow.blocking import run_blocking
from guard.flow.drivers import outcome_of
from guard.flow.waiting import Wait, wait_blocking
from guard.ports import Observer, Scorer
from guard.records import Lane, Outcome, TextKind
from guard.settings import Settings, load_settings
from guard.telemetry.metrics import Metrics
from guard.wrap.callables import WrapOptions, wrap_function
from guard.wrap.openai_client import guarded_client
from guard.wrap.question import PromptOf

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C")


class Guard:
    """Guards calls to language models: scores every reply, acts by policy, keeps the record.

    Open one per process and share it; it is thread-safe and usable from asyncio. Close it, or use
    it as a context manager, to wait for the records of calls that are still being scored.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    @classmethod
    def open(
        cls,
        settings: str | os.PathLike[str] | Settings | None = None,
        *,
        observers: Iterable[Observer] = (),
        second_look: Scorer | None = None,
    ) -> Guard:
        """A guard for these settings: the path of a guard.yaml, a `Settings`, or the defaults.

        observers: told of every outcome, besides the metrics.
        second_look: decides where the scores would lead to anything but release, in place of the
            model of `scoring.second_look`: a scorer of your own, or a chat model
            (`guard.adapters.ChatJudge`). You close it, after the guard.
        Raises SettingsError, ModelError, and StoreError where nothing can be kept at `store.url`,
        each naming the remedy.
        """
        if settings is None:
            settings = Settings()
        elif isinstance(settings, str | os.PathLike):
            settings = load_settings(settings)
        if not isinstance(settings, Settings):
            raise SettingsError(f"Guard.open(): a path or Settings, not {type(settings).__name__}")
        return cls(open_runtime(settings, observers=observers, second_look=second_look))

    def wrap(
        self,
        fn: F,
        *,
        use_case: str,
        prompt: PromptOf | None = None,
        read: Callable[[Any], str | None] | None = None,
        write: Callable[[Any, str], Any] | None = None,
        shadow: Callable[[Any], Any] | None = None,
        may_shadow: Callable[..., bool] | None = None,
    ) -> F:
        """`fn` with every reply guarded; same signature, same types.

        fn: a sync, async, generator or async generator function. Replies (or pieces) that are str,
            or objects of the chat, completion, Responses, Anthropic and Google APIs (of their
            clients, of LiteLLM, of LangChain, or dicts of the same shape) are read by themselves.
        prompt: called with the arguments of a call, gives the text of what is asked; by default
            the first argument that is a text or a list of messages.
        read, write: for other replies: `read(reply)` gives the text in it (None: there
            is none, and the piece passes), `write(reply, text)` a copy with another text. Without
            them, or if `read` raises, such a reply counts as not scored (`on_unscored` decides;
            withheld means that `Blocked` is raised), and a warning says so once.
        shadow: sends a shadow request to the same model with the same parameters, off the request
            path. Called with the prompt of `fn` (the text, or the list of messages) about another
            group; returns the reply, like `fn` in any of the four ways. It must have no side
            effects. Used where the use case is shadowed and names no `upstream`.
        may_shadow: called with the arguments of a call; False leaves this one without a shadow.
        Raises UnknownUseCase now, SettingsError where a shadowed use case has no model to ask, and
        `Blocked` from the wrapped function if `on_block: raise`.
        """
        lane = self.lane(use_case, shadow)
        options = WrapOptions(
            flow=self._runtime.flow,
            use_case=use_case,
            codec=_codec(read, write),
            prompt_of=prompt,
            lane=lane,
            may_shadow=may_shadow,
        )
        return wrap_function(fn, options)

    def wrap_openai(self, client: C, *, use_case: str) -> C:
        """A copy of `client` with every reply guarded: it is used like the client itself.

        client: `OpenAI`, `AsyncOpenAI` or one of their kind, of the official package. Chat
            completions, completions and responses are guarded, streamed or not, in whatever way the
            client asks for them; models, embeddings and moderations pass; all else, websockets
            included, is refused. Its connections stay those of `client`, which sends the shadow
            requests too. Close `client` when you are done, not the copy.
        Raises SettingsError for another client, one that is guarded already, and where a shadowed
        use case is asked by another client already; UnknownUseCase. With `on_block: raise` a
        withheld reply is the client's own `BadRequestError` of code `content_filter`, in a stream
        that has begun its `APIError`.
        """
        return guarded_client(client, self._runtime, use_case)

    def check(self, text: str, *, use_case: str, kind: str = TextKind.REPLY) -> Outcome:
        """Judge a text that already exists, for example from a production log.

        kind: `reply`, counted like a live call; `tool_result`: what a tool brought in, before
            the model or a person sees it; or `prompt`: what the user sends, by the `prompt` section
            of the use case. The latter two are counted in `guard_inputs_total` alone, and neither
            kept for review nor measured, since the model did not say them.
        The outcome's `text` is what policy would have released. Raises UnknownUseCase, and
        SettingsError for another kind.
        """
        return run_blocking(self._judge(text, use_case, _kind(kind), wait_blocking))

    async def check_async(self, text: str, *, use_case: str, kind: str = TextKind.REPLY) -> Outcome:
        """The same without blocking the event loop."""
        return await self._judge(text, use_case, _kind(kind), wait_on_loop)

    @property
    def flow(self) -> Flow:
        """The response path itself, for integrations that `wrap` does not cover."""
        return self._runtime.flow

    def lane(self, use_case: str, shadow: Callable[[Any], Any] | None = None) -> Lane | None:
        """Who sends the shadow requests of `use_case`, for `Call.lane`; None is nobody.

        shadow and errors: as in `wrap`.
        """
        self._runtime.flow.policy(use_case)
        return self._runtime.lane(use_case, shadow)

    @property
    def runtime(self) -> Runtime:
        """The parts of this guard, for the integrations beside this module."""
        return self._runtime

    @property
    def metrics(self) -> Metrics:
        """The Prometheus series of this guard."""
        return self._runtime.metrics

    def close(self, *, drain_seconds: float = 5.0) -> None:
        """Wait for open records, for running shadow jobs and for writes to the store, at most
        `drain_seconds` for each; then stop the engine. Replies that are not judged by then are
        recorded as unscored. What else is not done stays in the spool or in the store, and is done
        when a guard is opened on them again."""
        self._runtime.close(drain_seconds=drain_seconds)

    async def _judge(self, text: str, use_case: str, kind: TextKind, wait: Wait) -> Outcome:
        exchange = self._runtime.flow.begin_check(use_case, kind)
        await judge_text(exchange, text, wait)
        return await outcome_of(exchange, wait)

    def __enter__(self) -> Guard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _codec(
    read: Callable[[Any], str | None] | None, write: Callable[[Any, str], Any] | None
) -> Codec[Any] | None:
    if (read is None) != (write is None):
        raise SettingsError("wrap(): give both `read` and `write`, or neither")
    if read is None or write is None:
        return None
    return Codec(read=functools.partial(_text_or_empty, read), write=write)


def _kind(name: str) -> TextKind:
    try:
        return TextKind(name)
    except ValueError:
        known = ", ".join(TextKind)
        raise SettingsError(f"check(kind=...): one of {known}, not {name!r:.80}") from None


def _text_or_empty(read: Callable[[Any], str | None], piece: object) -> Piece:
    """A piece without text, like the last chunk of many streams, is not withheld."""
    return Piece("" if (text := read(piece)) is None else text)
