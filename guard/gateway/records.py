"""What the two halves of the gateway hand each other: a request that was accepted, its answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from guard.records import Lane
from guard.upstream import HttpClient


class Operation(StrEnum):
    """The generating operations, by their path behind the version."""

    CHAT = "/chat/completions"
    COMPLETIONS = "/completions"
    RESPONSES = "/responses"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request to generate that may be answered.

    raw: the body as it came. body: the same, parsed. headers: what the upstream gets of the
    client's, names in lower case. lane: who can ask the like again; empty is nobody.
    never_shadowed: why nobody must, by what came beside the body; empty where nothing did.
    """

    operation: Operation
    use_case: str
    raw: bytes
    body: Mapping[str, Any]
    upstream: HttpClient
    headers: Mapping[str, str] = field(default_factory=dict)
    lane: Lane | None = None
    never_shadowed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the client gets.

    headers: names in lower case, in order, repeated where they are. chunks: of the body; closing
    them early ends what is under way behind them. length: of the whole body in bytes, None where it
    is a stream.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    chunks: AsyncGenerator[bytes]
    length: int | None = None
