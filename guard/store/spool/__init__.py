"""A durable local queue between a process that guards calls and a store that may be away."""

from guard.store.spool.spool import Spool
from guard.store.spool.wording import Spooled

__all__ = ["Spool", "Spooled"]
