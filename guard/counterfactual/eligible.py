"""Which calls may be asked again as a shadow, and with which of their parameters.

A shadow call must do nothing but answer: no search, no stored conversation, nothing in the user's
name. And both sides must be asked alike: a parameter that is not known here is neither sent to a
model again (it could name the user) nor left out (the replies would differ for it).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from hashlib import blake2b

from guard.replies.schema import (
    ANSWERING_PARAMETERS,
    CLIENT_TOOLS,
    CONVERSATION_PARAMETERS,
    OTHER_PARAMETERS,
    SERVER_TOOL_PARAMETERS,
)


class NeverShadowed(StrEnum):
    """Why a call gets no shadow, as a label of what is counted."""

    SERVER_TOOLS = "server_tools"
    BACKGROUND = "background"
    STORED = "stored"
    CONVERSATION = "conversation"
    UNKNOWN_PARAMETER = "unknown_parameter"


_REASONS = {
    "background": NeverShadowed.BACKGROUND,
    "store": NeverShadowed.STORED,
    **dict.fromkeys(sorted(CONVERSATION_PARAMETERS), NeverShadowed.CONVERSATION),
    **dict.fromkeys(sorted(SERVER_TOOL_PARAMETERS), NeverShadowed.SERVER_TOOLS),
}


def never_shadowed(body: Mapping[str, object], *, also: Collection[str] = ()) -> str | None:
    """Why the call with this JSON body may not be asked again; None where it may.

    body: of a request in the words of the OpenAI API. also: further parameters that may be passed
    on, because they name nobody and do nothing. A parameter that is null or false counts as absent.
    """
    for name, reason in _REASONS.items():
        if _is_set(body.get(name)):
            return reason
    if _server_tools(body.get("tools")):
        return NeverShadowed.SERVER_TOOLS
    if _is_stored(body):
        return NeverShadowed.STORED
    known = {*ANSWERING_PARAMETERS, *OTHER_PARAMETERS, *_REASONS, *also}
    unknown = any(_is_set(value) for name, value in body.items() if name not in known)
    return NeverShadowed.UNKNOWN_PARAMETER if unknown else None


def shadow_parameters(
    body: Mapping[str, object], *, also: Collection[str] = ()
) -> dict[str, object]:
    """What goes along when a call is asked again: the model and how it is to answer.

    The seed does not (each draw has its own), nor does anything that names the user. A call that is
    `never_shadowed` has no parameters to ask with; see there for body and also.
    """
    passed = {*ANSWERING_PARAMETERS, *also}
    return {name: value for name, value in body.items() if name in passed and value is not None}


def _is_set(value: object) -> bool:
    return value is not None and value is not False


def _is_stored(body: Mapping[str, object]) -> bool:
    """A prompt by its id, which cannot be rewritten; a response that is stored unless refused."""
    stored_unless_refused = "input" in body and body.get("store") is not False
    return stored_unless_refused or isinstance(body.get("prompt"), Mapping)


def _server_tools(tools: object) -> bool:
    if not tools:
        return False
    if not isinstance(tools, list):
        return True
    return not all(isinstance(one, Mapping) and one.get("type") in CLIENT_TOOLS for one in tools)


_SCALE = 2**64


def sampled(call_id: str, key: bytes, share: float) -> bool:
    """Whether this call is one of the share that is sampled.

    The same id and key always give the same answer, on every replica; whoever does not know the
    key (at most 64 bytes) cannot foretell it. share: in [0, 1]. A larger share keeps every call of
    a smaller one. Raises ValueError for a share outside that range, or a longer key.
    """
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"share must lie in [0, 1], not {share!r}")
    digest = blake2b(call_id.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest()
    return int.from_bytes(digest, "big") < share * _SCALE
