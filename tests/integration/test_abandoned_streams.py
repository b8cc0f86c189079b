"""Streams that garbage collection ends just before a process does, and in a forked child."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.servers import PATIENCE_SECONDS

PROGRAM = """
import gc, os, sys, time
from guard.policy import Policy
from guard.testing import Recorder, WordScorer, wrap_with

class Slow(Recorder):
    def outcome(self, outcome):
        time.sleep(0.2)
        print(outcome.text, os.getpid() == parent, flush=True)

class Holder:
    def __init__(self, reply):
        self.itself, self.reply = self, reply

def stream(*pieces):
    yield from pieces

def leave(first):
    guarded = wrap_with(stream, policy=Policy(rules=()), scorer=WordScorer({}), observer=Slow())
    reply = guarded(first, " And more.")
    next(reply)
    Holder(reply)

gc.disable()
parent = os.getpid()
leave("Hello.")
if sys.argv[1] != "left to the end":
    gc.collect()
if sys.argv[1] == "forked":
    if child := os.fork():
        os.waitpid(child, 0)
    else:
        leave("Hello in the child.")
        gc.collect()
"""


@pytest.mark.parametrize(
    ("way", "wanted"),
    [
        ("collected", ["Hello. True"]),
        ("left to the end", ["Hello. True"]),
        ("forked", ["Hello in the child. False", "Hello. True"]),
    ],
)
def test_a_process_that_ends_without_closing_its_guard_loses_none(
    way: str, wanted: list[str]
) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, way],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    assert sorted(run.stdout.splitlines()) == wanted
    assert run.stderr == ""
