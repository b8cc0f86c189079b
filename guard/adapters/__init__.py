"""Ports made from any chat function."""

from __future__ import annotations

from guard.adapters.callables import CallableUpstream
from guard.adapters.judge import ChatJudge
from guard.adapters.rewriter import ChatRewriter

__all__ = ["CallableUpstream", "ChatJudge", "ChatRewriter"]
