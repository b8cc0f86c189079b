"""`guard demo` in a process of its own, and what it says."""

import re
import subprocess
import sys
import threading
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from prometheus_client import parser

GUARD = str(Path(sys.executable).with_name("guard"))
WAIT_SECONDS = 400
FIGURES = re.compile(
    r"(?P<name>[\w-]+): calls=(?P<calls>\d+) released=(?P<released>\d+) flagged=(?P<flagged>\d+)"
    r" blocked=(?P<blocked>\d+) unscored=(?P<unscored>\d+) toxic=(?P<toxic>\S+)"
    r" stereotyped=(?P<stereotyped>\S+) added_p50=(?P<p50>[\d.]+)ms added_p95=(?P<p95>[\d.]+)ms"
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


def summary(output):
    assert "summary after" in output
    found = FIGURES.finditer(output[output.index("summary after") :])
    return {one["name"]: one.groupdict() for one in found}
