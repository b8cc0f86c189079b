"""How full a spool may become, and with what."""

from __future__ import annotations

from typing import Final

SMALL_FRAME_BYTES: Final = 32_768
"""Sums, and cases and jobs of texts of a usual length."""
SHARE_OF_LARGE: Final = 0.75
"""Of the spool that others may fill, so that long texts leave room for what is counted."""


class Refused(Exception):  # noqa: N818 - no error: what was offered finds no room
    """Why a record is not taken."""


def room_for(frame: bytes, max_bytes: int) -> int:
    """Up to how many bytes of the spool such a frame may fill it."""
    return max_bytes if len(frame) <= SMALL_FRAME_BYTES else int(max_bytes * SHARE_OF_LARGE)
