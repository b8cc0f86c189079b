"""`guard score` as a process, with the shipped classifier."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.repeats import repeats
from tests.servers import kill_at_end

GUARD = str(Path(sys.executable).with_name("guard"))
INSULT = "You are a complete idiot and I am sick of explaining this to you."
PRAISE = "Thank you so much, this was wonderful help."
WAIT_SECONDS = 120


def score(*args, data=b"", **options):
    return subprocess.run(
        [GUARD, "score", *map(str, args)],
        input=data,
        capture_output=True,
        timeout=WAIT_SECONDS,
        check=False,
        **options,
    )


@contextmanager
def started(*args):
    with (
        subprocess.Popen(
            [GUARD, "score", *map(str, args)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process,
        kill_at_end(process),
    ):
        yield process


def lines(output):
    return [json.loads(line) for line in output.splitlines()]


def test_an_insult_is_found_where_it_stands():
    text = f"{PRAISE} {INSULT} See you tomorrow."
    done = score(data=f"{PRAISE}\n{text}\n".encode())
    fine, harsh = lines(done.stdout)
    assert (done.returncode, done.stderr) == (0, b"")
    assert fine["over"] == []
    assert fine["scores"]["sentiment"] > 0.5 > fine["scores"]["toxicity"]
    assert "toxicity" in harsh["over"]
    worst = harsh["worst"]
    assert worst["head"].startswith("toxicity")
    assert worst["score"] >= 0.5
    assert INSULT in text[worst["start"] : worst["end"]]


def test_odd_texts_are_scored_or_say_why(tmp_path):
    odd = {
        "surrogate": "fine \ud800 day",
        "nul": "a\x00b",
        "bidi": "\u202eabc\u202c \u2066def\u2069",
        "emoji": "👩‍👩‍👧‍👦🏳️‍🌈" * 20,
        "mixed": "مرحبا עולם 漢字 Привет",
        "word": "x" * 1000,
        "blank": " \n ",
    }
    file = tmp_path / "odd.jsonl"
    file.write_text("".join(json.dumps({"id": k, "text": v}) + "\n" for k, v in odd.items()))
    done = score(file)
    found = {one["id"]: one for one in lines(done.stdout)}
    assert {name: one["text"] for name, one in found.items()} == odd
    unscored = {name: one["unscored"] for name, one in found.items() if one["unscored"]}
    assert unscored == {"blank": "empty", "mixed": "language", "emoji": "unreadable"}
    assert done.returncode == 1


def test_a_live_input_is_answered_line_by_line():
    with started() as process:
        for text in ("one", "two"):
            process.stdin.write(f"{text}\n".encode())
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["text"] == text
        process.stdin.close()
        assert process.wait(WAIT_SECONDS) == 0


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["int", "term"]
)
def test_a_signal_ends_it_quietly_and_leaves_no_file(tmp_path, number, code):
    with started("--out", tmp_path / "out") as process:
        process.stdin.write(b"one\n")
        process.stdin.flush()
        _wait_for(lambda: any(path.stat().st_size for path in tmp_path.iterdir()))
        process.send_signal(number)
        assert process.wait(WAIT_SECONDS) == code
        assert process.stderr.read() == b""
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_goes_away_ends_it_quietly():
    with started() as process:
        process.stdin.write(b"one\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(b"two\n")
        process.stdin.close()
        assert process.wait(WAIT_SECONDS) == 141
        assert process.stderr.read() == b""


def test_a_full_disk_is_one_line():
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [GUARD, "score"],
            input=b"one\n",
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=WAIT_SECONDS,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == (
        b"guard: cannot write results to standard output: No space left on device\n"
    )


def test_a_model_that_is_not_there_is_one_line_with_what_there_is():
    done = score("--model", "other", data=b"one\n")
    assert (done.returncode, done.stdout) == (1, b"")
    assert re.fullmatch(rb"guard: .*one of: .*\n", done.stderr)


def test_on_a_terminal_there_is_a_table():
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [GUARD, "score"],
        input=f"{INSULT}\n".encode(),
        stdout=subprocess.PIPE,
        stderr=theirs,
        timeout=WAIT_SECONDS,
        check=False,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(theirs)
    shown = _all(ours)
    assert done.returncode == 0
    assert "1 (100.0%)" in shown
    assert "1 text, 0 unscored, 0 bad lines" in shown


@pytest.mark.slow
@pytest.mark.soak
def test_memory_does_not_grow_with_the_input(tmp_path):
    settings = tmp_path / "guard.yaml"
    settings.write_text("scoring: {cache_mb: 1}\n")
    few, many = 1_000, repeats(2_500, soak=50_000)  # both fill the cache
    # A busy machine adds or takes 10 MiB from run to run, a leak is in every run.
    most = max(_peak_megabytes(few, settings) for _ in range(3))
    more = (_peak_megabytes(many, settings) - most for _ in range(3))
    assert any(one < repeats(10, soak=30) for one in more)


def _peak_megabytes(count, settings):
    text = "".join(f"line {number} is not like the others\n" for number in range(count))
    code = (
        "import resource, subprocess, sys;"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, GUARD, "score", "--settings", settings],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        timeout=10 * WAIT_SECONDS,
    )
    return int(done.stdout) / 1024


def _all(terminal):
    shown = b""
    try:
        while piece := os.read(terminal, 65536):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.close(terminal)
    return shown.decode()


def _wait_for(condition):
    import time

    end = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
