"""Which side of a pair a person sees on the left: by chance, and always the same."""

from __future__ import annotations

from hashlib import blake2b

FIRST_LEFT = ("first", "second")
SECOND_LEFT = ("second", "first")


def sides_for(case_id: str, reviewer: str, key: bytes) -> tuple[str, str]:
    """The sides of the body in the order in which this reviewer sees them.

    A keyed hash of both, so that nobody without the key can tell, and over many cases, and over
    many reviewers of one case, each order comes up half of the time. key: up to 64 bytes.
    """
    about = b"\0".join(one.encode("utf-8", "surrogatepass") for one in (case_id, reviewer))
    odd = blake2b(about, key=key[:64], digest_size=8).digest()[0] & 1
    return SECOND_LEFT if odd else FIRST_LEFT
