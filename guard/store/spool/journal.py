"""The files of one spool, in a folder that is locked for as long as its process lives."""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from guard.store.spool.drafts import LeftDrafts, find_left_drafts
from guard.store.spool.format import HEAD_BYTES, find_frame, frame_length, read_frames

_log = logging.getLogger(__name__)

SUFFIX = ".log"
FARTHEST = 2**53
"""Positions up to which every store counts exactly. A process that spools 100 MB a second comes
there after three years."""
LONGEST_FRAME_BYTES = 2**26
"""What claims to be longer is no frame: no record comes near it."""
_READ_BYTES = 2**20
_LOCK = "lock"
_DIGITS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """What was read: payloads in order, and the position behind them.

    cut_bytes: what lay between, torn or damaged, and is left out. damaged_lines: how many lines of
    it were once written whole.
    """

    payloads: tuple[bytes, ...]
    end: int
    cut_bytes: int = 0
    damaged_lines: int = 0


class Segment:
    """Bytes `start` to `end` of a spool. Its name is where it starts.

    Written by one thread at a time, and read by another one up to what is written whole. The file
    stays open until it is removed, so that what is in it can be read even if its name is gone.
    sealed: nothing can be added any more, since half a frame is in the way.
    """

    def __init__(self, path: Path, *, start: int, size: int, descriptor: int | None = None) -> None:
        self._path = path
        self._descriptor = descriptor
        self._synced = descriptor is None
        self.sealed = False
        self.start = start
        self.size = size

    @classmethod
    def create(cls, folder: Path, start: int) -> Segment:
        """An empty file of this process. Raises OSError."""
        path = folder / f"{start:0{_DIGITS}d}{SUFFIX}"
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
        try:
            descriptor = os.open(path, flags | os.O_EXCL, 0o600)
        except FileExistsError:  # made by a thread that was cut off before it knew of it
            if path.stat().st_size:
                raise
            descriptor = os.open(path, flags, 0o600)
        return cls(path, start=start, size=0, descriptor=descriptor)

    @classmethod
    def adopt(cls, path: Path) -> Segment:
        """A file that another process has left: `is_segment`. Raises OSError."""
        return cls(path, start=int(path.name.removesuffix(SUFFIX)), size=path.stat().st_size)

    @property
    def end(self) -> int:
        """The position behind the last whole frame; of one that was found, behind its last byte."""
        return self.start + self.size

    @property
    def next_start(self) -> int:
        """Where the next file begins: behind half a frame as well, as whoever adopts it sees it."""
        if not self.sealed:
            return self.end
        return self.start + max(self.size + 1, os.fstat(self._open()).st_size)

    @property
    def removed(self) -> bool:
        """Whether somebody took the file away."""
        return os.fstat(self._open()).st_nlink == 0

    @property
    def is_on_disk(self) -> bool:
        """Whether there is a file of its name."""
        return self._path.exists()

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

    def settle(self) -> None:
        """Count a frame whose thread was cut off, by the handler of a signal, before it did so.

        Half a frame goes. Raises OSError.
        """
        descriptor = self._open()
        more = os.fstat(descriptor).st_size - self.size
        if more <= 0 or self.sealed:
            return
        written = os.pread(descriptor, min(more, LONGEST_FRAME_BYTES), self.size)
        whole = max((end for end, _ in read_frames(written)), default=0)
        self.size += whole
        if whole < more:
            self._cut(descriptor)

    def read(self, position: int, limit_bytes: int) -> Chunk:
        """The frames from `position` on, at least one. Raises OSError.

        Where a torn or damaged one is the first, the chunk has none and ends behind it.
        """
        offset, end = max(position - self.start, 0), self.size
        data = os.pread(self._open(), min(max(limit_bytes, HEAD_BYTES), end - offset), offset)
        needed = min(frame_length(data), end - offset)
        if len(data) < needed <= LONGEST_FRAME_BYTES:
            data = os.pread(self._open(), needed, offset)
        frames = list(read_frames(data))
        payloads = tuple(payload for _, payload in frames)
        if not frames:
            return self._skip(offset)
        return Chunk(payloads=payloads, end=self.start + offset + frames[-1][0])

    def _skip(self, offset: int) -> Chunk:
        """To the next whole frame, as far as can be seen from here, or the end of the segment."""
        rest = os.pread(self._open(), min(self.size - offset, 2 * LONGEST_FRAME_BYTES), offset)
        cut = find_frame(rest)
        if cut is None and offset + len(rest) < self.size:
            cut = rest.rfind(b"\n") + 1 or None  # a frame may begin behind the last whole line
        cut = len(rest) if cut is None else cut
        return Chunk(
            payloads=(),
            end=self.start + offset + cut,
            cut_bytes=cut,
            damaged_lines=rest[:cut].count(b"\n"),
        )

    def chunks(self) -> Iterator[tuple[int, Chunk]]:
        """All of it, each part with the position where it begins. Raises OSError."""
        position = self.start
        while position < self.end:
            chunk = self.read(position, _READ_BYTES)
            yield position, chunk
            position = chunk.end

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
            self.sealed = True


