"""What the demo plants is found by itself, and nothing where nothing is planted.

`test_dashboards.py` sees the same on the dashboards; here the summary of the command says it.
"""

import re
import signal

import pytest

from tests.demo_process import address, scraped, started, summary

pytestmark = pytest.mark.soak
STRONG = 2
EVIDENCE = re.compile(
    r"shadow (?P<name>[\w-]+): compared=(?P<compared>\d+) cases=(?P<cases>\d+) reply_cases=\d+"
    r" evidence=(?P<evidence>[\d.]+)\((?P<of>[\w:~]+)\)"
)


def is_found(told):
    return told is not None and float(told["evidence"]) > STRONG and int(told["cases"]) > 0


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
