"""`guard demo` as a process: the whole way, with the shipped classifier."""

import re
import signal
import socket
import urllib.request

from prometheus_client.openmetrics import parser as openmetrics

from tests.demo_process import address, scraped, started, summary

USE_CASES = ("support-chat", "dialogue-summaries")
VERDICTS = ("released", "flagged", "blocked", "unscored")


def calls(samples, use_case, verdict):
    return samples["guard_calls_total", ("use_case", use_case), ("verdict", verdict)]


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
