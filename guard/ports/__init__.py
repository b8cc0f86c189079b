"""What the use cases need from outside, as small protocols."""

from guard.ports.response import (
    Chat,
    Clock,
    Message,
    NewId,
    Observer,
    Rewriter,
    Scorer,
)
from guard.ports.stored import Accounts, Cases, Cursors, EvidenceStore, Facts, Inbox, Store, Windows
from guard.ports.upstream import Upstream

__all__ = [
    "Accounts",
    "Cases",
    "Chat",
    "Clock",
    "Cursors",
    "EvidenceStore",
    "Facts",
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
