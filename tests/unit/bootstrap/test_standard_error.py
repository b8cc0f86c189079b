"""Standard error that nobody reads, or not in time."""

from __future__ import annotations

import fcntl
import io
import os
import select
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TextIO

import pytest

from guard.bootstrap.standard_error import QueuedStream, never_wait_for_readers

SECONDS = 30.0
SMALL = 4096
LINE = "x" * 99 + "\n"


class Pipe:
    """A pipe of one page; what is written to `file` is heard as soon as somebody reads."""

    def __init__(self) -> None:
        self.end, number = os.pipe()
        fcntl.fcntl(number, fcntl.F_SETPIPE_SZ, SMALL)
        self.file: TextIO = os.fdopen(number, "w", encoding="utf-8")

    def read(self, until: str) -> str:
        """What comes, up to and including a text; fails where that does not come in time."""
        found = b""
        while until.encode() not in found:
            assert select.select([self.end], [], [], SECONDS)[0], f"only {found!r} came"
            found += os.read(self.end, SMALL)
        return found.decode()


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe()
    yield made
    os.close(made.end)  # whoever still writes ends with an error
    made.file.close()


def lines(stream: QueuedStream, count: int) -> None:
    for _ in range(count):
        stream.write(LINE)


def test_what_is_written_arrives_in_order(pipe: Pipe) -> None:
    stream = QueuedStream(pipe.file)
    print("one", 2, file=stream)
    stream.write("three\nfo")
    stream.write("ur\nfive")
    stream.flush()
    assert stream.drain(SECONDS)
    assert pipe.read("five") == "one 2\nthree\nfour\nfive"


def test_a_stalled_reader_holds_up_nobody_and_hears_what_it_missed(pipe: Pipe) -> None:
    stream = QueuedStream(pipe.file, most_characters=10_000)
    with ThreadPoolExecutor(4) as writers:
        list(writers.map(lambda _: lines(stream, 250), range(4)))
    assert not stream.drain(0.05)
    heard = pipe.read("not read in time\n")
    missed = int(heard.rpartition("guard: ")[2].split()[0])
    assert heard.count(LINE) + missed == 1000
    assert missed > 800
    print("again", file=stream)
    assert pipe.read("again\n") == "again\n"


def test_a_reader_that_went_away_is_no_error(pipe: Pipe) -> None:
    stream = QueuedStream(pipe.file)
    reader, pipe.end = pipe.end, os.open(os.devnull, os.O_RDONLY)
    os.close(reader)
    lines(stream, 100)
    assert stream.drain(SECONDS)


def test_a_file_that_does_not_block_is_waited_for(pipe: Pipe) -> None:
    os.set_blocking(pipe.file.fileno(), False)
    stream = QueuedStream(pipe.file)
    lines(stream, 200)
    stream.write("end\n")
    assert pipe.read("end\n").count(LINE) == 200


def test_parts_of_lines_that_nobody_hears_are_counted(pipe: Pipe) -> None:
    stream = QueuedStream(pipe.file, most_characters=10_000)
    lines(stream, 100)
    for _ in range(3):
        print("." * 9_000, end="", file=stream, flush=True)
    heard = pipe.read("not read in time\n")
    assert heard.count(LINE) == 100
    assert heard.endswith("guard: 3 lines are not shown: they were not read in time\n")


def test_whatever_fails_the_next_lines_are_written(
    pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = QueuedStream(pipe.file)
    with monkeypatch.context() as broken:
        broken.setattr(stream, "encoding", "none-such")
        stream.write("lost\n")
        stream.drain(1)
    stream.write("next\n")
    assert pipe.read("next\n") == "next\n"


@pytest.fixture
def no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """As at the end of a process, in Python 3.12."""

    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refuse)


@pytest.mark.usefixtures("no_thread")
def test_what_is_said_first_at_the_end_is_written_without_a_thread(pipe: Pipe) -> None:
    stream = QueuedStream(pipe.file)
    print("one", file=stream)
    print("two", end="", file=stream)
    stream.end(SECONDS)
    assert pipe.read("two") == "one\ntwo"
    print("three", file=stream)
    assert pipe.read("three\n") == "three\n"


@pytest.mark.usefixtures("no_thread")
def test_at_the_end_a_stalled_reader_is_waited_for_once(pipe: Pipe) -> None:
    stream = QueuedStream(pipe.file)
    lines(stream, 1000)
    began = time.monotonic()
    stream.end(0.2)
    lines(stream, 1000)
    assert time.monotonic() - began < 10
    assert pipe.read("x") == (LINE * 100)[:SMALL]


def test_what_is_said_after_the_end_is_there_at_once(pipe: Pipe) -> None:
    stream = QueuedStream(pipe.file)
    print("one", file=stream)
    stream.end(SECONDS)
    assert pipe.read("one\n") == "one\n"
    print("two", file=stream)
    os.set_blocking(pipe.end, False)
    assert os.read(pipe.end, SMALL) == b"two\n"


def test_no_bytes_are_taken(pipe: Pipe) -> None:
    """By which libraries tell streams of text and of bytes apart."""
    with pytest.raises(TypeError):
        QueuedStream(pipe.file).write(b"")  # type: ignore[arg-type]


def test_a_file_it_has_to_be() -> None:
    with pytest.raises(io.UnsupportedOperation):
        QueuedStream(io.StringIO())


def test_what_somebody_put_in_its_place_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = io.StringIO()
    monkeypatch.setattr(sys, "stderr", mine)
    never_wait_for_readers()
    assert sys.stderr is mine
