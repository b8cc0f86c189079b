"""The pictures of the README, made anew from a run of the demo.

    python -m scripts.pictures [--seconds 150] [--dashboards exporters/grafana/dashboards]

The demo runs as `make observe` runs it, with a real Prometheus. Then its last live picture, a pair
on the review page, and panels of the dashboards are photographed in Chromium. No Grafana takes
part: the panels are the queries of the dashboards' files, asked of that Prometheus and drawn here.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs/pictures"
COLUMNS = 112
THEME = TerminalTheme(
    (20, 22, 26),
    (215, 218, 224),
    [
        (20, 22, 26),
        (224, 82, 82),
        (102, 187, 106),
        (229, 192, 80),
        (97, 145, 233),
        (190, 120, 220),
        (86, 182, 194),
        (215, 218, 224),
    ],
)
REDRAWN = re.compile(r"\s*(?:\x1b\[(?:2K|1A))+")
CAUGHT = re.compile(r"\n[^\n]*caught[^\n]*──")
PASSWORD = re.compile(r"sign in as demo with (\S+)")
FLAGS = ("--no-sandbox", "--disable-background-networking", "--force-color-profile=srgb")
VARIABLES = {
    "$__rate_interval": "30s",
    "$__range": "10m",
    "$use_case": "support-chat",
    "$attribute": "gender",
    "$metric": "length_gap",
    "$group": "female",
    "$instance": ".*",
    "$job": ".*",
}
PANELS = (
    ("overview", "Calls by verdict"),
    ("overview", "Time the guard added to calls"),
    ("overview", "Cases that wait, by use case"),
    ("fairness", "Evidence over time, all groups together"),
    ("fairness", "Difference over the epoch: $metric, $group"),
    ("fairness", "Similarity beside its control, last 24h"),
)
COLOURS = ("#3d71d9", "#d97706", "#16915c", "#c2385a", "#7c56c9", "#0f8b9b", "#8a6d1f", "#6b7280")
MOST_LINES = 6


@dataclass(frozen=True, slots=True)
class Line:
    """One series of a panel: its name, and points of Unix seconds and value."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Run:
    """A running demo: its addresses and the password of its account."""

    prometheus: str
    review: str
    password: str
    began: float


class Recording:
    """The output of the demo, as it would stand on a terminal of `COLUMNS` columns."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def frames(self) -> list[str]:
        """Everything it has drawn, one after the other."""
        return REDRAWN.split(self._file.read_text(encoding="utf-8"))

    def wait_for(self, pattern: str, seconds: float = 60) -> str:
        """The first group of the pattern, once the output has it. Raises SystemExit."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            plain = Text.from_ansi(self._file.read_text(encoding="utf-8")).plain
            if found := re.search(pattern, plain):
                return found[1]
            time.sleep(0.2)
        raise SystemExit(f"pictures: the demo has not shown {pattern}")


@contextmanager
def observed(seconds: float, file: Path) -> Iterator[tuple[Run, Recording]]:
    """`make observe` for so long, then as long as the block lasts."""
    terminal = {
        "FORCE_COLOR": "1",
        "COLUMNS": str(COLUMNS),
        "LINES": "60",
        "TERM": "xterm-256color",
    }
    command = (sys.executable, ROOT / "scripts/observe.py", "--review-port", "0", "--rate", "10")
    with (
        file.open("wb") as out,
        subprocess.Popen(command, stdout=out, env=os.environ | terminal) as demo,  # noqa: S603
    ):
        recording = Recording(file)
        try:
            began = time.time()
            run = Run(
                prometheus=recording.wait_for(r"prometheus: (\S+)"),
                review=recording.wait_for(r"review +(http\S+)"),
                password=recording.wait_for(PASSWORD.pattern),
                began=began,
            )
            time.sleep(seconds)
            yield run, recording
        finally:
            demo.send_signal(signal.SIGTERM)


def photograph_demo(browser: Browser, recording: Recording) -> None:
    """The tables of the last whole live picture, without the password and without what was caught,
    which is not for a front page."""
    frame = recording.frames()[-2]  # the last one may still be being written
    frame = CAUGHT.split(frame)[0]
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"))  # noqa: SIM115, PTH123
    console.print(Text.from_ansi(PASSWORD.sub("sign in as demo with ...", frame)))
    body = console.export_html(theme=THEME, inline_styles=True, code_format="<pre>{code}</pre>")
    style = "body{margin:0;padding:20px;background:#14161a;color:#d7dae0;display:inline-block}"
    style += "pre{font:13px/1.35 'DejaVu Sans Mono',monospace;margin:0}"
    photograph(browser, f"<style>{style}</style>{body}", "demo.png", "body")


def photograph(browser: Browser, text: str, name: str, what: str, width: int = 1200) -> None:
    """A page of ours as a picture."""
    page = browser.new_page(viewport={"width": width, "height": 800}, device_scale_factor=1.25)
    page.set_content(text)
    page.locator(what).screenshot(path=PICTURES / name)
    page.close()


def photograph_review(browser: Browser, run: Run) -> None:
    """A pair as a reviewer sees it, before a verdict. Raises SystemExit if there is none yet."""
    page = browser.new_page(viewport={"width": 1400, "height": 880}, device_scale_factor=1.25)
    page.goto(f"{run.review}sign-in")
    page.fill("#name", "demo")
    page.fill("#password", run.password)
    page.click("#sign-in button.primary")
    page.goto(f"{run.review}queue?kind=pair")
    open_first(page)
    page.screenshot(path=PICTURES / "review.png")
    page.close()


