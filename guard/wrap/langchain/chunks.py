"""Replies of chat models and their chunks: merged, cut in two, or saying something else. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata, subtract_usage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk

from guard.records import Action
from guard.wrap.langchain.contents import is_media, is_reasoning

Content = str | list[str | dict[Any, Any]]

FILTERED = "content_filter"
"""Why a reply ended that was withheld."""

_HOW_TO_READ = {"model_provider", "output_version"}
_SAYS_NOTHING = {
    *_HOW_TO_READ,
    *("model_name", "model", "system_fingerprint", "id", "service_tier", "created", "created_at"),
    *("token_usage", "usage", "total_duration", "load_duration", "eval_count"),
}
_WHY_IT_ENDED = {"finish_reason", "stop_reason", "done_reason", "stop_sequence"}


def merged(chunks: Sequence[ChatGeneration]) -> ChatGeneration:
    """All chunks as one, which is the only one where there is one. Raises what LangChain does."""
    if len(chunks) == 1:
        return chunks[0]
    first, *others = cast("Sequence[ChatGenerationChunk]", chunks)
    return first + others


def as_chunk(generation: ChatGeneration) -> ChatGenerationChunk:
    """A whole reply as the only chunk of a stream."""
    fields = generation.message.model_dump(exclude={"type"})
    return ChatGenerationChunk(
        message=AIMessageChunk(**fields), generation_info=generation.generation_info
    )


def cut_text(chunk: ChatGeneration, count: int) -> tuple[ChatGeneration, ChatGeneration]:
    """Two chunks, of which the first has this many characters of the one text that is in `chunk`.

    All else goes with the second: log probabilities name the words they belong to.
    """
    message = chunk.message
    bare: dict[str, Any] = {"additional_kwargs": {}, "usage_metadata": None}
    bare["response_metadata"] = _only(_HOW_TO_READ, message.response_metadata)
    if isinstance(message, AIMessageChunk):
        bare["chunk_position"] = None
    head, tail = _cut_content(message.content, count)
    return (
        _with(chunk, {"content": head, **bare}, _only(_HOW_TO_READ, chunk.generation_info)),
        _with(chunk, {"content": tail}, chunk.generation_info),
    )


def replacement(
    text: str, action: Action, seen: Sequence[ChatGeneration], released: Sequence[ChatGeneration]
) -> ChatGeneration:
    """What a caller gets in place of a reply, or of the rest of it.

    seen: the reply as far as it came. released: what of it the caller has. Of what was withheld
    there remain its ids, its usage, and what tells nothing of its text; where the text was
    redacted, all that is not text.
    """
    whole, had = _merged_or_last(seen), _merged_or_last(released)
    before = had.message if had else AIMessageChunk(content="")
    if whole is None:
        said = AIMessageChunk(content=text, response_metadata=_ended({}, {}, action))
        return ChatGenerationChunk(message=said)
    message = whole.message
    fields: dict[str, Any] = {
        "content": _said(message.content, text, action),
        "id": message.id,
        "name": message.name,
        "usage_metadata": _unpaid(message, before),
        "response_metadata": _ended(message.response_metadata, before.response_metadata, action),
    }
    if action is Action.REDACT:
        fields["additional_kwargs"] = _without(message.additional_kwargs, "parsed")
    info = _ended(whole.generation_info, had.generation_info if had else {}, action)
    kind = AIMessageChunk if isinstance(message, AIMessageChunk) else AIMessage
    return type(whole)(message=kind(**fields), generation_info=info)


def without_quotes(llm_output: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What the provider said about a reply, without what could quote it."""
    return None if llm_output is None else _only(_SAYS_NOTHING, llm_output)


def _with(
    chunk: ChatGeneration, fields: Mapping[str, Any], info: Mapping[str, Any] | None
) -> ChatGeneration:
    message = chunk.message.model_copy(update=dict(fields))
    return type(chunk)(message=message, generation_info=dict(info) if info else None)


def _cut_content(content: Content, count: int) -> tuple[Content, Content]:
    if isinstance(content, str):
        return content[:count], content[count:]
    (block,) = content
    if isinstance(block, str):
        return [block[:count]], [block[count:]]
    text = block["text"]
    return [{**block, "text": text[:count]}], [{**block, "text": text[count:]}]


def _said(content: Content, text: str, action: Action) -> Content:
    if isinstance(content, str):
        return text
    if action is Action.REDACT:
        kept = [block for block in content if is_media(block) or is_reasoning(block)]
        return [*kept, {"type": "text", "text": text}]
    blocks = [block for block in content if isinstance(block, dict)]
    places = [block["index"] for block in blocks if "index" in block and block["type"] == "text"]
    others = [block["index"] for block in blocks if isinstance(block.get("index"), int)]
    place = places[-1:] or [max(others) + 1 for _ in others[:1]]
    return [{"type": "text", "text": text, **dict.fromkeys(["index"] * len(place), *place)}]


def _merged_or_last(chunks: Sequence[ChatGeneration]) -> ChatGeneration | None:
    try:
        return merged(chunks) if chunks else None
    except Exception:  # chunks that do not fit together
        return chunks[-1]


def _unpaid(message: BaseMessage, before: BaseMessage) -> UsageMetadata | None:
    """The usage that the caller was not told of yet."""
    total = getattr(message, "usage_metadata", None)
    known = getattr(before, "usage_metadata", None)
    return total if total is None or known is None else subtract_usage(total, known)


def _ended(
    about: Mapping[str, Any] | None, known: Mapping[str, Any] | None, action: Action
) -> dict[str, Any]:
    found = _only(_SAYS_NOTHING | _WHY_IT_ENDED, about or {})
    new = {key: value for key, value in found.items() if key not in (known or {})}
    if action is Action.REDACT:
        return new
    return {**_without(new, *_WHY_IT_ENDED), "finish_reason": FILTERED}


def _only(keys: set[str], values: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: value for key, value in (values or {}).items() if key in keys}


def _without(values: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in keys}
