"""Which calls get a shadow: decided by the call's id alone, before anything is known of it."""

from __future__ import annotations

from hashlib import blake2b

_SCALE = 2**64


def sampled(call_id: str, key: bytes, share: float) -> bool:
    """Whether this call is one of the share that is sampled.

    The same id and key always give the same answer, on every replica; whoever does not know the
    key (at most 64 bytes) cannot foretell it. share: in [0, 1]. A larger share keeps every call of
    a smaller one. Raises ValueError for a share outside that range, or a longer key.
    """
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"share must lie in [0, 1], not {share!r}")
    digest = blake2b(call_id.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest()
    return int.from_bytes(digest, "big") < share * _SCALE
