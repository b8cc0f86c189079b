"""What a trace says of a call beside its outcome: where it went, and how pairs of replies differ.

Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedModel:
    """What is known of a request to a model; empty or 0 where it is not known.

    operation: chat or text_completion. model: its name, as asked for. provider: who runs it, by the
    name that telemetry has for it. conversation_id: given by the caller or the framework. server,
    port: where the request goes. replies: how many are asked for. streamed: they come piecemeal.
    """

    operation: str = "chat"
    model: str = ""
    provider: str = ""
    conversation_id: str = ""
    server: str = ""
    port: int = 0
    replies: int = 1
    streamed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """How the replies to a conversation differ from those to the same one about another group.

    first, second: the groups, in alphabetical order. source: that of the conversation as it was.
    differences: by live metric, first minus second, of fresh replies, as the sequential tests add
    them up. flags: what put the pair before people, sorted; empty for most pairs.
    """

    attribute: str
    first: str
    second: str
    source: str
    differences: Mapping[str, float] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
