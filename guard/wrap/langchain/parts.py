"""A reply of a chat model, as chunks or whole, in the parts that the response path deals with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from langchain_core.outputs import ChatGeneration

from guard.flow import Codec, Piece
from guard.policy import Hold, Policy
from guard.records import Unread
from guard.wrap.langchain.chunks import cut_text, merged
from guard.wrap.langchain.contents import Channel, Passage, calls_tools, is_only_text, passages

_LONGEST_LEAD = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some of a reply: what is released together, and the text that is judged for it.

    chunks: as the model gave them. text: None where it cannot be read. lead: how many characters
    at its start only separate it from what went before, or repeat it. cuttable: it is one text.
    said: stands in place of the reply.
    """

    chunks: tuple[ChatGeneration, ...] = ()
    text: str | None = ""
    lead: int = 0
    cuttable: bool = False
    structured: bool = False
    unread: frozenset[Unread] = frozenset()
    said: str | None = None


def _cut(part: Part, count: int) -> tuple[Part, Part]:
    text = part.text or ""
    if not part.cuttable or count <= part.lead:
        return Part(), replace(part, lead=max(0, part.lead - count), text=text[count:])
    head, tail = cut_text(part.chunks[0], count - part.lead)
    return Part(chunks=(head,)), replace(part, chunks=(tail,), lead=0, text=text[count:])


PARTS: Codec[Part] = Codec(
    read=lambda part: Piece(part.text, structured=part.structured, unread=part.unread),
    write=lambda _, text: Part(said=text),
    cut=_cut,
)


@dataclass(slots=True, kw_only=True)
class PartReader:
    """Makes parts of chunks as they come. For one reply that is asked for once.

    From the first call of a tool on, all is one part: a call goes out whole or not at all. Where
    nothing can be withheld each chunk is a part of its own.
    """

    policy: Policy
    _last: Channel | None = None
    _ends: dict[Channel, str] = field(default_factory=dict)
    _calls: list[ChatGeneration] = field(default_factory=list)

    def add(self, chunk: ChatGeneration) -> Iterator[Part]:
        """The part of it, if it is not kept for later."""
        withholds = self.policy.may_withhold and self.policy.hold is not Hold.NONE
        if withholds and (self._calls or calls_tools(chunk.message)):
            self._calls.append(chunk)
        else:
            yield self._part((chunk,))

    def rest(self) -> Iterator[Part]:
        """What was kept."""
        if self._calls:
            yield self._part(tuple(self._calls))

    def _part(self, chunks: tuple[ChatGeneration, ...]) -> Part:
        try:
            return self._readable(chunks, merged(chunks))
        except Exception:  # what cannot be read is not text
            return Part(chunks=chunks, text=None)

    def _readable(self, chunks: tuple[ChatGeneration, ...], whole: ChatGeneration) -> Part:
        found = passages(whole.message)
        read = [one for one in found if self._reads(one.channel)]
        lead = self._lead(read[0]) if read else ""
        return Part(
            chunks=chunks,
            text=lead + self._joined(read),
            lead=len(lead),
            cuttable=len(chunks) == 1 and is_only_text(whole.message),
            structured=any(one.channel is not Channel.TEXT for one in read),
            unread=frozenset(_name(one) for one in found if one not in read),
        )

    def _reads(self, channel: Channel) -> bool:
        if channel is Channel.REASONING:
            return self.policy.reads_reasoning
        if channel is Channel.TOOLS:
            return self.policy.reads_tool_calls
        return channel is not Channel.UNREAD

    def _lead(self, first: Passage) -> str:
        """What stands before a text in another channel than the last: the word it goes on with."""
        if self._last in {None, first.channel}:
            return ""
        return "\n" + self._ends.get(first.channel, "")

    def _joined(self, read: list[Passage]) -> str:
        texts: list[str] = []
        for one in read:
            changed = texts and (one.channel is not self._last or one.channel is not Channel.TEXT)
            texts += ["\n", one.text] if changed else [one.text]
            self._last = one.channel
            self._ends[one.channel] = _last_word(self._ends.get(one.channel, "") + one.text)
        return "".join(texts)


def _last_word(text: str) -> str:
    """The word that `text` ends in the middle of, as far as it is one."""
    text = text[-_LONGEST_LEAD:]
    return "" if not text or text[-1].isspace() else text.split()[-1]


def _name(unread: Passage) -> Unread:
    return Unread(unread.text if unread.channel is Channel.UNREAD else unread.channel.value)
