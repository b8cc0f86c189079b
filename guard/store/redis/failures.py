"""What is wrong with a server, in words, and what to do about it."""

from __future__ import annotations

from redis import exceptions

REMEDIES: tuple[tuple[type[Exception], str], ...] = (
    (exceptions.AuthenticationError, "refuses the user or password; correct store.url"),
    (exceptions.NoPermissionError, "does not allow this user what is needed; see store.url"),
    (exceptions.BusyLoadingError, "is still loading its data; it comes back by itself (store.url)"),
    (exceptions.ReadOnlyError, "is a read-only replica; name the primary in store.url"),
    (exceptions.OutOfMemoryError, "is out of memory; raise its maxmemory, or change store.url"),
    (exceptions.TimeoutError, "does not answer in time (store.url)"),
    (exceptions.ConnectionError, "cannot be reached; start it, or change store.url"),
)
AWAY = (exceptions.ConnectionError, exceptions.TimeoutError)


def wording(error: Exception) -> str:
    """What the server at `store.url` does, and the remedy."""
    if str(error).startswith("NOAUTH"):
        return REMEDIES[0][1]
    for kind, words in REMEDIES:
        if isinstance(error, kind):
            return words
    return f"refuses a command (store.url): {error}"


def is_away(error: BaseException | None) -> bool:
    """Whether waiting may help."""
    return isinstance(error, AWAY) and not isinstance(error, exceptions.AuthenticationError)
