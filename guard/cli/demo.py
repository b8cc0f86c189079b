"""`guard demo`: the guard with embedded defaults on scripted traffic, until stopped."""

from __future__ import annotations

import click

from guard.cli.options import FiniteRange, port_option
from guard.demo.session import METRICS_PORT, REVIEW_PORT, run_session
from guard.demo.traffic import Schedule


@click.command()
@click.option("--seconds", type=FiniteRange(min=0, min_open=True), help="End by itself.")
@port_option(METRICS_PORT, "Where /metrics is served on localhost; 0 takes a free port.")
@click.option(
    "--review-port",
    type=click.IntRange(0, 65535),
    help="Where the review page is served on localhost; 0 takes a free port. Left out:"
    f" {REVIEW_PORT}, or a free one if that is taken.",
)
@click.option(
    "--rate",
    type=FiniteRange(min=0, min_open=True, max=1000),
    default=6.0,
    help="Requests a second.",
)
@click.option("--seed", default=16, help="Another seed, other conversations.")
def demo(
    seconds: float | None, port: int, review_port: int | None, *, rate: float, seed: int
) -> None:
    """Watch the guard on scripted traffic.

    A scripted model answers a support chat (streamed, and kinder to men than to women) and
    summarises long dialogues; a few of its replies are toxic or stereotyped. Every reply goes
    through the guard with the shipped classifier. For every prompt about a woman or a man a shadow
    request asks the same about the other: `evidence` shows what was found. Flagged replies can be
    judged on the review page. Ends with a summary after --seconds, or with Ctrl-C.
    """
    schedule = Schedule(seconds=seconds, rate=rate, seed=seed)
    run_session(schedule, click.echo, metrics_port=port, review_port=review_port)
