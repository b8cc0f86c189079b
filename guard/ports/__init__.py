"""What the use cases need from outside, as small protocols."""

from guard.ports.calls import Chat, Clock, Message, NewId, Observer, Rewriter, Scorer, Upstream
from guard.ports.stored import (
    Accounts,
    Cases,
    Cursors,
    EvidenceStore,
    FactStore,
    Inbox,
    Store,
    Windows,
)

__all__ = [
    "Accounts",
    "Cases",
    "Chat",
    "Clock",
    "Cursors",
    "EvidenceStore",
    "FactStore",
    "Inbox",
    "Message",
    "NewId",
    "Observer",
    "Rewriter",
    "Scorer",
    "Store",
    "Upstream",
    "Windows",
]
