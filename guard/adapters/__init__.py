"""Ports made from any chat function."""

from __future__ import annotations

from guard.adapters.rewriter import ChatRewriter

__all__ = ["ChatRewriter"]
