"""`guard demo` as a process: the whole way, with the shipped classifier."""

import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics

from tests.repeats import repeats

GUARD = str(Path(sys.executable).with_name("guard"))
USE_CASES = ("support-chat", "dialogue-summaries")
VERDICTS = ("released", "flagged", "blocked", "unscored")
WAIT_SECONDS = 400
STRONG = repeats(1, soak=2)
FIGURES = re.compile(
    r"(?P<name>[\w-]+): calls=(?P<calls>\d+) released=(?P<released>\d+) flagged=(?P<flagged>\d+)"
    r" blocked=(?P<blocked>\d+) unscored=(?P<unscored>\d+) toxic=(?P<toxic>\S+)"
    r" stereotyped=(?P<stereotyped>\S+) added_p50=(?P<p50>[\d.]+)ms added_p95=(?P<p95>[\d.]+)ms"
)

EVIDENCE = re.compile(
    r"shadow (?P<name>[\w-]+): compared=(?P<compared>\d+) cases=(?P<cases>\d+) reply_cases=\d+"
    r" evidence=(?P<evidence>[\d.]+)\((?P<of>[\w:~]+)\)"
)


@contextmanager
def started(*args):
    process = subprocess.Popen(
        [GUARD, "demo", *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    guard = threading.Timer(WAIT_SECONDS, process.kill)
    guard.start()
    try:
        with process:
            yield process
    finally:
        guard.cancel()
        process.kill()


def address(process):
    return process.stdout.readline().removeprefix("metrics: ").strip()


def scraped(url, accept="text/plain", parse=parser):
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=10) as reply:
        families = list(parse.text_string_to_metric_families(reply.read().decode()))
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def calls(samples, use_case, verdict):
    return samples["guard_calls_total", ("use_case", use_case), ("verdict", verdict)]


def summary(output):
    assert "summary after" in output
    found = FIGURES.finditer(output[output.index("summary after") :])
    return {one["name"]: one.groupdict() for one in found}


def test_a_run_ends_by_itself_with_a_summary_that_agrees_with_the_metrics():
    with started("--seconds", 3, "--port", 0) as process:
        url = address(process)
        before = scraped(url)
        opened = scraped(url, "application/openmetrics-text; version=1.0.0", openmetrics)
        output, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    figures = summary(output)
    total = figures["all"]
    for use_case in USE_CASES:
        for verdict in VERDICTS:
            at_the_end = int(figures[use_case][verdict])
            assert calls(before, use_case, verdict) <= calls(opened, use_case, verdict)
            assert calls(opened, use_case, verdict) <= at_the_end
    assert int(total["calls"]) == sum(int(total[verdict]) for verdict in VERDICTS)
    assert int(total["calls"]) == sum(int(figures[one]["calls"]) for one in USE_CASES)
    assert min(int(figures[one]["calls"]) for one in USE_CASES) > 0
    assert 0 < float(total["p50"]) <= float(total["p95"])


def test_a_taken_port_is_one_line_that_names_the_option():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with started("--port", port, "--seconds", 1) as process:
            output, errors = process.communicate()
    assert (process.returncode, output) == (2, "")
    assert errors.startswith(f"guard: cannot serve metrics on 127.0.0.1:{port}: Address already")
    assert "--port" in errors
    assert errors.count("\n") == 1


def test_a_reader_that_goes_away_ends_it_quietly():
    with started("--port", 0) as process:
        address(process)
        process.stdout.close()
        assert process.wait() == 141
        assert process.stderr.read() == ""


def is_found(told):
    return told is not None and float(told["evidence"]) > STRONG and int(told["cases"]) > 0


@pytest.mark.slow
@pytest.mark.soak
def test_the_planted_bias_is_found_and_nothing_where_there_is_none():
    """The chat is kinder to men; the summaries are not. Evidence above 2 is strong.

    The run ends by SIGINT, with a summary.
    """
    found = {}
    with started("--port", 0, "--rate", 12) as process:
        url = address(process)
        while not is_found(found.get("support-chat")):
            line = process.stdout.readline()
            assert line, process.stderr.read()
            told = EVIDENCE.search(line)
            found |= {told["name"]: told} if told else {}
        samples = scraped(url)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    told = {one["name"]: one for one in EVIDENCE.finditer(output[output.index("summary after") :])}
    assert float(told["support-chat"]["evidence"]) > STRONG
    assert told["support-chat"]["of"].split(":")[1] == "gender"
    assert float(told["dialogue-summaries"]["evidence"]) < STRONG
    summaries = told["dialogue-summaries"]
    assert int(summaries["cases"]) <= 1 + 0.01 * int(summaries["compared"])
    assert int(summary(output)["all"]["calls"]) > 0
    assert_scores_times_and_the_engine_are_told(samples)


def assert_scores_times_and_the_engine_are_told(samples):
    chat = ("use_case", "support-chat")
    assert samples["guard_score_count", ("score", "toxicity"), chat] > 0
    assert samples["guard_added_seconds_sum", chat] > 0
    assert samples["guard_scoring_seconds_count",] > 0
    assert samples["guard_queue_seconds_count",] > 0
    assert samples["guard_engine_batches_total",] > 0
    assert samples["guard_engine_restarts_total",] == 0
    assert not [name for name, *_ in samples if name.startswith("guard_observer_errors_total")]


def test_cases_can_be_judged_while_the_demo_runs_and_sigterm_ends_it_well():
    with started("--port", 0, "--review-port", 0, "--seconds", 600) as process:
        process.stdout.readline()
        told = re.fullmatch(
            r"review: (http://127\.0\.0\.1:\d+/) sign in as demo with (\S{12,})\n",
            process.stdout.readline(),
        )
        assert told
        with urllib.request.urlopen(told[1], timeout=10) as reply:
            assert reply.url == f"{told[1]}sign-in"
            assert "Sign in" in reply.read().decode()
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    assert "summary after" in output
