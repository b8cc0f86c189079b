"""A store that is gone with its process: for tests."""

from guard.store.memory.store import MemoryStore

__all__ = ["MemoryStore"]