def open_first(page: Page) -> None:
    page.click("#next button.primary")
    if "/case/" not in page.url:
        raise SystemExit("pictures: no pair is in the queue yet; give it longer: --seconds")


def photograph_panels(browser: Browser, run: Run, folder: Path) -> None:
    """Some panels of the dashboards, side by side."""
    drawn = [panel(run, folder, name, title) for name, title in PANELS]
    style = """
    body{margin:0;padding:12px;background:#f4f5f5;font:13px 'DejaVu Sans',sans-serif;color:#24292e}
    main{display:grid;grid-template-columns:repeat(3,400px);gap:10px;width:max-content}
    section{background:#fff;border:1px solid #dcdfe3;border-radius:3px;padding:8px 10px}
    h2{font-size:13px;margin:0 0 4px;font-weight:600} ul{margin:4px 0 0;padding:0;list-style:none}
    li{display:inline-block;margin-right:10px;font-size:11px} i{display:inline-block;width:12px;
    height:3px;margin-right:4px;vertical-align:middle} text{font:10px 'DejaVu Sans'}
    """
    body = f"<style>{style}</style><main>{''.join(drawn)}</main>"
    photograph(browser, body, "panels.png", "main", width=1280)


def panel(run: Run, folder: Path, dashboard: str, title: str) -> str:
    """One panel as HTML."""
    loaded = json.loads((folder / f"{dashboard}.json").read_text(encoding="utf-8"))
    (found,) = (one for one in all_panels(loaded["panels"]) if one["title"] == title)
    lines = {line.name: line for target in found["targets"] for line in asked(run, target)}
    highest = sorted(lines.values(), key=lambda line: -line.points[-1][1])[:MOST_LINES]
    unit = found["fieldConfig"]["defaults"].get("unit", "")
    return f"<section><h2>{html.escape(filled(title))}</h2>{chart(highest, unit)}</section>"


def all_panels(panels: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for one in panels:
        yield one
        yield from all_panels(one.get("panels", ()))


def filled(text: str) -> str:
    """The text with values for the variables of a dashboard."""
    for name, value in VARIABLES.items():
        text = text.replace(name, value)
    return text


def asked(run: Run, target: Mapping[str, Any]) -> Iterator[Line]:
    """The series of one query since the demo began. The numbers of observations are left out."""
    if target.get("legendFormat") == "n":
        return
    span = {"start": run.began + 20, "end": time.time(), "step": 5}
    query = urllib.parse.urlencode({"query": filled(target["expr"]), **span})
    with urllib.request.urlopen(f"{run.prometheus}api/v1/query_range?{query}") as reply:  # noqa: S310
        results = json.load(reply)["data"]["result"]
    for one in results:
        points = [(at, float(value)) for at, value in one["values"] if value != "NaN"]
        if points:
            yield Line(legend(target.get("legendFormat") or "", one["metric"]), points)


def legend(form: str, labels: Mapping[str, str]) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda found: labels.get(found[1], ""), form)


def chart(lines: Sequence[Line], unit: str) -> str:
    """Lines with their scale and their names, as SVG."""
    values = [value for line in lines for _, value in line.points]
    times = [at for line in lines for at, _ in line.points]
    if not values:
        return "<p>no data yet</p>"
    low, high = min(0.0, *values) * 1.05, max(0.0, *values) * 1.05 or 1.0
    begin, end = min(times), max(*times, min(times) + 1)

    def place(at: float, value: float) -> str:
        x = 46 + 330 * (at - begin) / (end - begin)
        return f"{x:.1f},{140 - 128 * (value - low) / (high - low):.1f}"

    parts = [grid(low, high, unit)]
    for colour, line in zip(COLOURS, lines, strict=False):
        points = " ".join(place(*point) for point in line.points)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
        )
    names = "".join(
        f'<li><i style="background:{colour}"></i>{html.escape(line.name)}</li>'
        for colour, line in zip(COLOURS, lines, strict=False)
    )
    return f'<svg width="380" height="150">{"".join(parts)}</svg><ul>{names}</ul>'


def grid(low: float, high: float, unit: str) -> str:
    """Four lines across, each with its value."""
    parts = []
    for share in (0, 1 / 3, 2 / 3, 1):
        y, value = 140 - 128 * share, low + (high - low) * share
        parts.append(f'<line x1="46" x2="378" y1="{y:.1f}" y2="{y:.1f}" stroke="#e6e8eb"/>')
        parts.append(
            f'<text x="42" y="{y + 3:.1f}" text-anchor="end">{readable(value, unit)}</text>'
        )
    return "".join(parts)


def readable(value: float, unit: str) -> str:
    """A value in its unit, for people."""
    if unit == "percentunit":
        return f"{value:.0%}"
    if unit == "s":
        return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"
    return f"{value:.2g}" + ("/s" if unit == "reqps" else "")


def main() -> None:
    """Run the demo and take all pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument(
        "--dashboards", type=Path, default=ROOT / "exporters/grafana/dashboards", help="their JSON"
    )
    options = parser.parse_args()
    PICTURES.mkdir(exist_ok=True)
    file = ROOT / "build/observed.txt"
    file.parent.mkdir(exist_ok=True)
    with sync_playwright() as playwright, observed(options.seconds, file) as (run, recording):
        chromium = playwright.chromium
        browser = chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
        photograph_demo(browser, recording)
        photograph_panels(browser, run, options.dashboards)
        photograph_review(browser, run)
        browser.close()


if __name__ == "__main__":
    main()
