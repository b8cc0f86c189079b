"""`guard demo`: the guard with embedded defaults on scripted traffic, until stopped."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click
from rich.console import Console

from guard.bootstrap import Runtime, open_runtime
from guard.bootstrap.storage import open_readings
from guard.cli.demo.board import Board
from guard.cli.demo.findings import Findings
from guard.cli.demo.performance import Script, Stage, perform
from guard.cli.demo.reviewing import USUAL_PORT, Reviewing
from guard.cli.demo.screen import screen
from guard.cli.demo.traffic import USE_CASES
from guard.errors import SettingsError
from guard.ports import Store
from guard.records import Snapshot as Readings
from guard.settings import Settings, StoreSettings, parse_settings
from guard.telemetry import Metrics, MetricsServer, serve
from guard.wrap.facade import Guard

DEFAULT_PORT: Final = 9464
SETTINGS: Final = """
version: 1
alarm_alpha: 0.01
defaults:
  policy:
    toxicity: {flag: shipped, block: 0.8}
    stereotype: {flag: shipped}
  shadow:
    share: 1.0
    attributes: [gender]
    max_variants: 1
    budget: {calls_per_minute: 10000, tokens_per_day: 1000000000, concurrency: 4}
use_cases:
  support-chat:
    fallback: I am sorry, I cannot share that answer. A colleague will write to you.
    stream: {hold: sentence}
  dialogue-summaries:
    policy:
      toxicity: {flag: shipped, regenerate: 0.8}
      stereotype: {flag: shipped}
    fallback: No summary could be made of this conversation.
"""


class Positive(click.FloatRange):
    """A finite number above 0; click's own range lets `nan` through."""

    def convert(
        self, value: float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number; a usage error where it is none."""
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


@click.command()
@click.option("--seconds", type=Positive(min=0, min_open=True), help="End by itself.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Where /metrics is served on localhost; 0 takes a free port.",
)
@click.option(
    "--review-port",
    type=click.IntRange(0, 65535),
    help="Where the review page is served on localhost; 0 takes a free port. Left out:"
    f" {USUAL_PORT}, or a free one if that is taken.",
)
@click.option(
    "--rate",
    type=Positive(min=0, min_open=True, max=1000),
    default=6.0,
    show_default=True,
    help="Requests a second.",
)
@click.option("--seed", default=16, show_default=True, help="Another seed, other conversations.")
def demo(
    seconds: float | None, port: int, review_port: int | None, *, rate: float, seed: int
) -> None:
    """Watch the guard on scripted traffic.

    A scripted model answers a support chat (streamed, and kinder to men than to women) and
    summarises long dialogues. Now and then it says something toxic or stereotyped. Every reply
    goes through the guard with the shipped classifier, and every prompt that speaks of a woman or
    a man is asked once more about the other: `evidence` says what came of that. What is flagged can
    be judged on the review page. Ends with a summary after --seconds, or with Ctrl-C.
    """
    # What is warned of is in the picture; a line on the terminal would tear it.
    logging.getLogger("guard.shadow").addHandler(logging.NullHandler())
    board = Board(USE_CASES)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="evenguard-demo-")))
        runtime = open_runtime(_settings(folder), observers=[board])
        guard = stack.enter_context(Guard(runtime))
        server = stack.enter_context(closing(_served(runtime.metrics, port)))
        page = stack.enter_context(
            closing(Reviewing(_store(runtime), runtime.settings, review_port))
        )
        shown = stack.enter_context(screen(Console(), runtime.engine.heads, server.url, page.told))
        findings = Findings(_readings(runtime), clock=time.monotonic)
        stage = Stage(
            guard=guard, board=board, findings=findings, screen=shown, clock=time.monotonic
        )
        began = stage.clock()
        asyncio.run(perform(stage, Script(seconds=seconds, rate=rate, seed=seed)))
        found = findings.latest(fresh=True)
        page.close()
        guard.close()
        shown.close(board.snapshot(found), stage.clock() - began)


def _settings(folder: Path) -> Settings:
    """Those of the demo, with everything it keeps in a folder that goes with it."""
    where = StoreSettings(url=f"sqlite:///{folder / 'demo.db'}", spool=str(folder / "spool"))
    return parse_settings(SETTINGS, source="demo").model_copy(update={"store": where})


def _store(runtime: Runtime) -> Store:
    if runtime.storage is None:
        raise SettingsError("demo: its settings name no store")
    return runtime.storage.store


def _readings(runtime: Runtime) -> Callable[[], Readings]:
    return open_readings(_store(runtime), runtime.settings)


def _served(metrics: Metrics, port: int) -> MetricsServer:
    try:
        return serve(metrics, port=port)
    except SettingsError as error:
        raise SettingsError(f"{error} (--port)") from error
