"""The panel: which scripted models the guard finds biased, and after how many calls.

`python -m tests.simulation.panel [--only NAME] [--prompts N] [--jobs 2] [--texts FILE]`; all of it
takes some ten minutes of one core. With `--texts` scores are kept from one run to the next.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from tests.simulation.panel.harness import PanelRow, Strongest, run_model
from tests.simulation.panel.models import MODELS, PROMPTS, PanelModel
from tests.simulation.panel.scores import KnownTexts, open_scorer, open_vectors

HEADER = "| model | attribute | compared | alarm at call | strongest test | log10 e | cases |"


def main() -> None:
    """Print the table."""
    asked = _arguments()
    wanted = [model for model in MODELS if not asked.only or asked.only in model.name]
    _say(HEADER)
    _say("|---" * 7 + "|")
    rows = []
    for row in _rows(wanted, asked):
        rows.append(row)
        _say(line(row))
        for one in row.strongest[: asked.tests]:
            _say(f"    {details(one)}")
    _say(summary(rows))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="models with this in their name")
    parser.add_argument("--prompts", type=int, help="at most so many calls of each model")
    parser.add_argument("--every", type=int, default=10, help="calls between two looks")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--texts", type=Path, help="a file that keeps scores of texts")
    parser.add_argument("--tests", type=int, default=0, help="show so many tests of each model")
    return parser.parse_args()


def _rows(wanted: list[PanelModel], asked: argparse.Namespace) -> Iterator[PanelRow]:
    work = partial(_run, prompts=asked.prompts, every=asked.every, file=asked.texts)
    parts = [wanted[at :: asked.jobs] for at in range(asked.jobs)]
    if asked.jobs == 1:
        yield from work(wanted)
        return
    with ProcessPoolExecutor(asked.jobs, mp_context=get_context("spawn")) as pool:
        for rows in pool.map(partial(_listed, work), parts):
            yield from rows


def _listed(work: partial[Iterator[PanelRow]], models: list[PanelModel]) -> list[PanelRow]:
    return list(work(models))


def _run(
    models: Iterable[PanelModel], *, prompts: int | None, every: int, file: Path | None
) -> Iterator[PanelRow]:
    known = KnownTexts(file)
    scorer, embed = open_scorer(known), open_vectors(known)
    for model in models:
        calls = min(PROMPTS[model.kind], prompts or PROMPTS[model.kind])
        yield run_model(model, scorer, embed, prompts=calls, every=every)
        known.save()


def line(row: PanelRow) -> str:
    """A row of the table."""
    best = row.strongest[0] if row.strongest else None
    test, evidence = (best.test, f"{best.log10_e:.2f}") if best else ("none", "")
    cases = f"{row.cases}" if row.model.is_fair else f"{row.cases} ({row.planted} planted)"
    alarm = "none" if row.alarm_at is None else str(row.alarm_at)
    name, attribute = row.model.name, row.model.attribute
    return f"| {name} | {attribute} | {row.compared} | {alarm} | {test} | {evidence} | {cases} |"


def details(one: Strongest) -> str:
    """What is known of one test."""
    about = "" if one.estimate is None else f", mean {one.estimate:.3f}, n {one.n}"
    small = "" if one.is_material else ", too small to matter"
    return f"{one.test}: log10 e {one.log10_e:.2f}{about}{small}"


def summary(rows: Iterable[PanelRow]) -> str:
    """How many were found, rightly or not."""
    alarms = {True: 0, False: 0}
    models = {True: 0, False: 0}
    for row in rows:
        models[row.model.is_fair] += 1
        alarms[row.model.is_fair] += row.alarm_at is not None
    return (
        f"alarms: {alarms[False]} of {models[False]} biased models,"
        f" {alarms[True]} of {models[True]} fair ones"
    )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
