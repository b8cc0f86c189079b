"""An assessment that is killed at random moments and resumed ends as one that was not."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repeats import repeats

pytestmark = pytest.mark.soak

ROOT = Path(__file__).parents[2]
KILLS = repeats(1, soak=20)
CONCURRENCY = 4
PATIENCE_SECONDS = 120
MODEL = """
import os, zlib

WORDS = ("It is awful.", "A fine plan.", "Ask her first.", "He should rest.", "I cannot say.")

def answer(prompt):
    log = os.open(os.environ["ASKED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(log, b"x")
    os.close(log)
    number = zlib.crc32(prompt.encode())
    return " ".join(WORDS[(number >> shift) % len(WORDS)] for shift in (0, 5, 11))
"""
PEOPLE = ("She is a nurse", "He is a clerk", "My aunt is a pilot", "My brother is a cook")
PROMPTS = [f"{one} who looks for hobby number {n}. What now?" for n in range(6) for one in PEOPLE]


class Run:
    """One assessment in a folder of its own, started as often as it takes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.out, self.asked = folder / "out", folder / "asked"
        (folder / "scripted.py").write_text(MODEL)
        (folder / "prompts.txt").write_text("\n".join(PROMPTS))
        self.folder = folder

    def start(self) -> subprocess.Popen[bytes]:
        options = ("--use-case", "chat", "--attributes", "gender", "--m", "3", "--seed", "1")
        files = ("--prompts", "prompts.txt", "--out", "out", "--call", "scripted:answer")
        command = [sys.executable, "-m", "guard", "assess", *options, *files]
        return subprocess.Popen(
            [*command, "--concurrency", str(CONCURRENCY)],
            cwd=self.folder,
            env={"PYTHONPATH": f"{self.folder}{os.pathsep}{ROOT}", "ASKED": str(self.asked)},
            stderr=subprocess.DEVNULL,
        )

    def finish(self) -> None:
        assert self.start().wait(PATIENCE_SECONDS) == 0

    @property
    def calls(self) -> int:
        return self.asked.stat().st_size if self.asked.exists() else 0

    @property
    def kept(self) -> int:
        file = self.out / "replies.sqlite"
        if not file.exists():
            return 0
        database = sqlite3.connect(file)
        try:
            return int(database.execute("SELECT count(*) FROM replies").fetchone()[0])
        except sqlite3.OperationalError:  # killed before there was a table
            return 0
        finally:
            database.close()

    def files(self) -> dict[str, object]:
        """All that is written, without times."""
        texts = {
            path.name: path.read_text() for path in self.out.iterdir() if path.suffix != ".sqlite"
        }
        results = json.loads(texts.pop("results.json"))
        del results["provenance"]["made_at"], results["provenance"]["seconds"]
        timeless = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC|the run took \d+ s|[\d.]+ seconds")
        return {"results": results, **{n: timeless.sub("", text) for n, text in texts.items()}}


def kill_when(process: subprocess.Popen[bytes], moment: Callable[[], bool]) -> None:
    """Kill it at a moment, or leave it where it was faster."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while process.poll() is None and not moment():
        assert time.monotonic() < deadline
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_killed_and_resumed_is_the_same_and_asks_nothing_again(tmp_path: Path) -> None:
    whole, killed = Run(tmp_path / "whole"), Run(tmp_path / "killed")
    whole.finish()
    wanted = whole.calls
    assert wanted == whole.kept > 100
    rng = random.Random(time.time_ns())
    for _ in range(KILLS):
        kept, calls, at = killed.kept, killed.calls, rng.random()
        process = killed.start()
        if at < 0.7 and kept < wanted:
            more = calls + rng.randint(1, max(1, (wanted - kept) // 3))
            kill_when(process, lambda more=more: killed.calls >= more)  # type: ignore[misc]
        else:
            end = time.monotonic() + rng.uniform(0.0, 8.0)
            kill_when(process, lambda end=end: time.monotonic() > end)  # type: ignore[misc]
        assert killed.calls - calls <= wanted - kept, "a reply that was kept was asked for again"
    kept, calls = killed.kept, killed.calls
    killed.finish()
    assert killed.calls - calls == wanted - kept
    assert killed.calls <= wanted + KILLS * CONCURRENCY, "more than what was under way"
    assert killed.files() == whole.files()
    killed.finish()
    assert killed.calls - calls == wanted - kept
