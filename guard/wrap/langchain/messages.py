"""LangChain's messages as values that `guard.replies` reads, and edited copies of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata, subtract_usage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from guard.errors import may_be_signal
from guard.replies.edit import drop_copies, replace_texts, take_head
from guard.replies.fields import Extraction, Path, ReadOptions, TextField, extract
from guard.replies.json_text import argument_texts, texts_in
from guard.replies.reply_format import usage_numbers
from guard.replies.schema import CLIENT_CALLS, ReplyKind, is_name
from guard.wrap.langchain.plain_values import PlainReading, without_joins
from guard.wrap.reply_objects import edited

Content = str | list[str | dict[Any, Any]]

FILTERED = "content_filter"
"""Why a reply ended that was withheld."""

_TEXT_CHANNEL: Path = ("content", "text")
_REPEATS = "parsed"
_NOT_SAID = {"headers", "ResponseMetadata"}
"""Keys of what a provider tells about a reply that the model did not make: what HTTP needs."""
_CALL_FIELDS = ("tool_calls", "invalid_tool_calls", "tool_call_chunks")
_FORMAT = {"model_provider", "output_version"}
_WITHOUT_TEXT = {
    *_FORMAT,
    *("model_name", "model", "system_fingerprint", "id", "service_tier", "created", "created_at"),
    *("token_usage", "usage", "total_duration", "load_duration", "eval_count"),
}
"""Keys of what a provider says about a reply that cannot quote it."""
_END_REASONS = {"finish_reason", "stop_reason", "done_reason", "stop_sequence"}


def texts_of(
    generation: ChatGeneration, options: ReadOptions, *, growing_calls: bool
) -> Extraction:
    """Everything that is said in a chunk or a reply.

    growing_calls: its tool calls are parts that a caller joins; otherwise they are complete.
    """
    raw, reading = _said_by(generation), PlainReading()
    value, calls = reading.of(raw), reading.of(_calls_of(generation.message))
    said = extract(value, options, growing=True)
    said = said if value == raw else without_joins(said, raw)
    called = extract(calls, options, growing=growing_calls)
    fields = (_as_joined(field, growing_calls) for field in said.fields)
    return Extraction(
        fields=(*fields, *called.fields),
        unread=said.unread | called.unread | reading.unread,
        has_tokens=said.has_tokens,
        joined=(*said.joined, *called.joined),
    )


def calls_tools(message: BaseMessage) -> bool:
    """Whether the caller is to run a tool by it, or it holds a piece of such a call."""
    if any(getattr(message, name, None) for name in _CALL_FIELDS):
        return True
    blocks = message.content if isinstance(message.content, list) else []
    types = [block.get("type") for block in blocks if isinstance(block, Mapping)]
    return bool({*message.additional_kwargs, *map(str, types)} & CLIENT_CALLS)


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


def with_output_in_message(result: ChatResult) -> ChatResult:
    """With `llm_output` in the metadata of the only message, where LangChain puts it afterwards."""
    if len(result.generations) != 1 or not result.llm_output:
        return result
    (generation,) = result.generations
    metadata = {**result.llm_output, **generation.message.response_metadata}
    message = generation.message.model_copy(update={"response_metadata": metadata})
    alone = generation.model_copy(update={"message": message})
    return result.model_copy(update={"generations": [alone]})


def split(
    chunk: ChatGeneration, head: Mapping[Path, str], tail: Mapping[Path, str]
) -> tuple[ChatGeneration, ChatGeneration]:
    """Two chunks, the first with the texts of `head`, the second with those of `tail`.

    Everything else goes with the second: log probabilities name the words that they belong to.
    """
    message, value = chunk.message, _value_of(chunk)
    first = take_head(value, head, _tells_the_place)
    fields = {
        "content": first.get("content") or type(message.content)(),
        "additional_kwargs": _without(_REPEATS, first.get("additional_kwargs", {})),
        "response_metadata": _only(_FORMAT, message.response_metadata),
        "usage_metadata": None,
        "id": _name_only(message.id),
        "name": _name_only(message.name),
    }
    if isinstance(message, AIMessageChunk):
        fields["chunk_position"] = None
    return (
        _alone(_with(chunk, fields, _only(_FORMAT, chunk.generation_info))),
        _with(chunk, _edit(chunk, replace_texts(value, tail)), chunk.generation_info),
    )


def rejoins(
    chunks: tuple[ChatGeneration, ...], head: Mapping[Path, str], tail: Mapping[Path, str]
) -> bool:
    """Whether a caller who joins the two that `split` gives has what these chunks are as one, but
    for blocks without an index, which LangChain never joins."""
    whole = merged(chunks)
    if not isinstance(whole, ChatGenerationChunk):
        return True
    try:
        joined = merged(split(whole, head, tail)).message
    except (TypeError, ValueError):  # LangChain joins only some types
        return False
    same = joined.additional_kwargs == whole.message.additional_kwargs
    return same and (joined.content == whole.message.content or not _is_placed(whole.message))


def redacted(
    chunks: tuple[ChatGeneration, ...], texts: Mapping[Path, str]
) -> tuple[ChatGeneration, ...]:
    """The chunks with these texts, and without what could quote the old ones.

    texts: by their paths in all chunks as one, which they become where a text changes.
    """
    whole = (merged(chunks),) if texts else chunks
    return tuple(_redacted(chunk, texts) for chunk in whole)


def _redacted(chunk: ChatGeneration, texts: Mapping[Path, str]) -> ChatGeneration:
    reading = PlainReading()
    value = drop_copies(replace_texts(reading.of(_said_by(chunk)), texts))
    fields = _edit(chunk, value)
    if reading.unread:  # it could quote the old texts
        fields |= {"content": value["content"], **_kept(chunk, value["additional_kwargs"])}
    fields["additional_kwargs"].pop(_REPEATS, None)
    fields |= {"id": _name_only(value["id"]), "name": _name_only(chunk.message.name)}
    if _role(chunk.message) is not None:
        fields["role"] = _name_only(_role(chunk.message)) or "assistant"
    fields["response_metadata"] = _only(_WITHOUT_TEXT | _END_REASONS, value["response_metadata"])
    fields["usage_metadata"] = _numbers_only(getattr(chunk.message, "usage_metadata", None))
    info = _only(_WITHOUT_TEXT | _END_REASONS, value["generation_info"])
    return _alone(_with(chunk, fields, info))


def replacement(
    text: str, seen: Sequence[ChatGeneration], released: Sequence[ChatGeneration]
) -> ChatGeneration:
    """What a caller gets in place of a blocked reply, or of the rest of it.

    seen: the reply as far as it came. released: what of it the caller has. Of what is withheld
    there remain its ids, its usage, and what tells nothing of its text.
    """
    whole, had = _merged_or_last(seen), _merged_or_last(released)
    before = had.message if had else AIMessageChunk(content="")
    if whole is None:
        message = AIMessageChunk(content=text, response_metadata=_new_metadata({}, {}))
        return ChatGenerationChunk(message=message)
    old = whole.message
    fields: dict[str, Any] = {
        "content": _content_like(old.content, text),
        "id": _name_only(old.id),
        "name": _name_only(before.name),
        "usage_metadata": _remaining_usage(old, before),
        "response_metadata": _new_metadata(
            _united(one.message.response_metadata for one in seen), before.response_metadata
        ),
    }
    info = _new_metadata(
        _united(one.generation_info for one in seen), had.generation_info if had else {}
    )
    kind = AIMessageChunk if isinstance(old, AIMessageChunk) else AIMessage
    return type(whole)(message=kind(**fields), generation_info=info)


def without_quotes(llm_output: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What the provider said about a reply, without what could quote it."""
    return None if llm_output is None else _only(_WITHOUT_TEXT, llm_output)