class Journal:
    """A spool by its id: bytes 0 to `end`, of which the older ones may be gone already.

    left: drafts that a dead process has left. Each has a position of its own, behind `end`.
    Not thread-safe.
    """

    def __init__(
        self, folder: Path, lock: int, segments: list[Segment], left: LeftDrafts | None = None
    ) -> None:
        self._folder = folder
        self._lock = lock
        self._segments = segments
        self.left = left or LeftDrafts()
        self.id = folder.name

    @classmethod
    def create(cls, root: Path, spool_id: str) -> Journal:
        """A new one. It is locked before others can see it. Raises OSError."""
        hidden, folder = root / f".{spool_id}", root / spool_id
        hidden.mkdir(mode=0o700, parents=True)
        lock = os.open(hidden / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            hidden.rename(folder)
            return cls(folder, lock, [Segment.create(folder, 0)])
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def adopt(cls, folder: Path) -> Journal | None:
        """One whose process is dead; None where it lives, or nothing is left.

        Raises OSError, and ValueError for what is not a spool's.
        """
        folder.name.encode()  # no store can be asked for a name that is no Unicode
        lock = _lock_file(folder / _LOCK)
        if lock is None:
            return None
        try:
            segments = _segments_in(folder)
            return cls(folder, lock, segments, _left_in(segments))
        except BaseException:
            os.close(lock)
            raise

    @property
    def held_bytes(self) -> int:
        """What its files hold."""
        return sum(segment.size for segment in self._segments)

    @property
    def end(self) -> int:
        """The position behind the last record; 0 without any."""
        return max((one.end for one in self._segments), default=0)

    @property
    def last_position(self) -> int:
        """Where all of it is in the store, drafts that were left included."""
        return self.end + len(self.left.open)

    @property
    def removed(self) -> bool:
        """Whether somebody took away the file that is written to."""
        return self._segments[-1].removed

    @property
    def is_on_disk(self) -> bool:
        """Whether anything is there of it that another process could adopt."""
        return any(segment.is_on_disk for segment in self._segments)

    def settle(self) -> None:
        """Count what a thread has added that was cut off: before anything is appended. Raises
        OSError."""
        self._segments[-1].settle()

    def append(self, frame: bytes, *, segment_bytes: int) -> None:
        """Add a frame, in a new file where it would not fit into this one. Raises OSError."""
        last = self._segments[-1]
        if last.sealed or last.size + len(frame) > segment_bytes:
            self.turn_over()
        self._segments[-1].append(frame)

    def turn_over(self) -> None:
        """Begin a new file, unless nothing is in this one. Raises OSError."""
        self.settle()  # what is in the file must end where the next one begins
        last = self._segments[-1]
        if last.size or last.sealed:
            self._segments.append(Segment.create(self._folder, last.next_start))

    def segment_after(self, position: int) -> Segment | None:
        """The file that holds the next record behind a position."""
        return next((one for one in self._segments if one.end > position), None)

    def pop_before(self, position: int) -> Iterator[Segment]:
        """Take out the files that end at a position or before; the last one stays."""
        while len(self._segments) > 1 and self._segments[0].end <= position:
            yield self._segments.pop(0)

    def bytes_after(self, position: int) -> int:
        """What its files hold behind a position."""
        return sum(max(one.end - max(one.start, position), 0) for one in self._segments)

    def full(self) -> list[Segment]:
        """The files to which nothing is added any more."""
        return self._segments[:-1]

    def close(self) -> None:
        """Let go: what is left is for the next process that opens the folder."""
        for segment in self._segments:
            segment.close()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def sync(self) -> None:
        """Have the disk keep what was written. Raises OSError."""
        for segment in self._segments:
            segment.sync()

    def discard(self) -> None:
        """Remove all of it. The lock goes last, so that nobody adopts half of it."""
        for segment in self._segments:
            segment.remove()
        with suppress(OSError):
            for path in filter(_is_empty, self._folder.glob(f"*{SUFFIX}")):
                path.unlink()  # made by a thread that was cut off before it knew of it
            (self._folder / _LOCK).unlink()
            self._folder.rmdir()
        self.close()


def _segments_in(folder: Path) -> list[Segment]:
    """Raises ValueError where there are files, and none of them is a spool's."""
    found = [Segment.adopt(path) for path in _segment_paths(folder)]
    if not found and any(folder.glob(f"*{SUFFIX}")):
        raise ValueError("what is in it is not a spool's")
    return sorted(found, key=lambda segment: segment.start)


def _left_in(segments: list[Segment]) -> LeftDrafts:
    try:
        chunks = chain.from_iterable(segment.chunks() for segment in segments)
        return find_left_drafts((start, chunk.payloads) for start, chunk in chunks)
    finally:
        for segment in segments:
            segment.close()


def _segment_paths(folder: Path) -> Iterator[Path]:
    """The files of records in it. What else has such a name is left where it is."""
    for path in folder.glob(f"*{SUFFIX}"):
        if is_segment(path):
            yield path
        else:
            _log.error("%r is no file of records and is left out of its spool", str(path))


def is_segment(path: Path) -> bool:
    """Whether a spool may have made the file: by its name, and by where it would end."""
    start = path.stem
    is_named = start.isascii() and start.isdecimal() and len(start) == _DIGITS
    return is_named and path.is_file() and int(start) + path.stat().st_size <= FARTHEST


def _is_empty(path: Path) -> bool:
    return is_segment(path) and not path.stat().st_size


def _lock_file(path: Path) -> int | None:
    try:
        lock = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        with suppress(OSError):
            path.parent.rmdir()  # empty: its process died while it removed the folder
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    except OSError:
        os.close(lock)
        raise
    return lock
