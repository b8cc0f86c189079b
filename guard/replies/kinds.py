"""What the parts of a reply are, and what of it was not read: the only names for either."""

from __future__ import annotations

from enum import StrEnum

from guard.records import Unread as Unread


class ReplyKind(StrEnum):
    """What a text of a reply is."""

    TEXT = "text"
    REASONING = "reasoning"
    TOOL = "tool"
    MEDIA = "media"
    OTHER = "other"


UNREAD_KIND = {ReplyKind.REASONING: Unread.REASONING, ReplyKind.TOOL: Unread.TOOL_CALLS}
"""What a record says of a kind that passes unread by policy."""
