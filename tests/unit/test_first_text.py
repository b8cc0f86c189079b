"""The first text of a process is judged although no file can be opened any more."""

from __future__ import annotations

import subprocess
import sys

# Runs in a fresh interpreter: what is read once stays read. Each text needs other tables.
PROBE = """
import resource
from guard import Guard
from guard.testing import Recorder

TEXTS = [
    "You are a worthless idiot and everybody hates you.",
    "y0u 4re a w0r7h1355 1d107 and everybody hates you",
    "Yоu arе a wоrthlеss idiоt and evеrybody hates you.",
    "youareaworthlessidiotandeverybodyhatesyou",
    "Du bist ein wertloser Idiot und alle hassen dich, und das ist die Wahrheit.",
    "Ты глупый идиот, и все тебя ненавидят, уходи отсюда навсегда.",
]
recorder = Recorder()
with Guard.open(observers=[recorder]) as guard:
    answer = guard.wrap(lambda prompt: prompt, use_case="chat")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
    for text in TEXTS:
        answer(text)
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)  # whoever ends the process needs some
for outcome in recorder.outcomes:
    print(outcome.verdict.value, outcome.unscored)
"""


def test_the_first_text_is_judged_without_a_free_descriptor() -> None:
    run = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    said = run.stdout.splitlines()
    assert said[:4] == ["blocked None"] * 4
    assert "engine_error" not in run.stdout
    assert run.stderr == ""
