"""A durable local queue between a process that guards calls and a store that may be away."""

from guard.store.spool.format import SpoolRecord
from guard.store.spool.spool import Spool

__all__ = ["Spool", "SpoolRecord"]
