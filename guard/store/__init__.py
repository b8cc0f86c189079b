"""What is kept for later: jobs, sums and cases, in SQLite, Redis or memory."""

from guard.store.opening import open_store

__all__ = ["open_store"]
