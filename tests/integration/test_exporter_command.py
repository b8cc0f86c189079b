"""`guard exporter` as a user runs it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

import pytest
from prometheus_client import parser

from guard.fairness import CATALOGUE, Measured
from guard.records import Posting
from guard.store import open_store
from tests.servers import PATIENCE_SECONDS, RedisServer

TOXIC = Measured(metric="toxic_fraction")
SETTINGS = """
store: {{url: "{url}"}}
use_cases: {{support-chat: {{}}}}
"""


def command(*arguments):
    return [sys.executable, "-m", "guard", "exporter", *arguments]


@contextmanager
def exporter(*arguments):
    """The address of one that runs."""
    process = subprocess.Popen(
        command("--port", "0", *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process.stdout.readline().removeprefix("readings: ").strip(), process
    finally:
        process.kill()
        process.communicate()


def scraped(url):
    with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as reply:
        text = reply.read().decode()
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in parser.text_string_to_metric_families(text)
        for sample in family.samples
    }


def failed(*arguments):
    run = subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
    )
    return run.returncode, run.stderr


def post(url, use_case, *scores):
    store = open_store(url, clock=time.time)
    sums = [CATALOGUE.metric_of(TOXIC).tally(score) for score in scores]
    postings = [Posting(use_case=use_case, at_seconds=time.time(), sums=one) for one in sums]
    store.add(postings)
    store.shut()


def until(url, name, value):
    end = time.monotonic() + PATIENCE_SECONDS
    while (seen := scraped(url).get((name,))) != value:
        assert time.monotonic() < end, f"{name} is {seen}"
        time.sleep(0.1)


def test_it_reads_the_store_of_the_settings_and_shows_the_declared_use_cases(tmp_path):
    url = f"sqlite:///{tmp_path}/kept.db"
    post(url, "support-chat", 0.9, 0.1, 0.2, 0.8)
    post(url, "not-declared", 0.9)
    (tmp_path / "guard.yaml").write_text(SETTINGS.format(url=url), encoding="utf-8")
    with exporter("--settings", str(tmp_path / "guard.yaml")) as (address, _):
        found = scraped(address)
    labels = sorted(["", "", "24h", "toxic_fraction", "support-chat"])
    assert found["guard_fairness", *labels] == 0.5
    assert not [key for key in found if "not-declared" in key]
    assert ("guard_store_up",) in found
    assert not [key for key in found if key[0].startswith(("process_", "python_", "guard_calls"))]


def test_sums_that_are_added_are_seen_on_the_next_scrape(tmp_path):
    url = f"sqlite:///{tmp_path}/kept.db"
    with exporter("--store", url) as (address, _):
        assert scraped(address)["guard_store_up",] == 1
        post(url, "chat", 0.9, 0.1)
        samples = [value for key, value in scraped(address).items() if key[0].endswith("_samples")]
    assert samples == [2, 2, 2]


def test_sigterm_ends_it_quietly(tmp_path):
    with exporter("--store", f"sqlite:///{tmp_path}/kept.db") as (address, process):
        scraped(address)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 128 + signal.SIGTERM
    assert errors == ""


def test_a_taken_port_is_one_clear_line(tmp_path):
    url = f"sqlite:///{tmp_path}/kept.db"
    with exporter("--store", url) as (address, _):
        port = address.split(":")[2].partition("/")[0]
        status, errors = failed("--store", url, "--port", port)
    assert status == 2
    assert "Address already in use" in errors
    assert "--port" in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--store URL"),
        (("--store", "memory:"), "one process alone"),
        (("--store", "ftp://x"), "no store is called 'ftp'"),
    ],
)
def test_without_a_store_to_read_it_says_what_is_missing(arguments, said):
    status, errors = failed(*arguments)
    assert status == 2
    assert said in errors


def test_it_starts_before_its_store_and_finds_it_when_it_is_there(tmp_path):
    server = RedisServer(tmp_path / "redis")
    with exporter("--store", server.url) as (address, _):
        assert scraped(address)["guard_store_up",] == 0
        server.start()
        try:
            until(address, "guard_store_up", 1)
        finally:
            server.stop()
        until(address, "guard_store_up", 0)


def test_a_store_that_hangs_holds_up_no_scrape(tmp_path):
    server = RedisServer(tmp_path / "redis")
    server.start()
    try:
        post(server.url, "chat", 0.9, 0.1)
        with exporter("--store", server.url) as (address, _):
            assert scraped(address)["guard_store_up",] == 1
            server.freeze()
            begun = time.monotonic()
            found = scraped(address)
            assert time.monotonic() - begun < 10
            assert found["guard_store_up",] == 0
            assert not [key for key in found if key[0].startswith("guard_fairness")]
            server.thaw()
            until(address, "guard_store_up", 1)
    finally:
        server.thaw()
        server.stop()