def _tells_the_place(key: str, value: object) -> bool:
    """Whether LangChain needs it to join a part: it adds up most other names and numbers."""
    return key in {"index", "type"} and isinstance(value, str | int)


def _is_placed(message: BaseMessage) -> bool:
    blocks = message.content if isinstance(message.content, list) else []
    return any(isinstance(block, dict) and "index" in block for block in blocks)


def _as_joined(field: TextField, growing_calls: bool) -> TextField:
    """The field as LangChain joins it to others: a content that is a string is a block of text."""
    if field.channel == ("content",):
        return replace(field, channel=_TEXT_CHANNEL)
    if field.kind is ReplyKind.TOOL and field.path[-1] == "input":
        return replace(field, source=True, whole=not growing_calls)
    return field


def _value_of(generation: ChatGeneration) -> Any:
    """What is said as JSON has it, but for the calls of tools."""
    return PlainReading().of(_said_by(generation))


def _said_by(generation: ChatGeneration) -> dict[str, Any]:
    """The same with the objects that it is made of. A name is no text. beside: fields that the
    class does not have, and the usage, of which a key may be text."""
    message = generation.message
    extra = message.additional_kwargs
    if _REPEATS in extra:
        extra = {**extra, _REPEATS: _parsed(extra[_REPEATS], message)}
    if "tool_calls" in extra:
        extra = {**extra, "tool_calls": _without_repeats(extra["tool_calls"], message)}
    return {
        "content": message.content,
        "additional_kwargs": extra,
        "id": message.id,
        "name": None if _name_only(message.name) else message.name,
        "response_metadata": _told(message.response_metadata),
        "generation_info": _told(generation.generation_info),
        "beside": [
            message.model_extra or {},
            getattr(message, "usage_metadata", None) or {},
            None if _name_only(_role(message)) else _role(message),
        ],
    }


def _role(message: BaseMessage) -> str | None:
    """Of a message that is of no kind of its own."""
    return getattr(message, "role", None)


def _told(about: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: value for key, value in (about or {}).items() if key not in _NOT_SAID}


def _parsed(parsed: object, message: BaseMessage) -> Any:
    """What a client made of the text as a value; None where that says nothing else."""
    value = PlainReading().of(parsed)
    return None if {*texts_in(value)} <= {*argument_texts(str(message.text))} else value


