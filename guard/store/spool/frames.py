"""Records in a file: each a line that says how long it is and what its checksum is."""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

HEAD_BYTES = 18  # length and CRC-32 of the payload, eight hexadecimal digits and a space each


def framed(payload: bytes) -> bytes:
    """`payload` (without line breaks, below 4 GiB) as it stands in a file."""
    return b"%08x %08x %s\n" % (len(payload), crc32(payload), payload)


def frame_bytes(data: bytes) -> int:
    """How long the frame is that `data` begins with, as its head says; 0 for what is no head."""
    try:
        return HEAD_BYTES + int(data[:8], 16) + 1 if len(data) >= HEAD_BYTES else 0
    except ValueError:
        return 0


def whole_frames(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The payloads that `data` begins with, each after the offset at which its frame ends.

    Stops at the first frame that is torn or damaged: nothing behind it can be trusted.
    """
    start = 0
    while (length := frame_bytes(data[start : start + HEAD_BYTES])) and start + length <= len(data):
        payload = data[start + HEAD_BYTES : start + length - 1]
        if data[start : start + length] != framed(payload):
            return
        start += length
        yield start, payload
