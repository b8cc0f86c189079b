"""One file of a spool: frames, one after the other."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from guard.store.spool.frames import HEAD_BYTES, frame_bytes, whole_frames

SUFFIX = ".log"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """What was read: payloads in order, and the position behind them.

    cut_bytes: what lay between, torn or damaged, and is left out.
    """

    payloads: tuple[bytes, ...]
    end: int
    cut_bytes: int = 0


class Segment:
    """Bytes `start` to `end` of a spool. Its name is where it starts.

    Written by one thread at a time, and read by another one up to what is written whole. The file
    stays open until it is removed, so that what is in it can be read even if its name is gone.
    """

    def __init__(self, path: Path, *, start: int, size: int, descriptor: int | None = None) -> None:
        self._path = path
        self._descriptor = descriptor
        self._synced = descriptor is None
        self._sealed = False
        self.start = start
        self.size = size

    @classmethod
    def create(cls, folder: Path, start: int) -> Segment:
        """An empty file of this process. Raises OSError."""
        path = folder / f"{start:020d}{SUFFIX}"
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL
        return cls(path, start=start, size=0, descriptor=os.open(path, flags, 0o600))

    @classmethod
    def found(cls, path: Path) -> Segment:
        """A file that another process has left. Raises OSError, ValueError."""
        return cls(path, start=int(path.name.removesuffix(SUFFIX)), size=path.stat().st_size)

    @property
    def end(self) -> int:
        """The position behind the last whole frame; of one that was found, behind its last byte."""
        return self.start + self.size

    @property
    def sealed(self) -> bool:
        """Whether nothing can be added any more: half a frame is in the way."""
        return self._sealed

    @property
    def next_start(self) -> int:
        """Where the next file begins: behind half a frame as well, as whoever adopts it sees it."""
        if not self._sealed:
            return self.end
        return self.start + max(self.size + 1, os.fstat(self._open()).st_size)

    @property
    def removed(self) -> bool:
        """Whether somebody took the file away."""
        return os.fstat(self._open()).st_nlink == 0

    def append(self, frame: bytes) -> None:
        """Add a frame in one write, or raise OSError and leave the file as it was."""
        descriptor = self._open()
        try:
            taken = os.write(descriptor, frame)
        except OSError:
            self._cut(descriptor)
            raise
        if taken < len(frame):
            self._cut(descriptor)
            raise OSError("the disk took a part of a record only")
        self.size += len(frame)

    def read(self, position: int, limit_bytes: int) -> Chunk:
        """The frames from `position` on, at least one. Raises OSError.

        What is torn or damaged ends the segment: the chunk's end is the segment's then.
        """
        offset, end = max(position - self.start, 0), self.size
        data = os.pread(self._open(), min(max(limit_bytes, HEAD_BYTES), end - offset), offset)
        if len(data) < (needed := min(frame_bytes(data), end - offset)):
            data = os.pread(self._open(), needed, offset)
        frames = list(whole_frames(data))
        payloads = tuple(payload for _, payload in frames)
        if not frames:
            return Chunk(payloads=(), end=self.start + end, cut_bytes=end - offset)
        return Chunk(payloads=payloads, end=self.start + offset + frames[-1][0])

    def sync(self) -> None:
        """Have the disk keep it, once nothing is added any more. Raises OSError."""
        if not self._synced:
            self._synced = True
            os.fsync(self._open())

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def remove(self) -> None:
        """Delete the file. What cannot be deleted is shipped again some day, and known by then."""
        self.close()
        with suppress(OSError):
            self._path.unlink()

    def _open(self) -> int:
        if self._descriptor is None:
            self._descriptor = os.open(self._path, os.O_RDONLY)
        return self._descriptor

    def _cut(self, descriptor: int) -> None:
        try:
            os.ftruncate(descriptor, self.size)
        except OSError:
            self._sealed = True