def _calls_of(message: BaseMessage) -> dict[str, Any]:
    """Calls of tools. Those of a chunk are made of its pieces, which are read instead."""
    if pieces := getattr(message, "tool_call_chunks", None):
        invalid = getattr(message, "invalid_tool_calls", ())
        errors = [{"error": call.get("error")} for call in invalid]
        return {"tool_call_chunks": pieces, "invalid_tool_calls": errors}
    return {name: getattr(message, name, None) or [] for name in _CALL_FIELDS[:2]}


def _without_repeats(calls: Any, message: BaseMessage) -> Any:
    """Calls as the provider wrote them, without those that stand in `tool_calls` as well."""
    parsed = getattr(message, "tool_calls", ())
    known = [[call["name"], *argument_texts(call["args"])] for call in parsed]
    repeats: dict[Path, None] = {
        (at, "function"): None
        for at, call in enumerate(calls if isinstance(calls, list) else ())
        if isinstance(call, dict) and _texts_of_call(call.get("function")) in known
    }
    return replace_texts(calls, repeats)


def _texts_of_call(function: object) -> list[str] | None:
    """The name and what is in the arguments; None for a call with anything beside them."""
    if not isinstance(function, dict) or function.keys() != {"name", "arguments"}:
        return None
    return [function["name"], *argument_texts(function["arguments"])]


def _edit(chunk: ChatGeneration, value: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a message with what is said in `value`."""
    message, before = chunk.message, _value_of(chunk)
    content = edited(message.content, before["content"], value["content"])
    key = "additional_kwargs"
    return {
        "content": content,
        **_kept(chunk, edited(message.additional_kwargs, before[key], value[key])),
    }


def _kept(chunk: ChatGeneration, extra: Mapping[str, Any]) -> dict[str, Any]:
    """The field with `extra`, and what was left out of it when it was read."""
    own = chunk.message.additional_kwargs
    kept = {key: own[key] for key in (_REPEATS, "tool_calls") if key in own}
    return {"additional_kwargs": {**extra, **kept}}


def _with(
    chunk: ChatGeneration, fields: Mapping[str, Any], info: Mapping[str, Any] | None
) -> ChatGeneration:
    message = chunk.message.model_copy(update=dict(fields))
    return type(chunk)(message=message, generation_info=dict(info) if info else None)


def _alone(chunk: ChatGeneration) -> ChatGeneration:
    """The same without fields that the class of its message does not have."""
    if chunk.message.model_extra:
        chunk.message.__pydantic_extra__ = {}
    return chunk


def _content_like(content: Content, text: str) -> Content:
    """`text` as a string, or as a block that a caller joins to the last text or puts behind."""
    if isinstance(content, str):
        return text
    blocks = [block for block in content if isinstance(block, dict)]
    places = [
        block["index"] for block in blocks if "index" in block and block.get("type") == "text"
    ]
    others = [block["index"] for block in blocks if isinstance(block.get("index"), int)]
    place = places[-1:] or [max(others) + 1 for _ in others[:1]]
    return [{"type": "text", "text": text, **dict.fromkeys(["index"] * len(place), *place)}]


def _merged_or_last(chunks: Sequence[ChatGeneration]) -> ChatGeneration | None:
    try:
        return merged(chunks) if chunks else None
    except Exception as error:  # chunks that do not fit together
        if may_be_signal(error):
            raise
        return chunks[-1]


def _remaining_usage(message: BaseMessage, before: BaseMessage) -> UsageMetadata | None:
    """The usage that the caller was not told of yet."""
    total = getattr(message, "usage_metadata", None)
    known = getattr(before, "usage_metadata", None)
    new = total if total is None or known is None else subtract_usage(total, known)
    return _numbers_only(new)


def _numbers_only(usage: UsageMetadata | None) -> UsageMetadata | None:
    """None where a key says something."""
    if usage is None:
        return None
    details = [one for one in usage.values() if isinstance(one, dict)]
    keys = [key for one in (usage, *details) for key in one]
    if not all(map(is_name, keys)):
        return None
    told = usage_numbers(usage) or {}
    return cast("UsageMetadata", {key: one for key, one in told.items() if one is not None})


def _united(told: Iterable[Mapping[str, Any] | None]) -> dict[str, Any]:
    """All of these, of each key the first value: what comes in pieces is no name."""
    united: dict[str, Any] = {}
    for about in told:
        united = {**(about or {}), **united}
    return united


def _new_metadata(
    about: Mapping[str, Any] | None, known: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What is new in `about` and cannot quote the reply, with the reason that it was withheld."""
    new = {key: value for key, value in (about or {}).items() if key not in (known or {})}
    return {**_only(_WITHOUT_TEXT, new), "finish_reason": FILTERED}


def _only(keys: set[str], values: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is under these keys, where there are no words in it."""
    known = {key: value for key, value in (values or {}).items() if key in keys}
    names = {key: value for key, value in known.items() if all(map(is_name, texts_in(value)))}
    return dict(drop_copies(names))


def _without(key: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != key}


def _name_only(text: str | None) -> str | None:
    """None for a text that is no name."""
    return text if text is not None and is_name(text) else None
