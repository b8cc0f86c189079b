"""LiteLLM's Generic Guardrail API: what its proxy asks, and what it is answered. Pure.

A request holds the texts of a reply. They are read as one chat completion, by the reader of those.
Source: `GenericGuardrailAPIRequest` and `GenericGuardrailAPIResponse` of LiteLLM 1.106, in
litellm/types/proxy/guardrails/guardrail_hooks/generic_guardrail_api.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from guard.gateway.errors import RefusedRequest
from guard.holdback import Held
from guard.policy import Hold, Policy
from guard.replies.choices import ChatFormat
from guard.replies.fields import Extraction, ReadOptions, TextField
from guard.replies.reply_format import FILTERED
from guard.text import said_by_user, settled_end

WITHHELD: Final = "the reply was withheld"
"""The reason where a use case has no words of its own for it."""
WITHHELD_PROMPT: Final = "the prompt was withheld"
"""The same of a prompt."""
PARAMETERS: Final = "additional_provider_specific_params"
_LONGEST_ID: Final = 256
_CONTENT: Final = ("choices", 0, "message", "content")


class InputType(StrEnum):
    """What the texts of a request are: a prompt, or a reply."""

    REQUEST = "request"
    RESPONSE = "response"


class GuardrailAction(StrEnum):
    """What the proxy is to do with the texts."""

    NONE = "NONE"
    BLOCKED = "BLOCKED"
    INTERVENED = "GUARDRAIL_INTERVENED"


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardrailRequest:
    """One request of the proxy.

    texts: of a reply, one for each choice or part of a message; of a stream, all of each so far.
    tool_calls, images: as chat completions have them. litellm_call_id: of the call that the texts
    belong to, so the same in every round of a stream. trace_id: of the conversation. Ids and model
    are empty where the proxy gives none. use_case: the one its parameters name; None for none.
    applies_texts: whether the proxy gives its clients our texts in place of those of the request,
    and holds back what it is told to: by its parameters, since with its defaults it drops both
    where a reply is streamed. messages: the conversation of a prompt. size_bytes: of its JSON.
    """

    input_type: InputType
    texts: tuple[str, ...] = field(default=(), repr=False)
    tool_calls: tuple[Any, ...] = field(default=(), repr=False)
    images: tuple[str, ...] = field(default=(), repr=False)
    litellm_call_id: str = ""
    trace_id: str = ""
    model: str = ""
    use_case: str | None = None
    applies_texts: bool = False
    messages: tuple[Any, ...] = field(default=(), repr=False)
    size_bytes: int = 0

    def said(self) -> str:
        """Of a prompt: what the user said last; all its texts, where nobody says who said them."""
        says_who = any(
            isinstance(one, Mapping) and isinstance(one.get("role"), str) for one in self.messages
        )
        return said_by_user(self.messages, any_shape=True) if says_who else "\n".join(self.texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardrailAnswer:
    """One answer.

    reason: what the proxy tells its client of a blocked reply. texts: in place of those of the
    request, as many; None where they stand. held: of each text, how many of its last characters
    must not be released before the next round of the stream.
    """

    action: GuardrailAction = GuardrailAction.NONE
    reason: str = ""
    texts: tuple[str, ...] | None = field(default=None, repr=False)
    held: tuple[int, ...] = ()

    def encode(self) -> bytes:
        """As the JSON that the proxy reads."""
        body: dict[str, Any] = {"action": self.action}
        if self.action is GuardrailAction.BLOCKED:
            body["blocked_reason"] = self.reason
        if self.texts is not None:
            body["texts"] = self.texts
        if any(self.held):
            body["stream_holdback_chars"] = self.held
        return json.dumps(body).encode("ascii")


def read_request(body: Mapping[str, Any], size_bytes: int = 0) -> GuardrailRequest:
    """The request in a JSON object; keys that are not needed are ignored. size_bytes: of its JSON.

    Raises RefusedRequest, with the key, for a value of another type than it must have.
    """
    parameters = body.get(PARAMETERS)
    parameters = parameters if isinstance(parameters, Mapping) else {}
    return GuardrailRequest(
        input_type=_input_type(body.get("input_type")),
        texts=_strings(body, "texts"),
        tool_calls=tuple(_list(body, "tool_calls")),
        images=_strings(body, "images"),
        litellm_call_id=_id(body.get("litellm_call_id")),
        trace_id=_id(body.get("litellm_trace_id")),
        model=_id(body.get("model")),
        use_case=_use_case(parameters.get("use_case")),
        messages=tuple(_list(body, "structured_messages")),
        applies_texts=parameters.get("streaming_transform_mode") == "incremental_diff",
        size_bytes=size_bytes,
    )


def text_of_call(call: object) -> str:
    """A call of a tool as a text that grows at its end as long as its arguments arrive."""
    called = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(called, Mapping):
        return repr(call)
    return f"{called.get('name') or ''}({called.get('arguments') or ''}"


def completion_of(asked: GuardrailRequest) -> dict[str, Any]:
    """The chat completion that has these texts, images and calls of tools in one message."""
    texts = [{"type": "text", "text": text} for text in asked.texts]
    images = [{"type": "image_url", "image_url": {"url": url}} for url in asked.images]
    message = {"content": [*texts, *images], "tool_calls": list(asked.tool_calls)}
    return {"choices": [{"message": message}]}


class GuardrailFormat(ChatFormat):
    """The completion of a request. replaceable: how many of its first texts the proxy gives its
    client in our words; all else, images among it, it hands on as it was."""

    def __init__(self, options: ReadOptions, *, replaceable: int) -> None:
        super().__init__(options, 0)
        self._replaceable = replaceable

    def read(self, value: Any) -> Extraction:
        found = super().read(value)
        return replace(found, fields=tuple(map(self._settle, found.fields)))

    def _settle(self, field: TextField) -> TextField:
        at = field.path[len(_CONTENT) :]
        is_text = field.path[: len(_CONTENT)] == _CONTENT and int(at[0]) < self._replaceable
        return field if is_text else replace(field, fixed=True)


def answer_with(asked: GuardrailRequest, completion: Any, released: Any) -> GuardrailAnswer:
    """The answer for what became of the completion.

    released: the completion itself, an edited one, or one that says why there is none, with its
    finish reason; None where nobody said why.
    """
    if released is completion:
        return GuardrailAnswer()
    choice = {} if released is None else released["choices"][0]
    if not choice or choice.get("finish_reason") == FILTERED:
        reason = choice["message"]["content"] if choice else ""
        return GuardrailAnswer(action=GuardrailAction.BLOCKED, reason=reason or WITHHELD)
    parts = choice["message"]["content"][: len(asked.texts)]
    texts = tuple(part["text"] for part in parts)
    return GuardrailAnswer(action=GuardrailAction.INTERVENED, texts=texts)


def all_complete(texts: Sequence[str]) -> tuple[str, ...]:
    """Each text without a sentence at its end that is cut off."""
    return tuple(map(_complete_sentences, texts))


def _complete_sentences(text: str) -> str:
    """The text without a sentence at its end that is cut off."""
    end = settled_end(f"{text} And", 0)
    return text[:end] if text[end:].strip() else text


def answer_without_ends(asked: GuardrailRequest, policy: Policy, reason: str) -> GuardrailAnswer:
    """The answer where only sentences that are cut off are withheld.

    In the last round the proxy gives its client the reason in their place; in any other one it
    holds that back, and asks again with more of the sentence.
    """
    ends = [_replace_end(text, policy, reason) for text in asked.texts]
    texts, held = zip(*ends, strict=True)
    return GuardrailAnswer(action=GuardrailAction.INTERVENED, texts=texts, held=held)


def held_of_each(texts: Sequence[str], policy: Policy) -> tuple[int, ...]:
    """How many characters at the end of each text are not released by policy while it grows."""
    return tuple(_held_characters(text, policy) for text in texts)


def _held_characters(text: str, policy: Policy) -> int:
    if not policy.may_withhold or policy.hold is Hold.NONE:
        return 0
    if policy.hold is Hold.FULL:
        return len(text)
    rest = text[settled_end(text, 0) :]
    return len(rest) - Held(window_characters=0, pending=rest).ready()


def _replace_end(text: str, policy: Policy, reason: str) -> tuple[str, int]:
    """The text with the reason in place of a sentence that is cut off, and how much is held."""
    complete = _complete_sentences(text)
    if complete == text:
        return text, _held_characters(text, policy)
    start = "" if policy.hold is Hold.FULL else complete
    space = " " if start and not start[-1].isspace() else ""
    return f"{start}{space}{reason}", len(space + reason)


def _input_type(value: object) -> InputType:
    if isinstance(value, str) and value in set(InputType):
        return InputType(value)
    raise _bad_value("input_type", "must be request or response")


def _strings(body: Mapping[str, Any], key: str) -> tuple[str, ...]:
    found = _list(body, key)
    if not all(isinstance(one, str) for one in found):
        raise _bad_value(key, "must be a list of texts")
    return tuple(found)


def _list(body: Mapping[str, Any], key: str) -> list[Any]:
    found = body.get(key)
    if found is None:
        return []
    if not isinstance(found, list):
        raise _bad_value(key, "must be a list")
    return found


def _id(value: object) -> str:
    return value[:_LONGEST_ID] if isinstance(value, str) else ""


def _use_case(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise _bad_value(f"{PARAMETERS}.use_case", "must be the name of a use case")
    return value


def _bad_value(key: str, problem: str) -> RefusedRequest:
    return RefusedRequest(400, "bad_value", f"{key} {problem}", param=key)
